"""Compares with PyYAML's own `safe_load`, which vLLM calls."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
import yaml

from controlplane.diagnostics import has_errors
from controlplane.source import Dialect, read_yaml
from controlplane.source.scalars.vllm import is_timestamp
from tests.source.oracle_answers import answers

# Not compared: keys that are no texts (refused here; vLLM joins a key to "--" and fails), tags of collections, and
# plain scalars that PyYAML turns into objects that are no scalars.
TEXTS = [answer["text"] for answer in answers("kubernetes_scalars") if answer["text"].startswith("v: ")]


def _safe_load(text: str) -> Any:
    return yaml.safe_load(text)


def _comparable(value: Any) -> Any:
    if isinstance(value, datetime.date):
        return str(value)
    if isinstance(value, dict):
        return {key: _comparable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    return (type(value), repr(value))


@pytest.mark.parametrize("text", TEXTS, ids=[repr(text) for text in TEXTS])
def test_document_is_what_safe_load_makes_of_it(text: str) -> None:
    result = read_yaml(text.encode(), "vllm.yaml", Dialect.VLLM)
    try:
        wanted = _safe_load(text)
    except Exception:
        assert has_errors(result.diagnostics)
        return
    if isinstance(wanted["v"], set | bytes) or "!!omap" in text:
        assert has_errors(result.diagnostics)
        return
    assert not has_errors(result.diagnostics)
    read: Any = result.documents[0].value
    date = wanted["v"] if isinstance(wanted["v"], datetime.date) else None
    assert _comparable(read) == _comparable(wanted if date is None else {"v": str(date)})


@pytest.mark.parametrize(("text", "dated"), [("2026-01-01", True), ("2026-01-01 10:00:00", True), ("12:30", False)])
def test_date_is_told_from_other_scalars(text: str, dated: bool) -> None:
    assert is_timestamp(text) is dated


def test_merge_never_replaces_a_key_as_in_safe_load() -> None:
    text = "a: &x {key: 1, other: 2}\nb: {key: 3, <<: *x}\nc: {<<: *x, key: 3}\nd: &y {<<: *x, third: 4}\ne: {<<: *y}"
    result = read_yaml(text.encode(), "vllm.yaml", Dialect.VLLM)
    assert (result.diagnostics, result.documents[0].value) == ((), _safe_load(text))


def test_key_of_several_merged_mappings_is_a_warning_because_versions_of_pyyaml_differ() -> None:
    text = "a: &x {key: 1}\nb: &y {key: 2}\nc: {<<: [*x, *y]}"
    result = read_yaml(text.encode(), "vllm.yaml", Dialect.VLLM)
    (found,) = result.diagnostics
    assert (found.rule, found.path, result.documents[0].value["c"]) == ("yaml/merge-key", ("c",), {"key": 1})
