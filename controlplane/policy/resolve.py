"""Policies to a Stack: every ModelService with what it derives, on the machines of its Fleet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.diagnostics import Diagnostic, RelatedSpan
from controlplane.policy.findings import finding
from controlplane.policy.fleet import FleetSpec
from controlplane.policy.policy_set import Policy, PolicySet, Service
from controlplane.policy.resolution.companions import check_names, disruption_budget, namespaces, service_object
from controlplane.policy.resolution.deployment import Parts, derive_parts, workload_of
from controlplane.policy.resolution.fitting import Placed, check_fit
from controlplane.policy.resolution.inventory import inventory_of
from controlplane.policy.resolution.node_size import LARGER_THAN_NODE
from controlplane.policy.resolution.setting import Setting, setting_of
from controlplane.stack.facts import Fact
from controlplane.stack.inventory import Inventory
from controlplane.stack.model import Context, Stack
from controlplane.stack.references import Reference


@dataclass(frozen=True, slots=True)
class RolloutSettings:
    """What the rollout and the drift check of one service need to know beside its manifests. Times are seconds."""

    machines_seconds: int
    tasks_seconds: int
    memory_seconds: int
    return_automatically: bool
    drift_mode: str
    drift_interval_seconds: int
    served_model: str
    context: str | None
    nodes_may_be_added: bool = False


@dataclass(frozen=True, slots=True)
class Resolution:
    """What came of the policies: the Stack, how each service is rolled out by `namespace/name`, sorted findings."""

    stack: Stack
    settings: Mapping[str, RolloutSettings]
    findings: tuple[Diagnostic, ...]


def resolve_all(policy_set: PolicySet) -> Resolution:
    """Resolve every service once.

    A service with a refused value is judged as far as that goes, and left out of the Stack.
    """
    fleet, findings = _fleet(policy_set)
    if fleet is None:
        return Resolution(Stack(), {}, tuple(sorted(findings)))
    resolved: list[tuple[Placed, Parts]] = []
    larger: set[str] = set()
    for service in policy_set.services:
        found, more = _resolve(service, fleet)
        findings += more
        if found is not None and found[0].setting.certain:
            resolved.append(found)
        larger |= {service.key for finding in more if finding.rule in LARGER_THAN_NODE}
    placed = [p for p, _ in resolved]
    findings += check_fit([p for p in placed if p.setting.service.key not in larger], inventory_of(fleet))
    stack = _stack(fleet, [p for p in placed if _whole(p.setting.service)])
    settings = {p.setting.service.key: _settings_of(p.setting, parts) for p, parts in resolved}
    # A named policy that several services use gives the same finding for each of them.
    return Resolution(stack, settings, tuple(sorted(dict.fromkeys(findings))))


def resolve(policy_set: PolicySet) -> tuple[Stack, tuple[Diagnostic, ...]]:
    """The Stack of all services, with findings sorted."""
    resolution = resolve_all(policy_set)
    return resolution.stack, resolution.findings


def rollout_settings(policy_set: PolicySet) -> Mapping[str, RolloutSettings]:
    """The settings of every service that resolves, by `namespace/name`."""
    return resolve_all(policy_set).settings


def inventory(policy_set: PolicySet) -> Inventory:
    """The machines of all Fleets together, in the order of their names."""
    fleets = [inventory_of(fleet) for fleet in policy_set.fleets.values()]
    return Inventory(tuple(p for f in fleets for p in f.pools), tuple(s for f in fleets for s in f.storage))


def _stack(fleet: Policy[FleetSpec], placed: list[Placed]) -> Stack:
    services = tuple(p.setting.service for p in placed)
    references: list[Reference] = [*namespaces(services, fleet)]
    for service in services:
        references += [service_object(service), disruption_budget(service)]
    return Stack(
        inventory=inventory_of(fleet),
        workloads=tuple(sorted((p.workload for p in placed), key=lambda w: w.ref)),
        references=tuple(sorted(references, key=lambda r: r.ref)),
        context=Context(_versions(fleet), frozenset({"Node"})),
    )


def _versions(fleet: Policy[FleetSpec]) -> dict[str, Fact[str]]:
    versions = fleet.spec.versions
    found = {"kubernetes": fleet.fact(versions.kubernetes, "spec", "versions", "kubernetes")}
    if versions.kuberay is not None:
        found["kuberay"] = fleet.fact(versions.kuberay, "spec", "versions", "kuberay")
    return found


def _resolve(service: Service, fleet: Policy[FleetSpec]) -> tuple[tuple[Placed, Parts] | None, list[Diagnostic]]:
    certain = service.policy.spec.spec.fleet == fleet.name
    findings = list(check_names(service, fleet, certain))
    setting, more = setting_of(service, fleet, certain)
    findings += more
    if setting is None:
        return None, findings
    parts, more = derive_parts(setting)
    return (Placed(setting, workload_of(setting, parts)), parts), [*findings, *more]


def _whole(service: Service) -> bool:
    """Whether nothing that the service says was refused."""
    sections = (service.machine, service.task, service.memory, service.rollout)
    return not service.policy.unsure and not any(section.unsure for section in sections)


def _fleet(policy_set: PolicySet) -> tuple[Policy[FleetSpec] | None, list[Diagnostic]]:
    """The one fleet of the run: that of the first service, or the only one there is."""
    used = [s for s in policy_set.services if s.policy.spec.spec.fleet in policy_set.fleets]
    if used:
        first = used[0]
        name = first.policy.spec.spec.fleet
        return policy_set.fleets[name], [_second_fleet(first, s) for s in used if s.policy.spec.spec.fleet != name]
    fleets = list(policy_set.fleets.values())
    return (fleets[0] if len(fleets) == 1 else None), []


def _second_fleet(first: Service, other: Service) -> Diagnostic:
    path = ("spec", "fleet")
    one, two = first.policy.spec.spec.fleet, other.policy.spec.spec.fleet
    return finding(
        "policy/two-fleets",
        f"{other.key} runs on Fleet `{two}`, {first.key} on `{one}`: one run is for one cluster",
        other.policy.span(*path),
        path,
        "Put the services of each Fleet into a folder of their own.",
        related=(RelatedSpan(first.policy.span(*path), "the other Fleet"),),
    )


def _settings_of(setting: Setting, parts: Parts) -> RolloutSettings:
    said = setting.service.rollout.value
    model = setting.spec.model
    return RolloutSettings(
        machines_seconds=parts.rollout.machines_seconds.value,
        tasks_seconds=said.timeouts.tasks,
        memory_seconds=parts.rollout.memory_seconds.value,
        return_automatically=said.return_ == "automatic",
        drift_mode=said.drift.mode,
        drift_interval_seconds=said.drift.interval,
        served_model=model.served_name if model.served_name is not None else model.name,
        context=setting.fleet.spec.context,
        nodes_may_be_added=setting.pool.nodes.max > setting.pool.nodes.min,
    )
