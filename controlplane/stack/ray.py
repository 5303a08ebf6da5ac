"""Ray clusters as KubeRay makes them: what every Ray node will believe it has, by both derivations.

KubeRay and Ray's autoscaler each derive a node's logical resources from the same pod, by different code: a resource
that one sees and the other does not is how a group comes never to be scaled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from controlplane.frozen import frozen
from controlplane.source import Quantity
from controlplane.stack.facts import ABSENT, Fact, Origin


@frozen
class RayResources:
    """Logical resources of a Ray node, or of one request. `memory_bytes` is Ray's `memory`, in bytes.

    `custom` are all others by name, `accelerator_type:H100` and `node:10.0.0.7` among them.
    """

    cpu: Fact[float] = ABSENT
    gpu: Fact[float] = ABSENT
    memory_bytes: Fact[int] = ABSENT
    custom: Mapping[str, Fact[float]] = field(default_factory=dict)


@frozen
class RayGroup:
    """The head or a worker group. Its pods are the workload's pod set of the same name; the head's is "head".

    `told` is what KubeRay writes into `ray start` (operator 1.7, `common/pod.go`); `believed` is what the autoscaler
    derives (Ray 2.60, `autoscaler/_private/kuberay/autoscaling_config.py`). `start_params` and `resources` are as
    written. `origin` is the place that names the group.
    """

    name: str
    is_head: bool = False
    told: RayResources = field(default_factory=RayResources)
    believed: RayResources = field(default_factory=RayResources)
    start_params: Mapping[str, Fact[str]] = field(default_factory=dict)
    resources: Mapping[str, Fact[str]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    idle_timeout_seconds: Fact[int] = ABSENT
    priority: Fact[int] = ABSENT
    suspend: Fact[bool] = ABSENT
    restart_policy: Fact[str] = ABSENT
    origin: Origin | None = field(default=None, compare=False)


@frozen
class RayAutoscaling:
    """Ray's own autoscaler: `enableInTreeAutoscaling` and `autoscalerOptions`, as written."""

    enabled: Fact[bool] = ABSENT
    version: Fact[str] = ABSENT
    idle_timeout_seconds: Fact[int] = ABSENT
    upscaling_mode: Fact[str] = ABSENT
    options: Fact[bool] = ABSENT
    """Known(True) at the place of `autoscalerOptions` where it is written at all."""
    requests: Mapping[str, Fact[Quantity]] = field(default_factory=dict, compare=False)
    limits: Mapping[str, Fact[Quantity]] = field(default_factory=dict, compare=False)
    """What the autoscaler's container in the head's pods asks for and may use, as the options say it."""


@frozen
class GcsFaultTolerance:
    """Where the head keeps its state. `options` is Known(True) at `gcsFaultToleranceOptions` where it is written."""

    options: Fact[bool] = ABSENT
    backend: Fact[str] = ABSENT
    redis_address: Fact[str] = ABSENT
    redis_password: Fact[bool] = ABSENT
    """Known(True) at its place where the options give one; the value is never kept."""
    external_storage_namespace: Fact[str] = ABSENT
    annotation: Fact[str] = ABSENT
    """`ray.io/ft-enabled` of the cluster, as written."""


@frozen
class RayCluster:
    """The Ray cluster of a RayCluster, or the one that a RayService, RayJob or RayCronJob makes.

    `version` is `rayVersion` as written, `image_version` what the head's image tag names. `auth_mode` is
    `authOptions.mode`. `upgrade` is `upgradeStrategy.type` of the object that owns the cluster.
    """

    head: RayGroup
    workers: tuple[RayGroup, ...] = ()
    version: Fact[str] = ABSENT
    image_version: Fact[str] = ABSENT
    autoscaling: RayAutoscaling = field(default_factory=RayAutoscaling)
    gcs: GcsFaultTolerance = field(default_factory=GcsFaultTolerance)
    auth_mode: Fact[str] = ABSENT
    upgrade: Fact[str] = ABSENT
    upgrade_options: Mapping[str, Fact[int | str]] = field(default_factory=dict)
    managed_by: Fact[str] = ABSENT
    suspend: Fact[bool] = ABSENT
    origin: Origin | None = field(default=None, compare=False)

    @property
    def groups(self) -> tuple[RayGroup, ...]:
        """The head and the worker groups, in their order."""
        return (self.head, *self.workers)


@frozen
class RayEntrypoint:
    """What a RayJob runs: its `entrypoint`, and the resources its driver asks for."""

    command: Fact[str] = ABSENT
    driver: RayResources = field(default_factory=RayResources)
    submission_mode: Fact[str] = ABSENT
    runtime_env: Fact[str] = ABSENT
    shutdown_after_job_finishes: Fact[bool] = ABSENT
    ttl_seconds_after_finished: Fact[int] = ABSENT
    active_deadline_seconds: Fact[int] = ABSENT
    backoff_limit: Fact[int] = ABSENT
    cluster_selector: Mapping[str, str] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False)
