from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.diagnostics import Span
from controlplane.source import Dialect, Document, read_yaml
from controlplane.source.embedded import Embedded, embedded, read_embedded_yaml
from controlplane.source.text import SourceText


def document(text: str, dialect: Dialect = Dialect.KUBERNETES) -> Document:
    (only,) = read_yaml(text.encode(), "f.yaml", dialect).documents
    return only


def scalar(text: str, *path: str | int) -> Embedded:
    found = embedded(document(text), path)
    assert found is not None
    return found


def at_word(text: str, word: str, *path: str | int) -> str:
    """What the file has where the value has the word."""
    found = scalar(text, *path)
    start = found.text.index(word)
    return cut(text, found.span(start, start + len(word)))


def cut(text: str, span: Span) -> str:
    lines = _lines(text)
    starts = [sum(len(line) for line in lines[:number]) for number in range(len(lines) + 1)]
    return text[starts[span.line - 1] + span.column - 1 : starts[span.end_line - 1] + span.end_column - 1]


def _lines(text: str) -> list[str]:
    source = SourceText("f.yaml", text)
    starts = [index for index in range(len(text) + 1) if source.position(index)[1] == 1]
    return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


@pytest.mark.parametrize(
    "header", ["|", "|-", "|+", "|2", "|2-", "|-2", "| # why", ">", ">-", ">+", "!!str |", "&x |"]
)
def test_word_of_a_block_scalar_has_its_own_place(header: str) -> None:
    text = f"k: {header}\n  first\n  second word\n\n    indented\n  last\n\nother: 1\n"
    for word in ("first", "second", "word", "indented", "last"):
        assert at_word(text, word, "k") == word
        assert scalar(text, "k").has_places


@pytest.mark.parametrize("header", ["|", ">"])
@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends_of_every_kind_are_followed(header: str, end: str) -> None:
    text = f"a:\n  - {header}\n    héllo wörld 😀 x\n\n    y\tz\n".replace("\n", end)
    for word in ("héllo", "wörld", "😀", "x", "y\tz"):
        assert at_word(text, word, "a", 0) == word


def test_indentation_indicator_leaves_the_spaces_behind_it_to_the_value() -> None:
    text = "a:\n  b: |2\n      four\n    two\n"
    found = scalar(text, "a", "b")
    assert found.text == "  four\ntwo\n"
    assert found.span(0, 6) == Span("f.yaml", 3, 5, 3, 11)
    assert at_word(text, "two", "a", "b") == "two"


def test_escape_has_the_place_of_what_is_written() -> None:
    text = 'k: "a\\tb \\u00e9 \\x41\\\n   c \\"d\\" \\\\ e"\n'
    found = scalar(text, "k")
    assert found.text == 'a\tb é Ac "d" \\ e'
    written = [cut(text, found.span(index, index + 1)) for index in range(len(found.text))]
    assert written == [*"a", "\\t", *"b ", "\\u00e9", " ", "\\x41", *"c ", '\\"', "d", '\\"', " ", "\\\\", *" e"]
    assert found.is_verbatim(2, 4)
    assert not found.is_verbatim(0, 2)


@pytest.mark.parametrize(("quote", "blank"), [("'", "\t"), ('"', "\t"), ("", " ")])
def test_folded_lines_of_flow_scalars_are_followed(quote: str, blank: str) -> None:
    text = f"k: {quote}one two  \n {blank} three\n\n  \n   four{quote}\nl: 2\n"
    found = scalar(text, "k")
    assert found.text == "one two three\n\nfour"
    for word in ("one", "two", "three", "four"):
        assert at_word(text, word, "k") == word
    assert cut(text, found.span(7, 8)) == f"  \n {blank} "


def test_doubled_quote_is_one_character() -> None:
    text = "k: 'it''s a ''x'''\n"
    assert scalar(text, "k").text == "it's a 'x'"
    assert at_word(text, "'x'", "k") == "''x''"


def test_plain_word_in_a_flow_list_has_its_place() -> None:
    assert at_word("k: [--a=b, vllm serve x]\n", "serve", "k", 1) == "serve"


def test_empty_span_lies_before_its_character() -> None:
    found = scalar('k: "ab"\n', "k")
    assert found.span(1, 1) == Span("f.yaml", 1, 6, 1, 6)
    assert found.span(2, 2) == Span("f.yaml", 1, 7, 1, 7)
    assert scalar('k: ""\n', "k").span(0, 0) == Span("f.yaml", 1, 6, 1, 6)


def test_use_of_an_alias_is_the_place_of_all_it_brings_in() -> None:
    text = "a: &x |\n  one two\nb: *x\nc: &y {d: e f}\nd: *y\n"
    for path in (("b",), ("d", "d")):
        found = scalar(text, *path)
        assert not found.has_places
        assert not found.is_verbatim(0, 1)
        assert cut(text, found.span(1, 2)) in ("*x", "*y")
    assert scalar(text, "a").has_places


def test_merged_text_has_the_place_of_the_use() -> None:
    text = "a: &x {t: one two}\nb:\n  <<: *x\n"
    assert cut(text, scalar(text, "b", "t").span(0, 3)) == "*x"


def test_text_with_replaced_characters_keeps_its_places() -> None:
    text = "k: |\n  a\x07b word\n"
    result = read_yaml(text.encode(), "f.yaml", Dialect.KUBERNETES)
    found = embedded(result.documents[0], ("k",))
    assert found is not None
    assert found.text == "a\ufffdb word\n"
    assert cut(text, found.span(4, 8)) == "word"


@pytest.mark.parametrize("path", [(), ("a",), ("b",), ("nowhere",), ("l", 0)])
def test_what_is_no_text_has_none(path: tuple[str | int, ...]) -> None:
    assert embedded(document("a: 1\nb:\nl: [[x]]\n"), path) is None
    assert read_embedded_yaml(document("a: 1\nb:\nl: [[x]]\n"), path, Dialect.KUBERNETES).documents == ()


EMBEDDED_YAML = [
    "|\n    apps:\n    - name: llm\n      args: {k: [1, two]}\n",
    "|2-\n      apps:\n      - name: llm\n        args: {k: [1, two]}\n",
    ">\n    apps: [{name: llm,\n    args: {k: [1, two]}}]\n",
    '"apps:\\n- name: llm\\n  args: {k: [1, two]}"\n',
    "'apps: [{name: llm,\n\n    args: {k: [1, two]}}]'\n",
    '\'{"apps": [{"name": "llm", "args": {"k": [1, "two"]}}]}\'\n',
]


@pytest.mark.parametrize("written", EMBEDDED_YAML, ids=lambda text: text.split()[0])
def test_keys_of_embedded_yaml_are_where_the_file_has_them(written: str) -> None:
    text = f"spec:\n  serve: {written}other: 1\n"
    (found,) = read_embedded_yaml(document(text), ("spec", "serve"), Dialect.KUBERNETES).documents
    assert found.value == {"apps": [{"name": "llm", "args": {"k": [1, "two"]}}]}
    assert cut(text, found.span_of(("apps", 0, "args", "k", 1))).strip('"') == "two"
    assert cut(text, found.key_span(("apps", 0, "args"))).strip('"') == "args"
    assert found.file == "f.yaml"


def test_findings_of_embedded_yaml_are_the_files() -> None:
    text = "s: |\n  a: 1\n  a: 2\n  b: [\n"
    found = read_embedded_yaml(document(text), ("s",), Dialect.KUBERNETES)
    assert [(d.rule, d.span.line, d.span.column) for d in found.diagnostics] == [
        ("yaml/duplicate-key", 3, 3),
        ("yaml/syntax", 5, 1),
    ]
    assert "on line 2" in found.diagnostics[0].message
    assert read_embedded_yaml(document('s: "  "\n'), ("s",), Dialect.KUBERNETES).diagnostics == ()


def test_nul_in_embedded_yaml_is_a_finding() -> None:
    found = read_embedded_yaml(document('s: "a: \\0"\n'), ("s",), Dialect.KUBERNETES)
    assert [d.rule for d in found.diagnostics] == ["yaml/nul-byte"]
    assert found.diagnostics[0].span == Span("f.yaml", 1, 8, 1, 10)


def test_text_inside_an_embedded_text_is_followed_through_both() -> None:
    text = 'a:\n  b: "c: |\\n  one\\n  two three\\n"\n'
    (inner,) = read_embedded_yaml(document(text), ("a", "b"), Dialect.KUBERNETES).documents
    found = embedded(inner, ("c",))
    assert found is not None
    assert found.text == "one\ntwo three\n"
    assert cut(text, found.span(8, 13)) == "three"


_LINE = st.text(alphabet=" \tab:'\"#-\\é😀", max_size=8)
_HEADERS = st.sampled_from(["|", "|-", "|+", "|1", "|2+", ">", ">-", ">+", ">1", "'", '"', ""])


@settings(max_examples=400, deadline=None)
@given(_HEADERS, st.lists(_LINE, max_size=6), st.sampled_from(["\n", "\r\n"]), st.integers(1, 4))
def test_followed_characters_are_the_values(header: str, lines: list[str], end: str, indent: int) -> None:
    body = end.join(" " * indent + line if line.strip() else line for line in lines)
    block = header[:1] in ("|", ">")
    text = f"k: {header}{end}{body}{end}z: 1{end}" if block else f"k: {header}{body}{header}{end}z: 1{end}"
    for doc in read_yaml(text.encode(), "f.yaml", Dialect.KUBERNETES).documents:
        for key in doc.value if isinstance(doc.value, dict) else ():
            found = embedded(doc, (key,))
            if found is None:
                continue
            # A text of blanks alone may be indented anyhow.
            assert found.has_places or not found.text.strip()
            for index, character in enumerate(found.text):
                written = cut(text, found.span(index, index + 1))
                if character not in " \n" and written[:1] not in ("\\", "'"):
                    assert written == character


_TREES = st.recursive(
    st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(_TREES, st.sampled_from([None, "|", ">", "'", '"']), st.integers(8, 80))
def test_texts_of_random_documents_are_followed(tree: object, style: str | None, width: int) -> None:
    text = yaml.dump(tree, default_style=style, allow_unicode=True, width=width)
    for doc in read_yaml(text.encode(), "f.yaml", Dialect.KUBERNETES).documents:
        for path in doc.places:
            found = embedded(doc, path)
            if found is None or not found.has_places:
                assert found is None or not found.text.strip() or doc.places[path].anchor
                continue
            written = cut(text, found.span(0, len(found.text)))
            if written == found.text:
                assert found.is_verbatim(0, len(found.text))
            for index in range(len(found.text)):
                piece = cut(text, found.span(index, index + 1))
                assert piece == found.text[index] or piece[0] in "\\' \t\r\n\x85\u2028\u2029"


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300))
def test_no_text_raises_and_no_place_is_outside(text: str) -> None:
    lines = len(_lines(text))
    for doc in read_yaml(text.encode("utf-8", "replace"), "f.yaml", Dialect.KUBERNETES).documents:
        for path in doc.places:
            found = embedded(doc, path)
            if found is not None:
                span = found.span(0, len(found.text))
                assert 1 <= span.line <= span.end_line <= lines
