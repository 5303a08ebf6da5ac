"""The vLLM engine that runs in a container, if one does."""

from __future__ import annotations

from dataclasses import dataclass, replace

from controlplane.stack.engine import Engine
from controlplane.stack.environment import environment_of
from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why, value_of
from controlplane.stack.manifest_fields import Field
from controlplane.stack.pods import Container
from controlplane.stack.readers import container
from controlplane.stack.versions import is_vllm_image, version_of_image
from controlplane.stack.vllm_command_line import read_command_line


@dataclass(frozen=True, slots=True)
class PodContext:
    """What a container does not say itself: its pod set, the engine's role and the declared version of vLLM."""

    pod_set: str
    role: str
    version: Fact[str]


def read(field: Field, context: PodContext) -> tuple[Container, Engine | None]:
    """A container, and the engine it starts: then the command line is the engine's and not the container's."""
    made = container.read(field)
    image = value_of(made.image) or ""
    version = context.version if context.version != ABSENT else _version(made.image)
    variables = environment_of(made.env, open_ended=field["envFrom"].is_set)
    line = read_command_line(
        made.command, made.args, variables, value_of(version), has_vllm_entrypoint=is_vllm_image(image)
    )
    if line is None:
        return made, None
    engine = Engine(
        role=context.role,
        pod_set=context.pod_set,
        container=made.name,
        version=version,
        model=line.model,
        arguments=line.arguments,
        launch=line.launch,
        served_model_name=line.served_model_name,
        complete=line.complete,
    )
    return replace(made, command=(), args=()), engine


def _version(image: Fact[str]) -> Fact[str]:
    if not isinstance(image, Known):
        return Unknown(Why.VERSION, "the image of the container")
    version = version_of_image(image.value)
    if version is None:
        return Unknown(Why.VERSION, "the annotation controlplane.dev/vllm-version, or an image vllm-openai:vX.Y.Z")
    return Known(version, image.origin)
