"""Findings of lint about what it was told: comments that accept findings."""

from __future__ import annotations

from controlplane.cli.explanations.explanation import Explanation
from controlplane.diagnostics import Severity

LINT = {
    "suppression/malformed": Explanation(
        "A comment means to accept findings and cannot be read.",
        Severity.ERROR,
        "It has no reason, no list of rules, no date behind `until`, or a misspelt word. It accepts nothing: were it "
        "guessed at, a slip of the pen could hide a fault that nobody meant to accept.",
        "Write it as `# controlplane: ignore[family/rule] reason`, with `until YYYY-MM-DD:` before the reason if it "
        "is to end.",
    ),
    "suppression/expired": Explanation(
        "A comment accepts findings until a day that is over.",
        Severity.ERROR,
        "Somebody decided to live with the finding up to that day. Since then it counts again.",
        "Repair what it accepted and remove the comment, or decide again and write a later date.",
    ),
    "suppression/unused": Explanation(
        "A comment accepts a finding that is not there.",
        Severity.WARNING,
        "What it was written for has been repaired, or it stands at the wrong line. Left in place, it would hide "
        "the next fault of that kind.",
        "Remove the comment, or the rule's name from it; `lint --fix` does so.",
    ),
    "suppression/unknown-rule": Explanation(
        "A comment names a rule that does not exist.",
        Severity.WARNING,
        "The name is misspelt, or the rule is no longer there; the comment accepts nothing by it.",
        "Write a rule's id as findings show it, or a family with its slash, such as `vllm/`.",
    ),
}
