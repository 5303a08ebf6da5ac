"""What an organisation's guardrails say, for every verb that reads policies."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.diagnostics import Diagnostic
from controlplane.frozen import frozen

if TYPE_CHECKING:
    from controlplane.guardrails.guardrails import CompiledRule, Exempted
    from controlplane.policy.policy_set import PolicySet
    from controlplane.stack.model import Stack


@frozen
class GuardrailFindings:
    """Findings, those that an exception accepts, and the rules that were asked."""

    findings: tuple[Diagnostic, ...] = ()
    exempted: tuple[Exempted, ...] = ()


def guardrail_findings(policies: PolicySet, stacks: Iterable[Stack]) -> GuardrailFindings:
    """What the Guardrails among the policies say of these Stacks and of the services.

    Ends the verb with 3 where there are Guardrails and nothing to evaluate them with.
    """
    if not policies.guardrails:
        return GuardrailFindings()
    need_cel()
    from controlplane.guardrails.guardrails import compiled, hold

    today = datetime.now(UTC).date()
    rules: list[CompiledRule] = []
    findings: list[Diagnostic] = []
    for guardrail in policies.guardrails.values():
        made, wrong = compiled(guardrail, today)
        rules += made
        findings += wrong
    exempted: list[Exempted] = []
    services = policies.services
    for stack in stacks:
        held = hold(rules, stack, services)
        services = ()  # what a policy says is asked once
        findings += held.findings
        exempted += held.exempted
    return GuardrailFindings(tuple(sorted(set(findings))), tuple(exempted))


def has_cel() -> bool:
    """Whether CEL is installed."""
    return find_spec("cel_expr_python") is not None and find_spec("google.protobuf") is not None


def need_cel() -> None:
    """Ends the verb with 3 where CEL is not installed."""
    if not has_cel():
        raise VerbEnd(
            Exit.CANNOT_TELL,
            "there are Guardrails, and nothing to evaluate CEL with",
            "Install controlplane[guardrails].",
        )
