"""The source line below a finding: none that may hold a secret."""

from __future__ import annotations

from controlplane.cli.views.findings_text import Source, render, shown_source
from controlplane.diagnostics import Diagnostic, KeyPath, Layer, Severity, Span


def finding(line: int, path: KeyPath = ("spec", "fleet")) -> Diagnostic:
    return Diagnostic("policy/x", Severity.ERROR, Layer.POLICY, "wrong", Span("a.yaml", line, 1, line, 5), path)


def test_line_is_shown_with_carets() -> None:
    assert shown_source(finding(1), Source(["fleet: x"])) == ["1 | fleet: x", "  | ^^^^"]


def test_environment_is_never_shown() -> None:
    assert shown_source(finding(1, ("spec", "env", 0, "value")), Source(["- {name: A, value: x}"])) == []


def test_line_with_a_token_is_not_shown() -> None:
    for line in ("secret_token: hunter2", "name: hf_abcdefghijklmnopqrstuv"):
        assert shown_source(finding(1), Source([line])) == ["(the line may hold a secret, so it is not shown)"]


def test_unreadable_line_of_a_variable_is_not_shown() -> None:
    line = '- {name: X, value: "hunter2}'
    assert shown_source(finding(1, ()), Source([line])) == ["(the line may hold a secret, so it is not shown)"]


def test_place_behind_the_end_has_no_line() -> None:
    assert shown_source(finding(7), Source(["a"])) == []
    assert "wrong" in render([finding(7)], {"a.yaml": "a"}, colour=False)
