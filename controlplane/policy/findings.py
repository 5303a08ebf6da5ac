"""How this package makes its findings."""

from __future__ import annotations

from controlplane.diagnostics import (
    Applicability,
    Diagnostic,
    Edit,
    Evidence,
    KeyPath,
    Layer,
    RelatedSpan,
    Remedy,
    Severity,
    Span,
)
from controlplane.policy.secrets import without_secrets
from controlplane.source import printable


def finding(
    rule: str,
    message: str,
    span: Span,
    path: KeyPath,
    remedy: str,
    *,
    severity: Severity = Severity.ERROR,
    layer: Layer = Layer.POLICY,
    evidence: tuple[Evidence, ...] = (),
    related: tuple[RelatedSpan, ...] = (),
) -> Diagnostic:
    """A finding with a remedy in words.

    Keys and values of the user stand in both, so both are made printable and lose what looks like a secret.
    """
    advice = Remedy(without_secrets(printable(remedy)))
    fact = without_secrets(printable(message))
    return Diagnostic(rule, severity, layer, fact, span, path, advice, evidence, related)


def replacing(text: str, span: Span, new_text: str, applicability: Applicability) -> Remedy:
    """A remedy that replaces the characters of one place."""
    return Remedy(printable(text), (Edit(span, new_text),), applicability)
