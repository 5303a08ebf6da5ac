"""TaskPolicy: how many engines run, written by the ML infrastructure team."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from controlplane.policy.vocabulary import Items, Name, PolicyMetadata, Strict


class TaskSpec(Strict):
    """How many engines run, and on how many GPUs each. Everything has a default."""

    replicas: Annotated[int, Field(ge=0, le=1000)] = 1
    """Engines that run side by side."""
    gpus_per_pod: Annotated[int, Field(ge=1, le=64)] | None = None
    """GPUs of a pod; default: min(tensorParallel × pipelineParallel, GPUs of a node)."""


class TaskUse(TaskSpec):
    """A service's task section: values, or a TaskPolicy by name with values that override it."""

    policy: Name | None = None
    """TaskPolicy to start from."""


class TaskPolicySpec(TaskSpec):
    """A TaskPolicy's values, and which of them services may not override."""

    locked: Items[str] = ()
    """Keys that a service may not override, such as `replicas`."""


class TaskPolicy(Strict):
    """How many engines run, under a name."""

    api_version: Literal["controlplane.dev/v1alpha1"]
    """Version of this form."""
    kind: Literal["TaskPolicy"]
    """What this is."""
    metadata: PolicyMetadata
    """Its name."""
    spec: TaskPolicySpec
    """What it says."""
