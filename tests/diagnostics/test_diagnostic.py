from __future__ import annotations

import pytest

from controlplane.diagnostics import Diagnostic, Layer, Severity, Span, has_errors


def diagnostic(
    line: int, severity: Severity = Severity.ERROR, rule: str = "policy/x", message: str = "m"
) -> Diagnostic:
    return Diagnostic(rule, severity, Layer.POLICY, message, Span("f", line, 1, line, 2))


def test_diagnostics_are_ordered_by_place_then_severity_then_rule_then_message() -> None:
    ordered = [
        diagnostic(1, Severity.INFO),
        diagnostic(2, Severity.ERROR, "policy/b"),
        diagnostic(2, Severity.WARNING, "policy/a", "m"),
        diagnostic(2, Severity.WARNING, "policy/a", "n"),
        diagnostic(2, Severity.INFO, "policy/a"),
    ]
    assert sorted([ordered[i] for i in (3, 0, 4, 2, 1)]) == ordered


@pytest.mark.parametrize(
    ("severities", "errors"),
    [([], False), ([Severity.WARNING, Severity.INFO], False), ([Severity.WARNING, Severity.ERROR], True)],
)
def test_only_an_error_is_an_error(severities: list[Severity], errors: bool) -> None:
    assert has_errors(diagnostic(1, severity) for severity in severities) is errors


def test_diagnostics_can_be_kept_in_a_set() -> None:
    assert len({diagnostic(1), diagnostic(1), diagnostic(2)}) == 2


@pytest.mark.parametrize("layer", ["policy", "kubernetes", "ray", "serve", "vllm", "kv-transfer", "cross", "none"])
def test_layer_is_written_as_in_a_rule_id(layer: str) -> None:
    assert Layer(layer) == layer
