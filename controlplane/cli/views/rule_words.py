"""What every format says about a rule: from its file, or from `cli/explanations` where it has none."""

from __future__ import annotations

from controlplane.cli.explanations import EXPLANATIONS
from controlplane.cli.lint.report import LintReport
from controlplane.diagnostics import Diagnostic, Severity
from controlplane.frozen import frozen

SITE = "https://controlplane.dev/rules"


@frozen
class RuleWords:
    """A rule's id, what it is about, why it matters and what to do."""

    id: str
    title: str
    why: str
    remedy: str
    severity: Severity
    layer: str = ""

    @property
    def address(self) -> str:
        """Where its page is."""
        return f"{SITE}/{self.id}"


def words_of(report: LintReport) -> tuple[RuleWords, ...]:
    """All rules that ran, and those of all findings, in the order of the ids."""
    findings = (*report.findings, *(entry.finding for entry in report.suppressed))
    known = {
        e.id: RuleWords(e.id, e.title, e.rule.rationale, e.rule.remedy, e.rule.severity, e.rule.layer.value)
        for e in report.rules
    }
    for finding in findings:
        if finding.rule not in known:
            known[finding.rule] = _explained(finding)
    return tuple(known[rule] for rule in sorted(known))


def _explained(finding: Diagnostic) -> RuleWords:
    entry = EXPLANATIONS.get(finding.rule)
    if entry is None:
        # A rule of the organisation's own: its message is all there is.
        return RuleWords(finding.rule, finding.rule, finding.rule, "", finding.severity, finding.layer.value)
    return RuleWords(finding.rule, entry.title, entry.why, entry.remedy, entry.severity)
