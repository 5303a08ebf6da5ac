"""What the operator and Serve themselves said of the examples: they refuse what rules call refused, and nothing else.

The answers were recorded with the programs in `recording/`; an example that was changed has to be asked about again.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from controlplane.diagnostics import Severity
from controlplane.rules import CataloguedRule, catalogue
from tests.rules.judging import findings_of

_RECORDED = json.loads((Path(__file__).parent / "recording" / "answers.json").read_text())["rules"]
_RULES = {entry.id: entry for entry in catalogue()}
_EXAMPLES = [
    pytest.param(_RULES[rule], answer, id=f"{rule}-{answer['example']}")
    for rule, answers in _RECORDED.items()
    for answer in answers
]
_ASKED_LATER = {"ray/placement-group-in-wrong-place", "ray/llm-engine-kwarg-refused"}
"""Refused where the engine's configuration is made, which needs vLLM."""

_NEWER = {("ray/incremental-upgrade-incomplete", "bad 1")}
"""Refused from KubeRay 1.7 on, which has no module to ask."""


def text_of(entry: CataloguedRule, answer: dict[str, Any]) -> str:
    kind, _, number = answer["example"].partition(" ")
    return (entry.rule.bad if kind == "bad" else entry.rule.good)[int(number)]


@pytest.mark.parametrize(("entry", "answer"), _EXAMPLES)
def test_answer_is_about_the_example_as_it_is(entry: CataloguedRule, answer: dict[str, Any]) -> None:
    digest = hashlib.sha256(text_of(entry, answer).encode()).hexdigest()[:16]
    assert digest == answer["digest"], "the example was changed: record its answers anew"


@pytest.mark.parametrize(("entry", "answer"), _EXAMPLES)
def test_refused_example_is_an_error_and_taken_one_is_good(entry: CataloguedRule, answer: dict[str, Any]) -> None:
    refused = bool(answer["operator"] or answer["serve"])
    found = [finding for finding in findings_of(text_of(entry, answer)) if finding.rule == entry.id]
    if refused:
        assert any(finding.severity is Severity.ERROR for finding in found)
    elif (entry.id, answer["example"]) not in _NEWER:
        assert not any("refuses" in finding.message for finding in found)


@pytest.mark.parametrize("entry", [pytest.param(e, id=e.id) for e in catalogue() if e.id.startswith("ray/")])
def test_rule_that_says_refused_was_checked_with_who_refuses(entry: CataloguedRule) -> None:
    said = [f.message for text in entry.rule.bad for f in findings_of(text) if f.rule == entry.id]
    answers = [answer for answer in _RECORDED.get(entry.id, ()) if answer["example"].startswith("bad")]
    if any("KubeRay refuses" in message for message in said):
        assert any(answer["operator"] for answer in answers)
    if any("Serve refuses" in m or "Serve LLM refuses" in m for m in said) and entry.id not in _ASKED_LATER:
        assert any(answer["serve"] for answer in answers)
