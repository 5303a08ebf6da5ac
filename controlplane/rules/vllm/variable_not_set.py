"""An argument refers to a variable that the container does not have, so that the reference itself is the value."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.engine_arguments import starts_from_keywords
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.source import nearest
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.model import Stack
from controlplane.stack.pods import Container
from controlplane.stack.versions import is_unset_by_image

_REFERENCE = regex(r"(?<!\$)\$\(([A-Za-z_][A-Za-z0-9_]*)\)")
_JUDGED = ("Deployment", "StatefulSet", "Job", "Pod", "ReplicaSet", "DaemonSet", "LeaderWorkerSet")
"""Kinds whose containers have no variables of an operator beside those that their manifests write."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        container = engine.container
        plain = engine.workload.ref.kind in _JUDGED and not starts_from_keywords(engine)
        if container is not None and plain and not container.env_from:
            yield from _unset(engine, container)


def _unset(engine: DeployedEngine, container: Container) -> Iterator[Finding]:
    is_unset, names = is_unset_by_image(container.image), [variable.name for variable in container.env]
    for argument in engine.engine.written:
        # Without its very words in the file a value may hold what somebody escaped.
        for name in _REFERENCE.findall(argument.text or "") if argument.verbatim else ():
            if name not in names and is_unset(name):
                near = nearest(name, names)
                yield Finding(
                    f"{argument.spelling} refers to $({name}), and container {container.name} has no variable "
                    f"{name}: vLLM is given the text $({name})" + (f"; there is {near}" if near else ""),
                    at=argument.origin,
                    otherwise=engine.place,
                    remedy=f"Write $({near})." if near else f"Set {name} in env, or write the value.",
                )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The kubelet replaces `$(NAME)` by a variable of the container, and leaves it as it is where there is "
    "none. vLLM then refuses it where a number is needed, and otherwise uses it: a model called `$(MODEL)`. Only "
    "kustomize's vars, which are deprecated, would replace it before.",
    remedy="Set the variable in env, or write the value.",
    sources=(
        "Kubernetes 1.36, third_party/forked/golang/expansion",
        "vLLM 0.33.0, docker/Dockerfile: the variables that its images set",
    ),
    bad=(
        example("- --tensor-parallel-size=$(TP)  # fires").replace(
            "registry.example/vllm-openai", "vllm/vllm-openai"
        ),
    ),
    good=(
        example("- --tensor-parallel-size=$(TP)", env="- {name: TP, value: '1'}").replace(
            "registry.example/vllm-openai", "vllm/vllm-openai"
        ),
    ),
    check=check,
)
