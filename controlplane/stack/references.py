"""Objects that point at a workload, or that it needs: Services, disruption budgets, namespaces.

`origin` is the place that names the object, `namespace_origin` that of its namespace, `label_origins` those of its
labels; none of them takes part in equality.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from controlplane.stack.facts import ABSENT, Fact, Origin


@dataclass(frozen=True, slots=True, order=True)
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


@dataclass(frozen=True, slots=True)
class ServicePort:
    """A port of a Service; `target` is a number or the name of a container port."""

    name: str
    number: int
    target: int | str
    protocol: str = "TCP"
    origin: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace that we create and own."""

    ref: ObjectRef
    labels: Mapping[str, str] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False)


Reference = Service | DisruptionBudget | Namespace
