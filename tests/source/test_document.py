from __future__ import annotations

import pytest

from controlplane.diagnostics import KeyPath
from controlplane.source import Dialect
from tests.source.reading import document, place, read, slice_of

POLICY = """\
# Leading comment.
kind: ModelService   # trailing comment
metadata:
  name: "chat-8b"
  labels: {team: 'nlp', "tier": gold}
spec:
  empty:
  args:
    - --max-num-seqs=64
    -
    - [1, 2.5, true]

  text: |
    first
    second

  folded: >-
    one
    two
  multi: plain over
    two lines
  last: ~


"""

PLACES: list[tuple[KeyPath, tuple[int, int, int, int], tuple[int, int, int, int] | None]] = [
    ((), (2, 1, 22, 10), None),
    (("kind",), (2, 7, 2, 19), (2, 1, 2, 5)),
    (("metadata",), (4, 3, 5, 38), (3, 1, 3, 9)),
    (("metadata", "name"), (4, 9, 4, 18), (4, 3, 4, 7)),
    (("metadata", "labels"), (5, 11, 5, 38), (5, 3, 5, 9)),
    (("metadata", "labels", "team"), (5, 18, 5, 23), (5, 12, 5, 16)),
    (("metadata", "labels", "tier"), (5, 33, 5, 37), (5, 25, 5, 31)),
    (("spec",), (7, 3, 22, 10), (6, 1, 6, 5)),
    (("spec", "empty"), (7, 9, 7, 9), (7, 3, 7, 8)),
    (("spec", "args"), (9, 5, 11, 21), (8, 3, 8, 7)),
    (("spec", "args", 0), (9, 7, 9, 24), None),
    (("spec", "args", 1), (10, 6, 10, 6), None),
    (("spec", "args", 2), (11, 7, 11, 21), None),
    (("spec", "args", 2, 0), (11, 8, 11, 9), None),
    (("spec", "args", 2, 1), (11, 11, 11, 14), None),
    (("spec", "args", 2, 2), (11, 16, 11, 20), None),
    (("spec", "text"), (13, 9, 15, 11), (13, 3, 13, 7)),
    (("spec", "folded"), (17, 11, 19, 8), (17, 3, 17, 9)),
    (("spec", "multi"), (20, 10, 21, 14), (20, 3, 20, 8)),
    (("spec", "last"), (22, 9, 22, 10), (22, 3, 22, 7)),
]


def test_every_key_and_value_has_its_exact_place() -> None:
    read_places = document(POLICY).places
    found = [(path, place(p.value), place(p.key) if p.key else None) for path, p in read_places.items()]
    assert found == PLACES
    assert all(p.anchor is None for p in read_places.values())


def test_columns_count_code_points() -> None:
    doc = document("é: [😀x, {\u4e2d: \u0065\u0301}]")
    assert place(doc.span_of(("é", 0))) == (1, 5, 1, 7)
    assert place(doc.key_span(("é", 1, "\u4e2d"))) == (1, 10, 1, 11)
    assert place(doc.span_of(("é", 1, "\u4e2d"))) == (1, 13, 1, 15)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_lines_end_as_in_an_editor(end: str) -> None:
    doc = document(f"a: 1{end}{end}b:{end}  c: 2{end}")
    assert place(doc.span_of(("b", "c"))) == (4, 6, 4, 7)
    assert place(doc.span) == (1, 1, 4, 7)


@pytest.mark.parametrize("character", ["\x85", "\u2028", "\u2029"], ids=["NEL", "LS", "PS"])
def test_line_break_of_yaml_11_alone_does_not_move_the_lines_that_follow(character: str) -> None:
    result = read(f'a: "x{character}y"\nb: 2')
    assert [d.rule for d in result.diagnostics] == ["yaml/unusual-line-break"]
    assert place(result.documents[0].span_of(("b",))) == (2, 4, 2, 5)


def test_byte_order_mark_is_no_character_of_the_first_line() -> None:
    (doc,) = read(b"\xef\xbb\xbfa: 1").documents
    assert place(doc.span_of(("a",))) == (1, 4, 1, 5)


ALIASES = """\
base: &base
  gpus: 1
  image: {name: vllm}
port: &port 8000
use: *base
ports: [*port, 1]
merged:
  <<: *base
  gpus: 2
several: {<<: [*base, {own: 3}]}
"""


def test_alias_stands_where_it_is_used_and_tells_its_anchor() -> None:
    doc = document(ALIASES)
    use = doc.places["use",]
    assert (place(use.value), use.key and place(use.key)) == ((5, 6, 5, 11), (5, 1, 5, 4))
    assert use.anchor is not None
    assert place(use.anchor) == (2, 3, 3, 22)
    port = doc.places["ports", 0]
    assert (place(port.value), port.anchor and place(port.anchor)) == ((6, 9, 6, 14), (4, 13, 4, 17))


def test_everything_inside_an_alias_stands_at_its_use() -> None:
    doc = document(ALIASES)
    inside = doc.places["use", "image", "name"]
    assert (place(inside.value), inside.key) == ((5, 6, 5, 11), None)
    assert inside.anchor is not None
    assert slice_of(ALIASES, inside.anchor) == "vllm"
    assert doc.key_span(("use", "gpus")) == inside.value


def test_anchored_value_itself_is_no_alias() -> None:
    own = document(ALIASES).places["base", "gpus"]
    assert (place(own.value), own.anchor) == ((2, 9, 2, 10), None)


def test_merged_key_stands_at_the_alias_of_the_merge() -> None:
    doc = document(ALIASES)
    merged = doc.places["merged", "image"]
    assert (place(merged.value), merged.key) == ((8, 7, 8, 12), None)
    assert merged.anchor is not None
    assert slice_of(ALIASES, merged.anchor) == "{name: vllm}"
    assert place(doc.places["merged", "image", "name"].value) == (8, 7, 8, 12)


def test_own_key_beside_a_merge_stands_where_it_is_written() -> None:
    own = document(ALIASES).places["merged", "gpus"]
    assert (place(own.value), own.anchor) == ((9, 9, 9, 10), None)


def test_mapping_written_inside_a_merge_keeps_its_own_places() -> None:
    doc = document(ALIASES)
    own = doc.places["several", "own"]
    assert (slice_of(ALIASES, own.value), own.key and slice_of(ALIASES, own.key), own.anchor) == ("3", "own", None)
    assert slice_of(ALIASES, doc.places["several", "gpus"].value) == "*base"


def test_alias_inside_an_alias_stands_at_the_outer_use() -> None:
    text = "a: &a 1\nb: &b {x: *a}\nc: *b"
    doc = document(text)
    assert slice_of(text, doc.places["b", "x"].value) == "*a"
    assert place(doc.places["c", "x"].value) == (3, 4, 3, 6)
    anchor = doc.places["c", "x"].anchor
    assert anchor is not None
    assert place(anchor) == (1, 7, 1, 8)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: &x 'v'", "'v'"),
        ("a: !!str v", "v"),
        ("a: &x !!str v", "v"),
        ("a: !!str &x v", "v"),
        ("a: ! v", "v"),
        ("a: !<tag:yaml.org,2002:str> v", "v"),
        ("a: &x [1]", "[1]"),
        ("a: &x\n  - 1\n  - 2", "- 1\n  - 2"),
        ("a: &x # why\n\n  b: 1", "b: 1"),
        ("a: !!map\n  &k b: 1", "&k b: 1"),
        ("a: &x |\n  t\n", "|\n  t"),
        ("a: &x", ""),
        ("a: !!str", ""),
        ("a: [&x , 1]", "[&x , 1]"),
    ],
)
def test_value_begins_behind_its_anchor_and_tag(text: str, value: str) -> None:
    assert slice_of(text, document(text).span_of(("a",))) == value


def test_what_was_asked_before_changes_no_place() -> None:
    text = "a: &base\n  b: {c: 1}\nd: *base\ne: {b: 2}"
    paths: list[KeyPath] = [
        ("a", "missing", "b"), ("a", "missing"), ("missing", "b"), ("e", "b"), ("d", "b", "c"), ("d", "b", "b"),
        ("d",), ("a", "b", "c"), ("a", "b"), ("a", "missing", "b", "c"),
    ]  # fmt: skip
    together = document(text)
    for _ in range(2):
        assert [together.span_of(path) for path in paths] == [document(text).span_of(path) for path in paths]


def test_absent_path_gets_the_place_of_its_nearest_parent() -> None:
    doc = document("a:\n  b: 1\n  c: [2]")
    assert doc.span_of(("a", "missing", "deep")) == doc.span_of(("a",))
    assert doc.span_of(("a", "c", 5)) == doc.span_of(("a", "c"))
    assert doc.span_of(("a", "b", "below a scalar")) == doc.span_of(("a", "b"))
    assert doc.span_of(("a", 0)) == doc.span_of(("a",))
    assert doc.span_of(("missing",)) == doc.span
    assert doc.key_span(("a", "missing")) == doc.span_of(("a",))
    assert doc.key_span(("a", "c", 0)) == doc.span_of(("a", "c", 0))


def test_places_are_a_read_only_mapping_of_all_paths() -> None:
    places = document(ALIASES).places
    assert len(places) == len(list(places)) == len(set(places))
    assert ("use", "image", "name") in places
    assert ("use", "nothing") not in places
    assert ("ports", -1) not in places
    with pytest.raises(KeyError):
        places["use", "nothing"]


def test_documents_of_a_file_keep_its_lines_and_are_counted() -> None:
    result = read("a: 1\n---\n# nothing\n---\nb: 2\n...\n--- [c]\n")
    assert [(d.index, d.value, place(d.span)) for d in result.documents] == [
        (0, {"a": 1}, (1, 1, 1, 5)),
        (2, {"b": 2}, (5, 1, 5, 5)),
        (3, ["c"], (7, 5, 7, 8)),
    ]
    assert {d.file for d in result.documents} == {"policy.yaml"}


def test_root_may_be_a_scalar() -> None:
    doc = document("'text'")
    assert (doc.value, list(doc.places), place(doc.span)) == ("text", [()], (1, 1, 1, 7))


def test_last_of_two_keys_has_the_place_where_kubernetes_takes_the_last() -> None:
    (doc,) = read("a: 1\na: 2", Dialect.KUBERNETES).documents
    assert (doc.value, doc.span_of(("a",)).line) == ({"a": 2}, 2)
