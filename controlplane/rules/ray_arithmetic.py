"""What a Stack's Ray nodes have, and what its replicas ask of them: the input of the arithmetic of bundles.

Everything is read the careful way round: an amount that is not known is unlimited on a node and nothing in a demand,
so that what does not fit here fits nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from controlplane.frozen import frozen
from controlplane.placement.amounts import Amounts
from controlplane.placement.bundles import RAY_UNIT, Gang, RayNodes, Strategy, ray_amounts
from controlplane.rules.pod_arithmetic import is_partial
from controlplane.rules.rule import Place
from controlplane.stack.facts import ABSENT, Fact, Known, Origin, Unknown, value_of, value_or
from controlplane.stack.gpu_resources import gpu_limits
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Container, Count, CountOwner, PodSet
from controlplane.stack.ray import RayCluster, RayGroup, RayResources
from controlplane.stack.serve import Bundle, PlacementGroup, ServeDeployment

OVERWRITTEN_COMMAND = "ray.io/overwrite-container-cmd"
"""With this annotation KubeRay leaves the container's own command alone: what Ray is told stands there."""

STANDARD = frozenset({"CPU", "GPU", "memory"})
"""Resources that every Ray node has an amount of; all others are custom."""

_FOUND_BY_RAY = ("TPU", "neuron_cores", "HPU", "NPU", "RBLN", "object_store_memory")
"""Resources that Ray finds by itself where the device is there (2.60, `_private/accelerators`)."""

_MERGES_ACTOR = (2, 60)
"""From this Ray on a replica of Serve LLM is known to lie in the first bundle (`core/server/llm_server.py`)."""


def ray_workloads(stack: Stack) -> Iterator[tuple[Workload, RayCluster]]:
    """Every workload that makes a Ray cluster, with the cluster; patches, which say only a part, are left out."""
    for workload in stack.workloads:
        if (
            workload.ray is not None
            and not (workload.job and workload.job.cluster_selector)
            and not is_patch(workload)
        ):
            yield workload, workload.ray


def is_patch(workload: Workload) -> bool:
    """Whether a Ray object says only a part of itself, as a patch does: what it leaves out may be said elsewhere."""
    return not workload.pod_sets or any(is_partial(workload, pods) for pods in workload.pod_sets)


def ray_groups(stack: Stack) -> Iterator[tuple[Workload, RayCluster, RayGroup, PodSet]]:
    """Every group of every Ray cluster with its pods, heads included."""
    for workload, cluster in ray_workloads(stack):
        for group in cluster.groups:
            pods = workload.pod_set(group.name)
            if pods is not None:
                yield workload, cluster, group, pods


def ray_container(pods: PodSet) -> Container | None:
    """The container that Ray runs in: the first (KubeRay 1.6.2, `RayContainerIndex`)."""
    return pods.containers[0] if pods.containers else None


def is_autoscaled(cluster: RayCluster) -> bool:
    """Whether Ray's autoscaler is known to set the number of workers."""
    return value_of(cluster.autoscaling.enabled) is True


def is_not_autoscaled(cluster: RayCluster) -> bool:
    """Whether Ray's autoscaler is known to be off."""
    enabled = cluster.autoscaling.enabled
    return enabled == ABSENT or value_of(enabled) is False


def may_see_gpus(pods: PodSet) -> bool:
    """Whether a pod of whose GPUs Ray is told nothing may see some all the same, so that Ray finds them by itself."""
    container = ray_container(pods)
    return container is None or bool(gpu_limits(container)) or may_see_gpus_unasked(pods)


def may_see_gpus_unasked(pods: PodSet) -> bool:
    """Whether a pod may see more GPUs than its resources name: by a claim, its runtime or a variable."""
    container = ray_container(pods)
    return (
        container is None
        or bool(pods.resource_claims or container.claims or container.env_from)
        or pods.runtime_class != ABSENT
        or any(variable.name.endswith("VISIBLE_DEVICES") for variable in container.env)
    )


def ray_version(cluster: RayCluster) -> str | None:
    """The version of Ray: what the image's tag names, else what rayVersion says; None where neither is known."""
    return value_of(cluster.image_version) or value_of(cluster.version)


def version_numbers(version: str | None) -> tuple[int, ...]:
    """The first two numbers of a version, empty where it has none."""
    parts = (version or "").split(".")[:2]
    return tuple(int(part) for part in parts) if len(parts) > 1 and all(part.isdigit() for part in parts) else ()


def nodes_at_most(cluster: RayCluster, group: RayGroup, count: Count, hosts: Fact[int]) -> int | None:
    """How many Ray nodes a group can come to have as it is declared; None where that is not known or not bounded."""
    if group.is_head:
        return 1
    low, high, desired = value_or(count.min, 0), value_of(count.max), value_of(count.desired)
    replicas = high
    if is_not_autoscaled(cluster) and count.owner is not CountOwner.RAY_AUTOSCALER:
        replicas = None if desired is None else max(low, desired if high is None else min(desired, high))
    each = value_of(hosts) if hosts != ABSENT else 1
    return None if replicas is None or each is None else replicas * each


def pods_at_least(cluster: RayCluster, group: RayGroup, pods: PodSet) -> int:
    """How many pods a group has at least once the cluster is up; 0 where that is not known."""
    if group.is_head:
        return 1
    low, hosts = value_or(pods.count.min, 0), value_or(pods.hosts_per_unit, 0)
    most = nodes_at_most(cluster, group, pods.count, pods.hosts_per_unit) if is_not_autoscaled(cluster) else None
    return low * hosts if most is None else most


def ray_nodes(workload: Workload, cluster: RayCluster, names: Collection[str]) -> tuple[RayNodes, ...]:
    """The Ray nodes of a cluster with what they have of the named resources."""
    return tuple(_nodes(workload, cluster, group, names) for group in cluster.groups)


def _nodes(workload: Workload, cluster: RayCluster, group: RayGroup, names: Collection[str]) -> RayNodes:
    pods = workload.pod_set(group.name)
    if pods is None:
        return RayNodes(group.name, {}, 1 if group.is_head else None, frozenset(names))
    count = nodes_at_most(cluster, group, pods.count, pods.hosts_per_unit)
    if value_of(group.suspend) or OVERWRITTEN_COMMAND in workload.annotations:
        return RayNodes(group.name, {}, count, frozenset(names))
    known = {name: amount for name in names if (amount := node_amount(group, pods, name)) is not None}
    return RayNodes(group.name, ray_amounts(known), count, frozenset(names) - known.keys())


def node_amount(group: RayGroup, pods: PodSet, name: str) -> float | None:
    """How much of a resource each Ray node of a group has; None where that is not known."""
    told: RayResources = group.told
    match name:
        case "CPU":
            return value_of(told.cpu)
        case "GPU":
            return 0.0 if told.gpu == ABSENT and not may_see_gpus(pods) else value_of(told.gpu)
        case "memory":
            return value_of(told.memory_bytes)
    if name in told.custom:
        return value_of(told.custom[name])
    if name == "TPU" and custom_is_known(group) and not _may_see_tpus(pods):
        return 0.0
    if name.startswith("node:") or name.startswith(_FOUND_BY_RAY) or not custom_is_known(group):
        return None
    if name.startswith("accelerator_type:"):
        return 0.0 if node_amount(group, pods, "GPU") == 0 else None
    return 0.0


def _may_see_tpus(pods: PodSet) -> bool:
    """Whether Ray may find TPUs in a pod: devices that it was given, or all of its node's where it is privileged."""
    container = ray_container(pods)
    if container is None or may_see_gpus_unasked(pods):
        return True
    if container.privileged != ABSENT and value_of(container.privileged) is not False:
        return True
    variables = (variable.name for variable in container.env)
    words = (*container.limits, *container.requests, *variables, *_places_wanted(pods))
    return any("tpu" in word.casefold() for word in words)


def _places_wanted(pods: PodSet) -> Iterator[str]:
    """Words of what a pod says of its node; `tpu` for what could not be read."""
    wanted = pods.constraints
    for fact in (wanted.node_selector, wanted.node_requirements, wanted.tolerations):
        if fact != ABSENT and not isinstance(fact, Known):
            yield "tpu"
    for key, value in value_or(wanted.node_selector, {}).items():
        yield f"{key}={value}"
    for requirement in value_or(wanted.node_requirements, ()):
        yield f"{requirement.key}={requirement.values}"
    for toleration in value_or(wanted.tolerations, ()):
        yield toleration.key


def custom_is_known(group: RayGroup) -> bool:
    """Whether all custom resources of a group could be read."""
    written = group.start_params.get("resources", ABSENT)
    return written == ABSENT or bool(group.told.custom)


@frozen
class Demand:
    """What one replica asks for: its bundles in Ray's amounts, each with the places where they are written."""

    name: str
    bundles: tuple[Amounts, ...]
    places: tuple[Mapping[str, Fact[float] | Fact[int]], ...]
    origins: tuple[Origin | None, ...]
    strategy: Strategy
    is_group: bool

    @property
    def gang(self) -> Gang:
        return Gang(self.bundles, self.strategy, self.name)

    @property
    def resources(self) -> frozenset[str]:
        return frozenset(name for bundle in self.bundles for name, amount in bundle.items() if amount > 0)


def demand_of(deployment: ServeDeployment, cluster: RayCluster) -> Demand | None:
    """What one replica of a Serve deployment asks for; None where too little is known."""
    name = value_or(deployment.name, "the deployment")
    if deployment.placement_group is None:
        return _actor_demand(name, deployment.actor, deployment.origin)
    return _group_demand(name, deployment, deployment.placement_group, cluster)


def _actor_demand(name: str, actor: RayResources, origin: Origin | None) -> Demand:
    wanted = requested(actor)
    return Demand(name, (_known(wanted),), (wanted,), (origin,), Strategy.PACK, is_group=False)


def driver_demand(workload: Workload) -> Demand | None:
    """What the driver of a RayJob asks for."""
    job = workload.job
    return _actor_demand("the entrypoint", job.driver, job.origin) if job is not None else None


def _group_demand(
    name: str, deployment: ServeDeployment, group: PlacementGroup, cluster: RayCluster
) -> Demand | None:
    bundles = value_of(group.bundles)
    strategy = value_or(group.strategy, "PACK") if not _is_unread(group.strategy) else ""
    if not bundles or strategy not in Strategy.__members__:
        return None
    amounts = [_known(bundle.resources) for bundle in bundles]
    if deployment.is_llm and version_numbers(ray_version(cluster)) >= _MERGES_ACTOR:
        amounts[0] = _with_replica_actor(amounts[0], deployment.actor)
    places = tuple(bundle.resources for bundle in bundles)
    origins = tuple(_place(bundle, group) for bundle in bundles)
    return Demand(name, tuple(amounts), places, origins, Strategy[strategy], is_group=True)


def _is_unread(fact: Fact[str]) -> bool:
    return not isinstance(fact, Known) and fact != ABSENT


def _place(bundle: Bundle, group: PlacementGroup) -> Origin | None:
    return bundle.origin or group.origin


def requested(resources: RayResources) -> dict[str, Fact[float] | Fact[int]]:
    """A request by Ray's names of the resources."""
    named: dict[str, Fact[float] | Fact[int]] = {
        "CPU": resources.cpu,
        "GPU": resources.gpu,
        "memory": resources.memory_bytes,
    }
    return {**named, **resources.custom}


def _known(wanted: Mapping[str, Fact[float] | Fact[int]]) -> Amounts:
    known = {name: fact.value for name, fact in wanted.items() if isinstance(fact, Known)}
    return ray_amounts(known)


def _with_replica_actor(bundle: Amounts, actor: RayResources) -> Amounts:
    """The first bundle of Serve LLM, which holds the replica's own actor too: one CPU where nobody says otherwise."""
    own = _known({**requested(actor), "CPU": actor.cpu})
    if actor.cpu == ABSENT:
        own = {**own, "CPU": RAY_UNIT}
    return {name: bundle.get(name, 0) + own.get(name, 0) for name in {**bundle, **own}}


def fewest_replicas(deployment: ServeDeployment) -> int:
    """How many replicas there are at least; 1 where that is not known."""
    count = deployment.replicas
    fact = count.min if deployment.autoscaled or count.owner is CountOwner.SERVE else count.desired
    return value_or(fact, 0 if isinstance(fact, Unknown) and fact != ABSENT else 1)


@frozen
class Shortfall:
    """The resource of a bundle that no Ray node has enough of; empty `resource` where only the whole is too much."""

    resource: str
    asked: float
    largest: float
    group: str


def shortfall(bundle: Amounts, nodes: Sequence[RayNodes]) -> Shortfall | None:
    """Why a bundle fits on no Ray node, None where it fits on one."""
    if any(kind.holds(bundle) for kind in nodes):
        return None
    for name, amount in bundle.items():
        limited = [kind for kind in nodes if name not in kind.unlimited]
        if len(limited) == len(nodes) and all(kind.amounts.get(name, 0) < amount for kind in nodes):
            largest = max(nodes, key=lambda kind: kind.amounts.get(name, 0))
            return Shortfall(name, amount / RAY_UNIT, largest.amounts.get(name, 0) / RAY_UNIT, largest.name)
    return Shortfall("", 0, 0, "")


def is_provided(bundle: Amounts, nodes: Sequence[RayNodes]) -> bool:
    """Whether every custom resource that a bundle asks for is there on some node, or may be."""
    custom = [name for name, amount in bundle.items() if amount > 0 and name not in STANDARD]
    return all(any(name in kind.unlimited or kind.amounts.get(name, 0) > 0 for kind in nodes) for name in custom)


def fits_bundle_by_bundle(demand: Demand, nodes: Sequence[RayNodes]) -> bool:
    """Whether each bundle for itself fits on some node."""
    return all(any(kind.holds(bundle) for kind in nodes) for bundle in demand.bundles)


def replicas_place(deployment: ServeDeployment) -> Place:
    """Where the number of replicas is written."""
    count = deployment.replicas
    return count.min if isinstance(count.min, Known) else deployment.origin


def in_words(bundle: Amounts) -> str:
    """`1 GPU and 4 CPU`, memory in GiB."""
    parts = [amount_in_words(name, amount / RAY_UNIT) for name, amount in sorted(bundle.items()) if amount > 0]
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts) or "nothing"


def amount_in_words(name: str, amount: float) -> str:
    """`3 CPU`, `1.5 GiB of memory`."""
    return f"{amount / 2**30:.4g} GiB of memory" if name == "memory" else f"{amount:g} {name}"
