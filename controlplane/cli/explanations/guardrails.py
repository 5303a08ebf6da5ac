"""Findings about guardrails themselves: rules that cannot be read, exceptions that do not hold."""

from __future__ import annotations

from controlplane.cli.explanations.explanation import Explanation
from controlplane.diagnostics import Severity

GUARDRAILS = {
    "guardrail/expression": Explanation(
        "An expression of a guardrail cannot be read.",
        Severity.ERROR,
        "Its syntax is wrong, or it asks for a field or compares types that do not go together. It would never say "
        "anything, and look as if all were well.",
        "Correct the expression at the place that the message names.",
    ),
    "guardrail/duplicate-id": Explanation(
        "A guardrail has two rules with the same id.",
        Severity.ERROR,
        "Exceptions and comments go by the id, so it could not be told which is meant.",
        "Rename one of them.",
    ),
    "guardrail/unknown-rule": Explanation(
        "An exception or a test names a rule that the guardrail does not have.",
        Severity.ERROR,
        "It would have no effect.",
        "Write the id of one of the rules.",
    ),
    "guardrail/not-evaluated": Explanation(
        "The rules of Guardrails were not asked.",
        Severity.ERROR,
        "CEL, which their expressions are written in, is an extra and is not installed. What lint knows itself is "
        "told, but silence says nothing of the organisation's own rules. Verbs that render, plan and apply refuse.",
        "Install controlplane[guardrails].",
    ),
    "guardrail/no-date": Explanation(
        "An exception ends on something that is no day.",
        Severity.ERROR,
        "It could not be told when the exception is over.",
        "Write the day as YYYY-MM-DD, in quotes.",
    ),
    "guardrail/exception-expired": Explanation(
        "An exception of a guardrail is over.",
        Severity.ERROR,
        "Somebody decided to live with the finding up to that day. Since then it counts again.",
        "Repair what it allowed and remove it, or decide again and write a later day.",
    ),
}
