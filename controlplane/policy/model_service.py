"""ModelService: one model that is served, with the three sections that say how."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from controlplane.policy.machine_policy import MachineUse
from controlplane.policy.memory_policy import MemoryUse
from controlplane.policy.rollout_policy import RolloutUse
from controlplane.policy.spellings import Image, Key, ModelName, ServedName, Variable, VariableValue
from controlplane.policy.task_policy import TaskUse
from controlplane.policy.vocabulary import (
    Items,
    Labels,
    Memory,
    Name,
    ObjectName,
    Strict,
    Version,
    refused,
)


def _is_inside(path: str) -> str:
    if path.startswith("/") or ".." in path.split("/"):
        raise refused(f"{path!r} leaves the claim or image", "Write a path relative to its root, without '..'.")
    if not path.isprintable() or path != path.strip():
        raise refused(f"{path!r} has characters that a path here must not have", "Write the path without them.")
    return path


class KeyRef(Strict):
    """One key of a Secret or a ConfigMap: a reference, never the value."""

    name: ObjectName
    """Name of the object, in the service's namespace."""
    key: Key
    """Key inside it."""


class HubSource(Strict):
    """Weights downloaded from the Hugging Face hub when the engine starts."""

    secret: KeyRef | None = None
    """Secret with the access token, for models that need one; it becomes HF_TOKEN by reference."""


class ModelSource(Strict):
    """Where the weights come from: exactly one of these."""

    pvc: ObjectName | None = None
    """PersistentVolumeClaim that holds the checkpoint; mounted read-only."""
    image: Image | None = None
    """OCI image that holds the checkpoint, mounted as an image volume (on by default from Kubernetes 1.35)."""
    hub: HubSource | None = None
    """The Hugging Face hub; `hub: {}` where no token is needed."""

    @model_validator(mode="after")
    def _exactly_one(self) -> ModelSource:
        count = len(self.model_fields_set)
        if count != 1:
            raise refused(f"{count} sources are given; a model comes from one", "Keep one of pvc, image and hub.")
        return self


class ModelCache(Strict):
    """Where downloaded weights are kept."""

    pvc: ObjectName
    """PersistentVolumeClaim that keeps downloads over restarts; it must allow writing from every replica's node."""


class ModelSpec(Strict):
    """The model and its weights."""

    name: ModelName
    """Name of the model, such as meta-llama/Llama-3.1-8B-Instruct."""
    source: Annotated[ModelSource, Field(alias="from")]
    """Where the weights come from."""
    revision: Annotated[str, Field(min_length=1)] | None = None
    """Branch, tag or commit on the hub; only with `from.hub`."""
    path: Annotated[str, Field(min_length=1), AfterValidator(_is_inside)] | None = None
    """Folder of the checkpoint in the claim or image; default: the model's name in a claim, the root of an image."""
    cache: ModelCache | None = None
    """Where downloads are kept; only with `from.hub`. Default: the pod's own disk, lost with the pod."""
    weights: Memory | None = None
    """Size of the checkpoint's weight files, such as 15Gi; default: the catalogue's estimate, if it has one."""
    served_name: ServedName | None = None
    """Name that clients ask for; default: `name`."""


class RuntimeSpec(Strict):
    """What serves the model: one image, and the version inside it."""

    kind: Literal["deployment"] = "deployment"
    """`deployment`: one pod an engine, all of it on one node."""
    image: Image
    """Image with `vllm serve` in it."""
    vllm: Version
    """Version of vLLM in the image; arguments are checked against it."""


class EnvEntry(Strict):
    """One environment variable of the engine: a value, or one key of a Secret or a ConfigMap."""

    name: Variable
    """Name of the variable."""
    value: VariableValue | None = None
    """Its value. Not for secrets: those are referenced."""
    secret: KeyRef | None = None
    """Key of a Secret that holds the value."""
    config: KeyRef | None = None
    """Key of a ConfigMap that holds the value."""

    @model_validator(mode="after")
    def _exactly_one(self) -> EnvEntry:
        given = sorted(self.model_fields_set - {"name"})
        if len(given) != 1:
            said = " and ".join(given) or "no value"
            raise refused(f"{self.name} has {said}", "Give exactly one of value, secret and config.")
        return self


class ServiceSpec(Strict):
    """The Service before the engines."""

    port: Annotated[int, Field(ge=1, le=65535)] = 8000
    """Port of the Service; the engines listen on 8000 in any case."""


class ServiceMetadata(Strict):
    """What the service is called, and where it lives."""

    name: Name
    """Name of the service and of the objects made for it."""
    namespace: Name = "default"
    """Namespace of those objects."""
    labels: Labels = Field(default_factory=dict)
    """Labels for all objects made for it."""


def _by_name(value: object) -> object:
    return {"policy": value} if isinstance(value, str) else value


class ModelServiceSpec(Strict):
    """One model that is served."""

    fleet: Name
    """Fleet that it runs on."""
    model: ModelSpec
    """The model and its weights."""
    runtime: RuntimeSpec
    """What serves it."""
    machine: MachineUse = Field(default_factory=MachineUse)
    """What Kubernetes is asked for: values, or {policy: NAME, …overrides}."""
    task: TaskUse = Field(default_factory=TaskUse)
    """How many engines run: values, or {policy: NAME, …overrides}."""
    memory: MemoryUse = Field(default_factory=MemoryUse)
    """What vLLM does with its GPUs: values, or {policy: NAME, …overrides}."""
    rollout: Annotated[RolloutUse, BeforeValidator(_by_name, json_schema_input_type=str | RolloutUse)] = Field(
        default_factory=RolloutUse
    )
    """How a change is brought in: a RolloutPolicy's name, values, or {policy: NAME, …overrides}."""
    env: Items[EnvEntry] = ()
    """Environment of the engine."""
    service: ServiceSpec = Field(default_factory=ServiceSpec)
    """The Service before the engines."""


class ModelService(Strict):
    """One model that is served."""

    api_version: Literal["controlplane.dev/v1alpha1"]
    """Version of this form."""
    kind: Literal["ModelService"]
    """What this is."""
    metadata: ServiceMetadata
    """Its name and namespace."""
    spec: ModelServiceSpec
    """What it says."""
