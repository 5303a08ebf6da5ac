"""Objects that point at a workload, or that it needs: Services, autoscalers, budgets, claims, quotas, queues.

`origin` is the place that names the object, `namespace_origin` that of its namespace, `label_origins` those of its
labels; none of them takes part in equality.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from controlplane.frozen import frozen
from controlplane.source import Quantity
from controlplane.stack.facts import ABSENT, Fact, Origin


@frozen(order=True)
class ObjectRef:
    """One Kubernetes object. `namespace` is empty for cluster-scoped kinds."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.namespace}/{self.name}" if self.namespace else f"{self.kind}/{self.name}"

    @property
    def group(self) -> str:
        """The API group, empty for the core group."""
        return self.api_version.rpartition("/")[0]


@frozen
class ServicePort:
    """A port of a Service; `target` is a number or the name of a container port, 0 where it cannot be read.

    `target_origin` is the place of the target, the number's where it is not written.
    """

    name: str
    number: int
    target: int | str
    protocol: str = "TCP"
    origin: Origin | None = field(default=None, compare=False)
    target_origin: Origin | None = field(default=None, compare=False)


@frozen
class Service:
    """A Service and the pods it selects."""

    ref: ObjectRef
    selector: Fact[Mapping[str, str]]
    ports: tuple[ServicePort, ...]
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    headless: bool = False
    origin: Origin | None = field(default=None, compare=False)
    label_origins: Mapping[str, Origin] = field(default_factory=dict, compare=False)
    namespace_origin: Origin | None = field(default=None, compare=False)


@frozen
class DisruptionBudget:
    """A PodDisruptionBudget; one of the two bounds is set, as a number or a percentage."""

    ref: ObjectRef
    selector: Fact[Mapping[str, str]]
    max_unavailable: Fact[int | str] = ABSENT
    min_available: Fact[int | str] = ABSENT
    labels: Mapping[str, str] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False)
    label_origins: Mapping[str, Origin] = field(default_factory=dict, compare=False)
    namespace_origin: Origin | None = field(default=None, compare=False)


@frozen
class Namespace:
    """A namespace that we create and own."""

    ref: ObjectRef
    labels: Mapping[str, str] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False)


@frozen
class ScalingMetric:
    """What an autoscaler looks at.

    `kind` is Resource, ContainerResource, Pods, Object, External, or a KEDA trigger's type. `name` is the metric's
    name, or the resource's; `query` a trigger's PromQL. `target` is the wanted value as written, `target_type`
    Utilization, AverageValue or Value.
    """

    kind: str
    name: Fact[str] = ABSENT
    query: Fact[str] = ABSENT
    target: Fact[str] = ABSENT
    target_type: Fact[str] = ABSENT
    origin: Origin | None = field(default=None, compare=False)


@frozen
class Autoscaler:
    """A HorizontalPodAutoscaler or a KEDA ScaledObject or ScaledJob. `target_kind` and `target_name` as written."""

    ref: ObjectRef
    target_api_version: Fact[str]
    target_kind: Fact[str]
    target_name: Fact[str]
    min_replicas: Fact[int] = ABSENT
    max_replicas: Fact[int] = ABSENT
    metrics: tuple[ScalingMetric, ...] = ()
    cooldown_seconds: Fact[int] = ABSENT
    idle_replicas: Fact[int] = ABSENT
    origin: Origin | None = field(default=None, compare=False)


@frozen
class VolumeClaim:
    """A PersistentVolumeClaim. `owner` names the StatefulSet whose template it is, if any."""

    ref: ObjectRef
    access_modes: Fact[tuple[str, ...]] = ABSENT
    storage_class: Fact[str] = ABSENT
    size: Fact[Quantity] = ABSENT
    volume_name: Fact[str] = ABSENT
    owner: str = ""
    origin: Origin | None = field(default=None, compare=False)


@frozen
class ConfigMap:
    """A ConfigMap's texts by key."""

    ref: ObjectRef
    data: Mapping[str, Fact[str]] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False)


@frozen
class ResourceQuota:
    """A quota of a namespace: hard limits by name (`requests.nvidia.com/gpu`, `limits.memory`, `pods`)."""

    ref: ObjectRef
    hard: Mapping[str, Fact[Quantity]] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    """Scopes and scope selectors in words; a quota that has any does not count every pod."""
    origin: Origin | None = field(default=None, compare=False)


@frozen
class LimitRangeItem:
    """One item of a LimitRange; `type` is Container, Pod or PersistentVolumeClaim."""

    type: str
    min: Mapping[str, Fact[Quantity]] = field(default_factory=dict)
    max: Mapping[str, Fact[Quantity]] = field(default_factory=dict)
    default: Mapping[str, Fact[Quantity]] = field(default_factory=dict)
    default_request: Mapping[str, Fact[Quantity]] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False)


@frozen
class LimitRange:
    """A LimitRange of a namespace."""

    ref: ObjectRef
    items: tuple[LimitRangeItem, ...] = ()
    origin: Origin | None = field(default=None, compare=False)


@frozen
class PriorityClass:
    """A PriorityClass."""

    ref: ObjectRef
    value: Fact[int] = ABSENT
    preemption_policy: Fact[str] = ABSENT
    global_default: Fact[bool] = ABSENT
    origin: Origin | None = field(default=None, compare=False)


@frozen
class FlavorQuota:
    """What a ClusterQueue may use of one resource in one flavor."""

    flavor: str
    resource: str
    nominal: Fact[Quantity]
    borrowing_limit: Fact[Quantity] = ABSENT
    origin: Origin | None = field(default=None, compare=False)


@frozen
class ClusterQueue:
    """A Kueue ClusterQueue. `cohort` is where it may borrow from; `resources` are all that it covers."""

    ref: ObjectRef
    quotas: tuple[FlavorQuota, ...] = ()
    cohort: Fact[str] = ABSENT
    origin: Origin | None = field(default=None, compare=False)


@frozen
class LocalQueue:
    """A Kueue LocalQueue, and the ClusterQueue it feeds."""

    ref: ObjectRef
    cluster_queue: Fact[str] = ABSENT
    origin: Origin | None = field(default=None, compare=False)


@frozen
class ResourceFlavor:
    """A Kueue ResourceFlavor: the nodes it stands for."""

    ref: ObjectRef
    node_labels: Mapping[str, str] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False)


Reference = (
    Service
    | DisruptionBudget
    | Namespace
    | Autoscaler
    | VolumeClaim
    | ConfigMap
    | ResourceQuota
    | LimitRange
    | PriorityClass
    | ClusterQueue
    | LocalQueue
    | ResourceFlavor
)
