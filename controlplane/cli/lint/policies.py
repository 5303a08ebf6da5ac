"""Our own policies: what loading and resolving them says, and what the rules say of the Stack they make.

Imported only where the input holds a policy or a Fleet is named, since the models cost time to define.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from controlplane.cli.compilation import compile_paths, told_once
from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.guardrail_findings import guardrail_findings, has_cel
from controlplane.cli.lint.judging import Court, Machines, Verdict, merged
from controlplane.cli.lint.report import SuppressedFinding
from controlplane.diagnostics import Diagnostic, Layer, Remedy, Severity, has_errors
from controlplane.frozen import frozen
from controlplane.policy import load_policies, resolve_all
from controlplane.policy.policy_set import PolicySet
from controlplane.source import Document, printable
from controlplane.stack.model import Stack


@frozen
class PolicyVerdict:
    """What came of the policies; `machines` where a Fleet among them describes some."""

    policies: PolicySet
    verdict: Verdict
    machines: Machines | None


def judge_policies(documents: Sequence[Document], reading: Sequence[Diagnostic], court: Court) -> PolicyVerdict:
    """Judge policies of one run together. `reading` are the findings of the YAML reader about their files.

    A fault that resolving refuses is not told again by a rule that sees its consequence at the same place.
    """
    policies, loading = load_policies(documents)
    resolution = resolve_all(policies)
    findings = told_once(reading, (*loading, *resolution.findings))
    refused = {finding.span for finding in findings if finding.severity is Severity.ERROR}
    judged = court.stack(resolution.stack, documents[0].span)
    kept = tuple(finding for finding in judged.findings if finding.span not in refused)
    verdict = merged([Verdict(findings), replace(judged, findings=kept)])
    return PolicyVerdict(policies, verdict, _machines(resolution.stack))


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
