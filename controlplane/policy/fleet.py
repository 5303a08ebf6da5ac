"""Fleet: the machines there are, written by the platform team."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from controlplane.policy.spellings import TAINT, ExtendedResource, TaintKey, TaintValue
from controlplane.policy.vocabulary import (
    Cpu,
    Items,
    Labels,
    Memory,
    Name,
    ObjectName,
    PolicyMetadata,
    Strict,
    Version,
    refused,
)


class Versions(Strict):
    """Versions of what runs in the cluster."""

    kubernetes: Version
    """Version of the API server and the kubelets, such as 1.36.3."""
    kuberay: Version | None = None
    """Version of the KubeRay operator; left out where there is none."""


class PoolAccelerator(Strict):
    """The GPUs of one node of a pool."""

    product: Annotated[str, Field(min_length=1)]
    """Catalogue name of the GPU, such as H100-80GB."""
    count: Annotated[int, Field(ge=1, le=64)]
    """GPUs that one node offers."""
    resource: ExtendedResource = "nvidia.com/gpu"
    """Extended resource under which the device plugin offers them."""
    sharing: Literal["whole"] = "whole"
    """A pod gets whole GPUs."""


class NodeRange(Strict):
    """How many nodes a pool has; a plain number is short for both."""

    min: Annotated[int, Field(ge=0)]
    """Nodes that are always there."""
    max: Annotated[int, Field(ge=0, le=5000)]
    """Nodes that the pool may grow to. Whether pods fit is judged against this number. Kubernetes supports 5000."""


class PoolTaint(Strict):
    """A taint of the pool's nodes. Every pod that is bound to the pool gets the toleration."""

    key: TaintKey
    """Key of the taint."""
    value: TaintValue = ""
    """Value of the taint; empty where it has none."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = "NoSchedule"
    """What the taint does to pods that do not tolerate it."""


def _both_bounds(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        return {"min": value, "max": value}
    if isinstance(value, str | float | bool | list):
        raise refused(
            "a whole number of nodes is needed, or a mapping with min and max", "Write 3, or {min: 0, max: 3}."
        )
    return value


class Pool(Strict):
    """Nodes of one shape."""

    name: Name
    """Name that `machine.pool` refers to."""
    accelerator: PoolAccelerator | None = None
    """The GPUs of a node; left out for a pool without any."""
    nodes: Annotated[NodeRange, BeforeValidator(_both_bounds, json_schema_input_type=int | NodeRange)]
    """How many nodes there are: a number, or min and max."""
    cpu: Cpu
    """CPUs that one node offers to pods (allocatable, not capacity)."""
    memory: Memory
    """Memory that one node offers to pods (allocatable, not capacity)."""
    pods: Annotated[int, Field(ge=1)] = 110
    """Pods that one node takes."""
    labels: Labels = Field(default_factory=dict)
    """Labels of the nodes."""
    selector: Labels | None = None
    """Those labels that pick this pool and no other; default: all of `labels`."""
    taints: Items[Annotated[PoolTaint, TAINT]] = ()
    """Taints of the nodes, those that the cloud provider adds included."""


class PoolStorage(Strict):
    """A storage system from which weights are read."""

    name: Name
    """Name of the storage system."""
    read_bandwidth: Memory
    """Bytes per second that one pod can read, such as 2Gi."""
    claims: Items[ObjectName] = ()
    """PersistentVolumeClaims that stand on it."""


class FleetNamespace(Strict):
    """A namespace that services may use."""

    name: Name
    """Name of the namespace."""
    managed: bool = False
    """Whether applying a service creates and owns the namespace; false: somebody else made it."""


class FleetSpec(Strict):
    """One cluster: its versions, its machines and its storage."""

    context: Annotated[str, Field(min_length=1)] | None = None
    """Name of the kubeconfig context; default: the current one."""
    versions: Versions
    """Versions of Kubernetes and its operators."""
    pools: Annotated[Items[Pool], Field(min_length=1)]
    """Node pools, at least one."""
    storage: Items[PoolStorage] = ()
    """Storage systems with their bandwidth, from which the startup probe's budget is computed."""
    namespaces: Items[FleetNamespace] = ()
    """Namespaces that services may use; empty: any that exists."""


class Fleet(Strict):
    """The machines of one cluster."""

    api_version: Literal["controlplane.dev/v1alpha1"]
    """Version of this form."""
    kind: Literal["Fleet"]
    """What this is."""
    metadata: PolicyMetadata
    """Its name."""
    spec: FleetSpec
    """What it says."""
