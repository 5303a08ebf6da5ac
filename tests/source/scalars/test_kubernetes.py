"""Compares with recorded answers of sigs.k8s.io/yaml; see tests/source/oracle."""

from __future__ import annotations

import json
from typing import Any

import pytest

from controlplane.diagnostics import has_errors
from controlplane.source import Dialect, read_yaml
from tests.source.oracle_answers import answers

ANSWERS = answers("kubernetes_scalars")


def as_kubernetes_decodes(text: str) -> Any:
    """JSON as apimachinery decodes it: a whole number is an int64, or else a float64."""
    return json.loads(text, parse_int=lambda digits: int(digits) if abs(int(digits)) < 2**64 else float(digits))


@pytest.mark.parametrize("answer", ANSWERS, ids=[repr(answer["text"]) for answer in ANSWERS])
def test_document_is_what_kubernetes_reader_makes_of_it(answer: dict[str, Any]) -> None:
    result = read_yaml(answer["text"].encode(), "object.yaml", Dialect.KUBERNETES)
    if "error" in answer:
        assert has_errors(result.diagnostics)
        return
    assert not has_errors(result.diagnostics)
    read = result.documents[0].value if result.documents else None
    wanted = as_kubernetes_decodes(answer["json"])
    assert (read, _types(read)) == (wanted, _types(wanted)) or _as_floats(read) == _as_floats(wanted)


def _types(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _types(item) for key, item in value.items()}
    return [_types(item) for item in value] if isinstance(value, list) else type(value)


def _as_floats(value: Any) -> Any:
    """Only for integers beyond an int64, which Kubernetes reads as floats."""
    beyond = isinstance(value, int | float) and abs(value) >= 2**63
    if isinstance(value, dict):
        return {key: _as_floats(item) for key, item in value.items()}
    return float(value) if beyond else (type(value), value)


def test_table_covers_every_kind_of_spelling() -> None:
    texts = {answer["text"] for answer in ANSWERS}
    assert len(texts) > 500
    for text in ("v: no", "v: y", "v: on", "v: 012", "v: 1_000", "v: 12:30", "v: 2026-01-01", "v: !!str 1", "1: v"):
        assert text in texts
