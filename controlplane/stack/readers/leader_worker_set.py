"""LeaderWorkerSet leaderworkerset.x-k8s.io/v1: groups of pods that make one replica together."""

from __future__ import annotations

from dataclasses import replace

from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why, derived
from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Strategy, Workload
from controlplane.stack.pods import EnvVar
from controlplane.stack.readers import workload
from controlplane.stack.readers.pod_template import PodRole, ReadTemplate, read_as


def read(manifest: Field) -> Workload:
    """The workload of a LeaderWorkerSet.

    Its pod sets are "leader" and "worker"; `hosts_per_unit` of the workers is one less than a group has. Without a
    template for the leader all pods of a group are of the worker's, and "worker" is the only pod set.
    """
    spec = manifest["spec"]
    group = spec["leaderWorkerTemplate"]
    size: Fact[int] = group["size"].integer()
    if size == ABSENT:
        size = derived(1, "the API's default where size is not set")
    templates = _templates(manifest, group, size)
    return replace(
        workload.read(manifest, templates),
        strategy=_strategy(spec["rolloutStrategy"]),
        group_size=size,
        restart_strategy=group["restartPolicy"].text(),
    )


def _templates(manifest: Field, group: Field, size: Fact[int]) -> list[ReadTemplate]:
    count = workload.count(manifest.at("spec", "replicas"))
    version = workload.declared_version(manifest)
    common = PodRole("worker", count, version, hosts_per_unit=size, injected=injected(size))
    if not group["leaderTemplate"].is_set:
        return [read_as(group["workerTemplate"], common)]
    leader = replace(common, name="leader", role="leader", hosts_per_unit=derived(1, "one leader a group"))
    worker = replace(common, role="worker", hosts_per_unit=_without_leader(size))
    return [read_as(group["leaderTemplate"], leader), read_as(group["workerTemplate"], worker)]


def _without_leader(size: Fact[int]) -> Fact[int]:
    if not isinstance(size, Known):
        return size
    return derived(size.value - 1, f"{size.value} pods a group without its leader", [("size", size)])


def injected(size: Fact[int]) -> tuple[EnvVar, ...]:
    """The variables that the controller puts before all others (`pkg/utils/pod`, 0.8)."""
    pods: Fact[str] = Known(str(size.value), size.origin) if isinstance(size, Known) else Unknown(Why.RUNTIME)
    return (
        EnvVar("LWS_LEADER_ADDRESS", Unknown(Why.RUNTIME, "the leader's address")),
        EnvVar("LWS_GROUP_SIZE", pods),  # type: ignore[arg-type]  # a text is one of the values it takes
        EnvVar("LWS_WORKER_INDEX", Unknown(Why.RUNTIME, "the pod's index in its group")),
    )


def _strategy(field: Field) -> Strategy:
    rolling = field["rollingUpdateConfiguration"]
    return Strategy(
        type=field["type"].text(),
        max_surge=rolling["maxSurge"].integer_or_text(),
        max_unavailable=rolling["maxUnavailable"].integer_or_text(),
    )
