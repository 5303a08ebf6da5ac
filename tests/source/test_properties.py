"""Properties that hold for any bytes and any values. Examples are drawn the same way in every run."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.diagnostics import KeyPath, Span
from controlplane.source import Dialect, Document, ReadResult, Value, read_yaml
from tests.source.reading import slice_of

TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Zl", "Zp"], exclude_characters="\ufffe\uffff")
)
INTEGERS = st.integers(-(2**63), 2**64 - 1)
# Whole floats beyond 2^53 come back from Kubernetes' JSON as integers of the same digits.
FLOATS = st.floats(-1e15, 1e15, allow_nan=False)
SCALARS = st.none() | st.booleans() | INTEGERS | FLOATS | TEXT
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=25
)
COLLECTIONS = st.lists(VALUES, min_size=1, max_size=4) | st.dictionaries(TEXT, VALUES, min_size=1, max_size=4)
# Pieces that mean something to a YAML reader, in any order: nearly all of it is broken, all in other ways.
PIECES = st.lists(
    st.sampled_from(
        [
            "a",
            "b: ",
            "- ",
            "? ",
            ": ",
            "\n",
            "\n  ",
            "\n\t",
            "[",
            "]",
            "{",
            "}",
            ", ",
            "&x ",
            "*x",
            "!y ",
            "!!str ",
            "|\n",
            ">-\n",
            "'",
            '"',
            "#",
            " ",
            "---\n",
            "...\n",
            "<<: ",
            "%YAML 1.2\n",
            "%TAG ! x\n",
            "no",
            "012",
            "1e3",
            "\\",
            "\r\n",
            "\r",
            "\x85",
            "\u2028",
            "\ufeff",
            "\x00",
            "\u202e",
            "é",
            "😀",
            "@",
            "~",
            "1: ",
        ]
    ),
    max_size=40,
).map("".join)
RUNS = settings(max_examples=100, deadline=None, derandomize=True, database=None)


def _check_result(result: ReadResult) -> None:
    """What holds for every result, whatever was read."""
    assert list(result.diagnostics) == sorted(result.diagnostics)
    for found in result.diagnostics:
        _check_span(found.span)
        assert found.rule.startswith("yaml/")
        assert found.message
        assert found.remedy is not None
        for edit in found.remedy.edits:
            _check_span(edit.span)
    for doc in result.documents:
        _check_document(doc)
    indices = [doc.index for doc in result.documents]
    assert indices == sorted(set(indices))


def _check_span(span: Span) -> None:
    assert (1, 1) <= (span.line, span.column) <= (span.end_line, span.end_column)


def _check_document(doc: Document) -> None:
    assert list(doc.places) == list(_paths(doc.value))
    assert len(doc.places) == len(list(doc.places))
    for path, place in doc.places.items():
        assert doc.span_of(path) == place.value
        for span in (place.value, place.key, place.anchor):
            if span is not None:
                _check_span(span)


def _paths(value: Value, path: KeyPath = ()) -> list[KeyPath]:
    found: list[KeyPath] = [path]
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for part, item in items:
        found += _paths(item, (*path, part))
    return found


@RUNS
@given(data=st.binary(max_size=200), dialect=st.sampled_from(Dialect))
def test_any_bytes_give_documents_or_findings_and_never_raise(data: bytes, dialect: Dialect) -> None:
    result = read_yaml(data, "f.yaml", dialect)
    assert result.documents or result.diagnostics
    _check_result(result)


@RUNS
@given(text=PIECES, dialect=st.sampled_from(Dialect))
def test_any_broken_yaml_gives_documents_or_findings_and_never_raises(text: str, dialect: Dialect) -> None:
    result = read_yaml(text.encode(), "f.yaml", dialect)
    assert result.documents or result.diagnostics
    _check_result(result)


@RUNS
@given(value=COLLECTIONS, flow=st.sampled_from([True, False]), dialect=st.sampled_from(Dialect))
def test_quoted_values_come_back_in_every_dialect(value: Any, flow: bool, dialect: Dialect) -> None:
    text = _quoted(value, flow)
    result = read_yaml(text.encode(), "f.yaml", dialect)
    (doc,) = result.documents
    assert {d.rule for d in result.diagnostics} <= {"yaml/ambiguous-scalar"}
    assert doc.value == value
    _check_result(result)


def _quoted(value: Any, flow: bool) -> str:
    """All texts in double quotes, keys too; numbers as JSON writes them, whose floats (`1e+16`) may be ambiguous."""

    class Quoting(yaml.SafeDumper):
        pass

    def text(dumper: yaml.SafeDumper, data: str) -> yaml.Node:
        return dumper.represent_scalar("tag:yaml.org,2002:str", data, style='"')

    def number(dumper: yaml.SafeDumper, data: float) -> yaml.Node:
        return dumper.represent_scalar("tag:yaml.org,2002:float", _json_float(data))

    Quoting.add_representer(str, text)
    Quoting.add_representer(float, number)
    return str(yaml.dump(value, Dumper=Quoting, default_flow_style=flow, allow_unicode=True, sort_keys=False))


def _json_float(value: float) -> str:
    """With a point and a signed exponent, which even YAML 1.1 takes for a float."""
    mantissa, _, exponent = json.dumps(value).partition("e")
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{mantissa}e{int(exponent):+d}" if exponent else mantissa


@RUNS
@given(value=COLLECTIONS, flow=st.sampled_from([True, False, None]), width=st.sampled_from([20, 80, 10_000]))
def test_places_agree_with_pyyamls_own_composer(value: Any, flow: bool | None, width: int) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True, width=width, sort_keys=False)
    (doc,) = read_yaml(text.encode(), "f.yaml", Dialect.POLICY).documents
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    _compare(doc, root, (), text)


def _compare(doc: Document, node: Any, path: KeyPath, text: str) -> None:
    span = doc.span_of(path)
    assert (span.line, span.column) == (node.start_mark.line + 1, node.start_mark.column + 1)
    end = (node.end_mark.line + 1, node.end_mark.column + 1)
    if isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"}:
        assert (span.end_line, span.end_column) <= end
    elif isinstance(node, yaml.ScalarNode) or node.flow_style:
        assert (span.end_line, span.end_column) == end
    else:
        assert (span.end_line, span.end_column) <= end
        assert slice_of(text, span)[-1:] not in {" ", "\n"}
    if isinstance(node, yaml.MappingNode):
        for key, item in node.value:
            name = str(key.value)
            key_span = doc.key_span((*path, name))
            assert (key_span.line, key_span.column) == (key.start_mark.line + 1, key.start_mark.column + 1)
            assert (key_span.end_line, key_span.end_column) == (key.end_mark.line + 1, key.end_mark.column + 1)
            _compare(doc, item, (*path, name), text)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _compare(doc, item, (*path, index), text)


@RUNS
@given(value=COLLECTIONS, flow=st.sampled_from([True, False]))
def test_span_of_a_scalar_holds_exactly_its_text(value: Any, flow: bool) -> None:
    text = _quoted(value, flow)
    (doc,) = read_yaml(text.encode(), "f.yaml", Dialect.POLICY).documents
    for path, place in doc.places.items():
        here = _at(doc.value, path)
        if not isinstance(here, list | dict):
            (alone,) = read_yaml(slice_of(text, place.value).encode(), "f.yaml", Dialect.POLICY).documents
            assert alone.value == here
        if place.key is not None:
            assert yaml.safe_load(slice_of(text, place.key)) == path[-1]


def _at(value: Any, path: KeyPath) -> Any:
    for part in path:
        value = value[part]
    return value


@pytest.mark.parametrize("dialect", list(Dialect))
def test_every_cut_of_a_policy_is_read_without_an_exception(dialect: Dialect) -> None:
    text = "a: &x\n  b: 'é'\n  c: [1, {d: no}]\n<<: *x\n--- !t\n- |\n  text\n- \"\\u00e9\"\n? k\n: v\n".encode()
    for end in range(len(text)):
        _check_result(read_yaml(text[:end], "f.yaml", dialect))
        _check_result(read_yaml(text[end:], "f.yaml", dialect))
