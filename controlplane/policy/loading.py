"""Documents of one folder to a `PolicySet`: each held against its kind, references followed, sections assembled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from controlplane.diagnostics import Diagnostic, KeyPath, RelatedSpan
from controlplane.policy.env import check_environment
from controlplane.policy.faults import check
from controlplane.policy.findings import finding
from controlplane.policy.fleet_checks import check_fleet
from controlplane.policy.kinds import KINDS, SECTIONS
from controlplane.policy.machine_policy import MachineSpec
from controlplane.policy.memory_policy import MemorySpec
from controlplane.policy.policy_set import Policy, PolicySet, Service
from controlplane.policy.rollout_policy import RolloutSpec
from controlplane.policy.sections import assemble, unknown_locks, unknown_name
from controlplane.policy.task_policy import TaskSpec
from controlplane.policy.vocabulary import API_VERSION
from controlplane.policy.wording import shown
from controlplane.source import Document, nearest

_GROUP: Final = "controlplane.dev/"


@dataclass(slots=True)
class _Collected:
    """Policies by kind and key as they come in, and what is wrong with them."""

    policies: dict[str, dict[str, Policy[Any]]] = field(default_factory=lambda: {kind: {} for kind in KINDS})
    broken: set[tuple[str, str]] = field(default_factory=set)
    findings: list[Diagnostic] = field(default_factory=list)
    foreign: int = 0


def load_policies(documents: Iterable[Document]) -> tuple[PolicySet, tuple[Diagnostic, ...]]:
    """Read all policies among the documents of one run, in which they may refer to each other in any order.

    Documents of other API groups are only counted. The same policy twice, word for word, is one: folders that are
    complete in themselves may carry the same Fleet. Findings come sorted.
    """
    collected = _Collected()
    for document in documents:
        _collect(document, collected)
    broken = frozenset(collected.broken)
    services = []
    for policy in collected.policies["ModelService"].values():
        service, findings = _service(policy, collected.policies, broken)
        services.append(service)
        collected.findings += findings
    collected.findings += _checks(collected.policies)
    policy_set = PolicySet(
        fleets=_sorted(collected.policies["Fleet"]),
        machines=_sorted(collected.policies["MachinePolicy"]),
        tasks=_sorted(collected.policies["TaskPolicy"]),
        memories=_sorted(collected.policies["MemoryPolicy"]),
        rollouts=_sorted(collected.policies["RolloutPolicy"]),
        guardrails=_sorted(collected.policies["Guardrail"]),
        services=tuple(sorted(services, key=lambda s: s.key)),
        foreign=collected.foreign,
        broken=broken,
    )
    return policy_set, tuple(sorted(collected.findings))


def _sorted(policies: dict[str, Policy[Any]]) -> dict[str, Policy[Any]]:
    return dict(sorted(policies.items()))


def _collect(document: Document, collected: _Collected) -> None:
    kind = _kind(document, collected)
    if kind is None:
        return
    checked = check(document, kind)
    collected.findings += checked.diagnostics
    name = _name(document, kind)
    if checked.model is None:
        collected.broken.add((kind, name.rpartition("/")[2]))
        return
    spec = checked.model if kind == "ModelService" else checked.model.spec
    policy: Policy[Any] = Policy(name, spec, document, checked.unsure, checked.put_aside)
    first = collected.policies[kind].setdefault(name, policy)
    if first.document.value != document.value:
        collected.findings.append(_duplicate(kind, first, policy))


def _kind(document: Document, collected: _Collected) -> str | None:
    """The kind of a document of ours that can be judged, else None."""
    value = document.value
    version = value.get("apiVersion") if isinstance(value, dict) else None
    kind = value.get("kind") if isinstance(value, dict) else None
    ours = isinstance(version, str) and version.startswith(_GROUP)
    if not ours and not (version is None and isinstance(kind, str) and kind in KINDS):
        collected.foreign += 1
        return None
    if ours and isinstance(kind, str) and (version != API_VERSION or kind not in KINDS):
        # What refers to it proves nothing: it is there, under a word that is misspelled.
        meant = kind if kind in KINDS else nearest(kind, KINDS)
        collected.broken.add((meant or "", _name(document, "").rpartition("/")[2]))
    if ours and version != API_VERSION:
        collected.findings.append(_unknown_version(document, str(version)))
        return None
    if isinstance(kind, str) and kind in KINDS:
        return kind
    collected.findings.append(_unknown_kind(document, kind))
    return None


def _unknown_version(document: Document, version: str) -> Diagnostic:
    path: KeyPath = ("apiVersion",)
    message = f"apiVersion {version} is not known; {API_VERSION} is"
    return finding("policy/unknown-version", message, document.span_of(path), path, f"Write {API_VERSION}.")


def _unknown_kind(document: Document, kind: object) -> Diagnostic:
    path: KeyPath = ("kind",)
    near = nearest(kind, KINDS) if isinstance(kind, str) else None
    known = ", ".join(KINDS)
    message = f"kind is {shown(kind)}; known are {known}"
    return finding(
        "policy/unknown-kind", message, document.span_of(path), path, f"Write {near or f'one of {known}'}."
    )


def _name(document: Document, kind: str) -> str:
    """The key of a policy: its name, for a service with the namespace before it."""
    value = document.value
    metadata = value.get("metadata") if isinstance(value, dict) else None
    given = metadata if isinstance(metadata, dict) else {}
    name = given.get("name")
    plain = name if isinstance(name, str) else ""
    if kind != "ModelService":
        return plain
    namespace = given.get("namespace")
    return f"{namespace if isinstance(namespace, str) else 'default'}/{plain}"


def _duplicate(kind: str, first: Policy[Any], second: Policy[Any]) -> Diagnostic:
    path: KeyPath = ("metadata", "name")
    return finding(
        "policy/duplicate-name",
        f"{kind} `{second.name}` is there twice; the first is at {first.span(*path)}",
        second.span(*path),
        path,
        "Rename or remove one of them.",
        related=(RelatedSpan(first.span(*path), "the first"),),
    )


def _service(
    policy: Policy[Any], policies: dict[str, dict[str, Policy[Any]]], broken: frozenset[tuple[str, str]]
) -> tuple[Service, list[Diagnostic]]:
    machine, one = assemble("machine", MachineSpec, policy, policies["MachinePolicy"], broken)
    task, two = assemble("task", TaskSpec, policy, policies["TaskPolicy"], broken)
    memory, three = assemble("memory", MemorySpec, policy, policies["MemoryPolicy"], broken)
    rollout, four = assemble("rollout", RolloutSpec, policy, policies["RolloutPolicy"], broken)
    findings = [*one, *two, *three, *four, *check_environment(policy), *_fleet_reference(policy, policies, broken)]
    return Service(policy, machine, task, memory, rollout), findings


def _fleet_reference(
    policy: Policy[Any], policies: dict[str, dict[str, Policy[Any]]], broken: frozenset[tuple[str, str]]
) -> list[Diagnostic]:
    fleet, path = policy.spec.spec.fleet, ("spec", "fleet")
    if fleet in policies["Fleet"] or ("Fleet", fleet) in broken or path in policy.unsure:
        return []
    return [unknown_name("Fleet", fleet, policies["Fleet"], policy, path)]


def _checks(policies: dict[str, dict[str, Policy[Any]]]) -> list[Diagnostic]:
    findings: list[Diagnostic] = []
    for section, kind in SECTIONS.items():
        for policy in policies[kind].values():
            findings += unknown_locks(section, policy)
    for policy in policies["Fleet"].values():
        findings += check_fleet(policy)
    return findings
