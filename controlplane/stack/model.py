"""Stack: everything declared about deployments, whatever it was read from.

Rules, capacity, placement, plan and `why` know only this. It holds declared facts alone: what a cluster or an
engine says at run time stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from controlplane.frozen import frozen
from controlplane.stack.engine import Engine
from controlplane.stack.facts import ABSENT, Fact, Origin
from controlplane.stack.inventory import Inventory
from controlplane.stack.pods import PodSet
from controlplane.stack.ray import RayCluster, RayEntrypoint
from controlplane.stack.references import ObjectRef, Reference
from controlplane.stack.serve import Serve


@frozen
class Strategy:
    """How a workload's controller replaces pods. Surge and unavailable are numbers or percentages."""

    type: Fact[str] = ABSENT
    max_surge: Fact[int | str] = ABSENT
    max_unavailable: Fact[int | str] = ABSENT
    progress_deadline_seconds: Fact[int] = ABSENT


@frozen
class Workload:
    """One controller object with its pods and engines; `origin` is the place that names it.

    `ray` is set for RayCluster, RayService, RayJob and RayCronJob, `serve` for a RayService, `job` for a RayJob and a
    RayCronJob. `group_size` is a LeaderWorkerSet's pods a group. `parallelism` and `completions` are a Job's.
    """

    ref: ObjectRef
    pod_sets: tuple[PodSet, ...]
    engines: tuple[Engine, ...] = ()
    strategy: Strategy = field(default_factory=Strategy)
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    selector: Mapping[str, str] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False)
    label_origins: Mapping[str, Origin] = field(default_factory=dict, compare=False)
    namespace_origin: Origin | None = field(default=None, compare=False)
    ray: RayCluster | None = None
    serve: Serve | None = None
    job: RayEntrypoint | None = None
    group_size: Fact[int] = ABSENT
    service_name: Fact[str] = ABSENT
    """A StatefulSet's governing Service."""
    claim_templates: tuple[str, ...] = ()
    """Names of a StatefulSet's volumeClaimTemplates."""
    parallelism: Fact[int] = ABSENT
    completions: Fact[int] = ABSENT
    restart_strategy: Fact[str] = ABSENT
    """A LeaderWorkerSet's `restartPolicy`."""

    def pod_set(self, name: str) -> PodSet | None:
        """The pod set of that name, or None."""
        return next((pods for pods in self.pod_sets if pods.name == name), None)


@frozen
class Context:
    """Versions by component ("kubernetes", "kuberay", "vllm", ...), and the kinds of which all objects were seen.

    "No pool tolerates it" is true only if the inventory is complete: rules ask `complete` first.
    """

    versions: Mapping[str, Fact[str]] = field(default_factory=dict)
    complete: frozenset[str] = frozenset()


@frozen
class Stack:
    """All services together, since they share pools."""

    inventory: Inventory = field(default_factory=Inventory)
    workloads: tuple[Workload, ...] = ()
    references: tuple[Reference, ...] = ()
    context: Context = field(default_factory=Context)
