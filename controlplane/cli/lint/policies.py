"""Our own policies: what loading and resolving them says, and what the rules say of the Stack they make.

Imported only where the input holds a policy or a Fleet is named, since the models cost time to define.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from controlplane.cli.compilation import compile_paths, told_once
from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.guardrail_findings import guardrail_findings, has_cel
from controlplane.cli.lint.judging import Court, Machines, Verdict, merged
from controlplane.cli.lint.report import SuppressedFinding
from controlplane.cli.sources import read_sources
from controlplane.diagnostics import Diagnostic, Layer, Remedy, Severity, has_errors
from controlplane.frozen import frozen
from controlplane.policy import load_policies, resolve_all
from controlplane.policy.policy_set import PolicySet
from controlplane.policy.resolve import Resolution
from controlplane.source import Dialect, Document, printable, read_yaml
from controlplane.stack.model import Stack

if TYPE_CHECKING:
    from controlplane.policy.fleet import FleetSpec
    from controlplane.policy.policy_set import Policy


_UNKNOWN_FLEET: Final = """\
apiVersion: controlplane.dev/v1alpha1
kind: Fleet
metadata: {name: unknown}
spec:
  versions: {kubernetes: 1.36.3}
  pools:
    - {name: unknown, accelerator: {product: unknown, count: 64}, nodes: 5000, cpu: 1000, memory: 1Pi}
"""
"""Stands in where there is no Fleet, so that what does not depend on machines is judged."""


_TOLD_BY_RULES_TOO: Final = frozenset({"policy/arguments-exclude-each-other"})
"""Not always an error, and what rules of vllm/ say of manifests as well."""


@frozen
class Given:
    """What of the policies a run was given: all of them, or some files; and the file of `--fleet`."""

    is_whole: bool = True
    fleet: str = ""


@frozen
class PolicyVerdict:
    """What came of the policies; `machines` where a Fleet among them describes some."""

    policies: PolicySet
    verdict: Verdict
    machines: Machines | None


def judge_policies(
    documents: Sequence[Document], reading: Sequence[Diagnostic], court: Court, given: Given
) -> PolicyVerdict:
    """Judge policies of one run together. `reading` are the findings of the YAML reader about their files.

    A fault that resolving refuses is not told again by a rule that sees its consequence at the same place.
    """
    policies, loading = load_policies([*documents, *_fleets_beside(documents, given.fleet)])
    if not given.is_whole:
        loading = tuple(_not_given(f) if f.rule == "policy/unknown-reference" else f for f in loading)
    resolution = _resolved(policies)
    findings = told_once(reading, (*loading, *resolution.findings))
    refused = {f.span for f in findings if f.severity is Severity.ERROR or f.rule in _TOLD_BY_RULES_TOO}
    judged = court.stack(resolution.stack, documents[0].span)
    kept = tuple(finding for finding in judged.findings if finding.span not in refused)
    verdict = merged([Verdict(findings), replace(judged, findings=kept)])
    return PolicyVerdict(policies, verdict, _machines(resolution.stack))


def _resolved(policies: PolicySet) -> Resolution:
    if policies.fleets:
        return resolve_all(policies)
    on_unknown = resolve_all(replace(policies, fleets=_unknown_fleet()))
    return Resolution(Stack(), {}, tuple(f for f in on_unknown.findings if f.span.file))


def _fleets_beside(documents: Sequence[Document], fleet: str) -> list[Document]:
    """The Fleets of `--fleet` that the input does not hold itself; `machines_of_fleet` has read them before."""
    if not fleet:
        return []
    mine = {_fleet_name(document) for document in documents}
    sources = read_sources([fleet])
    beside = [d for s in sources for d in read_yaml(s.data, s.name, Dialect.POLICY).documents]
    return [document for document in beside if _fleet_name(document) not in {None, *mine}]


def _fleet_name(document: Document) -> str | None:
    value = document.value
    if not isinstance(value, dict) or value.get("kind") != "Fleet":
        return None
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""


def _not_given(finding: Diagnostic) -> Diagnostic:
    """A reference to a policy that may be in a file that this run was not given."""
    fact = finding.message.partition("; there ")[0]
    return replace(
        finding,
        rule="policy/reference-not-given",
        severity=Severity.INFO,
        message=f"{fact} in the input; what depends on it is not judged",
        remedy=Remedy("Lint the whole folder, or name the Fleet with --fleet."),
    )


@cache
def _unknown_fleet() -> Mapping[str, Policy[FleetSpec]]:
    """The stand-in under a name that no service can write."""
    policies, _ = load_policies(read_yaml(_UNKNOWN_FLEET.encode(), "", Dialect.POLICY).documents)
    return {"": replace(policies.fleets["unknown"], name="")}


def guarded(policies: PolicySet, stacks: Sequence[Stack]) -> tuple[Verdict, tuple[SuppressedFinding, ...]]:
    """What the Guardrails among the policies say of every Stack, and what their exceptions accept.

    Without CEL that is one finding, so that all that does not need it is still told.
    """
    if policies.guardrails and not has_cel():
        return Verdict((_not_evaluated(policies),)), ()
    held = guardrail_findings(policies, stacks)
    accepted = tuple(SuppressedFinding(entry.finding, "exception", entry.reason) for entry in held.exempted)
    return Verdict(held.findings), accepted


def _not_evaluated(policies: PolicySet) -> Diagnostic:
    first = next(iter(policies.guardrails.values()))
    count = sum(len(guardrail.spec.rules) for guardrail in policies.guardrails.values())
    names = ", ".join(policies.guardrails)
    return Diagnostic(
        "guardrail/not-evaluated",
        Severity.ERROR,
        Layer.POLICY,
        f"{count} rules of Guardrails ({printable(names)}) were not asked: CEL is not installed",
        first.document.key_span(("spec", "rules")),
        ("spec", "rules"),
        Remedy("Install controlplane[guardrails], or say --ignore guardrail/not-evaluated."),
    )


def machines_of_fleet(path: str) -> Machines:
    """The machines of the Fleet in a file or folder. Raises `VerbEnd` where it has errors or there is none."""
    compilation = compile_paths([path])
    if has_errors(compilation.findings):
        first = next(finding for finding in compilation.findings if finding.severity is Severity.ERROR)
        raise VerbEnd(
            Exit.USAGE, f"{first.span}: {first.message}", "Lint the Fleet by itself, and name it when it is clean."
        )
    machines = _machines(compilation.resolution.stack)
    if machines is None:
        raise VerbEnd(Exit.USAGE, f"{path} does not hold exactly one Fleet", "Name the file of one Fleet.")
    return machines


def _machines(stack: Stack) -> Machines | None:
    if "Node" not in stack.context.complete:
        return None
    return Machines(stack.inventory, stack.context.versions)
