"""MachinePolicy: what Kubernetes is asked for, written by the platform team."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from controlplane.policy.vocabulary import (
    Cpu,
    Items,
    Memory,
    Name,
    ObjectName,
    PolicyMetadata,
    Seconds,
    Strict,
)


class Termination(Strict):
    """How a pod ends: endpoints forget it, the engine drains, and some room is left."""

    pre_stop: Seconds = 15
    """Sleep before SIGTERM, in which load balancers stop sending new requests."""
    drain: Seconds = 45
    """Time for running requests to finish: vLLM's --shutdown-timeout (0.18.0 and later; below, preStop covers it)."""
    grace: Seconds | None = None
    """terminationGracePeriodSeconds; default: preStop + drain + 15s, and never less than preStop + drain."""


class Disruption(Strict):
    """What a node drain may take at once."""

    max_unavailable: Annotated[int, Field(ge=1, le=1000)] = 1
    """Pods of the service that may be away at once (PodDisruptionBudget)."""


class Probes(Strict):
    """How long a start may take."""

    startup_margin: Annotated[float, Field(ge=1, le=10)] = 2.0
    """Factor on the time to read the weights."""
    engine_start: Seconds = 600
    """Time after the weights are read: compiling, profiling, capturing graphs."""
    startup: Annotated[Seconds, Field(ge=1)] | None = None
    """Whole budget of the startup probe; default: weights / readBandwidth × startupMargin + engineStart."""


class MachineSpec(Strict):
    """What one pod asks of Kubernetes. Everything has a default."""

    pool: Name | None = None
    """Pool of the Fleet; default: its only pool with GPUs."""
    cpu: Cpu | None = None
    """CPUs a pod requests; default: 90 % of the pod's share of the node, by GPUs. No limit is set."""
    memory: Memory | None = None
    """Memory a pod requests and is limited to, /dev/shm included; default: 90 % of its share of the node, by GPUs."""
    shared_memory: Memory | None = None
    """Size of /dev/shm, which counts against `memory`; default: 2Gi for each GPU of the pod."""
    priority_class: ObjectName | None = None
    """PriorityClass of the pods; it must exist."""
    service_account: ObjectName | None = None
    """ServiceAccount of the pods; default: the namespace's own."""
    spread: Literal["none", "hosts"] = "none"
    """`hosts` prefers another node for each replica; it never keeps a pod pending."""
    termination: Termination = Field(default_factory=Termination)
    """How a pod ends."""
    disruption: Disruption = Field(default_factory=Disruption)
    """What a node drain may take at once."""
    probes: Probes = Field(default_factory=Probes)
    """How long a start may take."""


class MachineUse(MachineSpec):
    """A service's machine section: values, or a MachinePolicy by name with values that override it."""

    policy: Name | None = None
    """MachinePolicy to start from."""


class MachinePolicySpec(MachineSpec):
    """A MachinePolicy's values, and which of them services may not override."""

    locked: Items[str] = ()
    """Keys that a service may not override, such as `pool` or `termination.grace`."""


class MachinePolicy(Strict):
    """What Kubernetes is asked for, under a name."""

    api_version: Literal["controlplane.dev/v1alpha1"]
    """Version of this form."""
    kind: Literal["MachinePolicy"]
    """What this is."""
    metadata: PolicyMetadata
    """Its name."""
    spec: MachinePolicySpec
    """What it says."""
