"""Findings as text and as JSON."""

from __future__ import annotations

import json

from controlplane.cli.views import findings_json, findings_text
from controlplane.diagnostics import (
    Applicability,
    Diagnostic,
    Edit,
    Evidence,
    Layer,
    RelatedSpan,
    Remedy,
    Severity,
    Span,
)

SPAN = Span("p.yaml", 2, 4, 2, 6)
FINDING = Diagnostic(
    "policy/ambiguous-scalar",
    Severity.ERROR,
    Layer.POLICY,
    "`no` is a string here and false to Kubernetes",
    SPAN,
    ("spec", "items", 0),
    Remedy("Quote it.", (Edit(SPAN, '"no"'),), Applicability.SAFE),
    (Evidence("read by Kubernetes as", False, "sigs.k8s.io/yaml 1.6"),),
    (RelatedSpan(Span("p.yaml", 1, 1, 1, 2), "used here"),),
)
TEXTS = {"p.yaml": "a:\n - no\n"}


def test_text_shows_place_line_caret_evidence_and_remedy() -> None:
    text = findings_text.render([FINDING], TEXTS, colour=False)
    lines = text.splitlines()
    assert lines[0] == "p.yaml:2:4: error: `no` is a string here and false to Kubernetes [policy/ambiguous-scalar]"
    caret = next(line for line in lines if "^" in line)
    source = lines[lines.index(caret) - 1]
    assert source[caret.index("^") : caret.rindex("^") + 1] == "no"
    assert "  note: p.yaml:1:1: used here" in lines
    assert "  evidence: read by Kubernetes as = False (sigs.k8s.io/yaml 1.6)" in lines
    assert "  remedy: Quote it." in lines
    assert lines[-1] == "1 error"


def test_json_has_the_shared_shape() -> None:
    document = json.loads(findings_json.render([FINDING]))
    assert document["format_version"] == "1.0"
    assert document["summary"] == "1 error"
    [found] = document["findings"]
    assert (found["line"], found["column"], found["end_line"], found["end_column"]) == (2, 4, 2, 6)
    assert found["path"] == "spec.items[0]"
    assert found["evidence"] == [
        {"fact": "read by Kubernetes as", "value": False, "unit": "", "source": "sigs.k8s.io/yaml 1.6"}
    ]
    assert found["remedy"]["applicability"] == "safe"
    assert found["remedy"]["edits"][0]["new_text"] == '"no"'


def test_findings_are_sorted_by_place_whatever_their_order() -> None:
    later = Diagnostic("policy/x", Severity.WARNING, Layer.POLICY, "later", Span("p.yaml", 9, 1, 9, 2))
    assert findings_text.render([later, FINDING], TEXTS, colour=False) == findings_text.render(
        [FINDING, later], TEXTS, colour=False
    )


def test_nothing_found_says_so() -> None:
    assert findings_text.render([], {}, colour=False) == "no findings"
