"""An image of the vLLM project is asked for by a release without its `v`."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack

_AT_DOCKER_HUB = regex(r"(?:(?:index\.)?docker\.io/)?vllm/vllm-openai:(\d+\.\d+\.\d+(?:\.post\d+)?)\Z")


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        image = engine.container.image if engine.container is not None else None
        match = _AT_DOCKER_HUB.match(image.value) if isinstance(image, Known) else None
        if match is not None:
            yield Finding(
                f"there is no tag {match[1]} of vllm/vllm-openai: its tags of releases begin with a v",
                at=image,
                remedy=f"Write vllm/vllm-openai:v{match[1]}.",
            )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The project publishes its images as `v0.10.2`, never as `0.10.2`: the kubelet cannot pull the image, "
    "and the pod waits in ImagePullBackOff. Copies in other registries may have tags of their own.",
    remedy="Write the tag with its v.",
    sources=("Docker Hub, vllm/vllm-openai: the tags of its releases",),
    bad=(
        example("", version="0.10.2", note="  # fires").replace(
            "registry.example/vllm-openai:v", "vllm/vllm-openai:"
        ),
    ),
    good=(example("", version="0.10.2").replace("registry.example/", "vllm/"), example("")),
    check=check,
)
