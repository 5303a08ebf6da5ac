"""Edits: only their characters, nothing else's value, twice the same as once; files written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from controlplane.cli.fixes import ChangedMeanwhile, Fixed, difference, fixed, write
from controlplane.diagnostics import Applicability, Diagnostic, Edit, KeyPath, Layer, Remedy, Severity, Span
from controlplane.source import Dialect, Document, Value, read_yaml
from controlplane.source.text import SourceText
from tests.cli.written_yaml import Writer, leaves, roots, with_value, without_items

SAFE, DECISION, DISPLAY = Applicability.SAFE, Applicability.NEEDS_DECISION, Applicability.DISPLAY_ONLY
choices = st.lists(st.integers(0, 60), min_size=5, max_size=40)


def finding(edits: tuple[Edit, ...], applicability: Applicability = SAFE, rule: str = "vllm/x") -> Diagnostic:
    place = edits[0].span
    return Diagnostic(rule, Severity.ERROR, Layer.VLLM, "m", place, remedy=Remedy("Do it.", edits, applicability))


def edit(text: str, old: str, new: str, file: str = "f") -> Edit:
    """Replace the first `old`, or insert before `>` where `old` is a text and a `>`."""
    source = SourceText(file, text.removeprefix("\ufeff"))
    start = source.text.index(old)
    return Edit(source.span(start, start + len(old)), new)


def fix(text: str, *edits: tuple[str, str]) -> str | None:
    """The text after one finding for each edit; None where nothing was changed."""
    findings = [finding((edit(text, old, new),), rule=f"vllm/{index}") for index, (old, new) in enumerate(edits)]
    return fixed({"f": text}, findings).texts.get("f")


def documents(text: str) -> tuple[Document, ...]:
    return read_yaml(text.encode(), "f", Dialect.KUBERNETES).documents


def value_of(text: str) -> Value:
    [document] = documents(text)
    return document.value


REMOVALS = {
    "item of a block list": ("args:\n- --a\n- --b\n- --c\n", ["--b"], "args:\n- --a\n- --c\n"),
    "last item without a line end": ("- --a\n- --b", ["--b"], "- --a"),
    "item with a comment": ("args:\n  - --a\n  - --b # why\n", ["--b"], "args:\n  - --a\n"),
    "only item": ("args:\n- --a\nb: 1\n", ["--a"], "args: []\nb: 1\n"),
    "only item of an anchored list": ("args: &x # c\n- --a\n", ["--a"], "args: &x [] # c\n"),
    "all items, comments stay": ('args:\n  # why\n  - --a\n  - "4"\n', ["--a", '"4"'], "args: []\n  # why\n"),
    "item of several lines": ("- name: a\n  v: 1\n- name: b\n  v: 2\n", ["name: a\n  v: 1"], "- name: b\n  v: 2\n"),
    "flow item in the middle": ('args: ["--a", "--b", "--c"]\n', ['"--b"'], 'args: ["--a", "--c"]\n'),
    "first flow item": ('args: ["--a","--b"]\n', ['"--a"'], 'args: ["--b"]\n'),
    "last flow items": ('args: ["--a", "--b", "--c"]\n', ['"--b"', '"--c"'], 'args: ["--a"]\n'),
    "only flow item": ("args: [--a]\n", ["--a"], "args: []\n"),
    "all flow items": ("args: [--a, --b]\n", ["--a", "--b"], "args: []\n"),
    "flow items on lines of their own": (
        'args: [\n  "--a", # one\n  "--b", # two\n  "--c"\n]\n',
        ['"--a"'],
        'args: [\n  "--b", # two\n  "--c"\n]\n',
    ),
    "entry of a mapping": ("limits:\n  cpu: 1\n  gpu: 2\n", ["cpu: 1"], "limits:\n  gpu: 2\n"),
    "first entry of an item": ("- cpu: 1\n  gpu: 2\n", ["cpu: 1"], "- gpu: 2\n"),
    "only entry of a mapping": ("limits:\n  cpu: 1\n", ["cpu: 1"], "limits: {}\n"),
    "entry of a flow mapping": ("limits: {cpu: 1, gpu: 2}\n", ["gpu: 2"], "limits: {cpu: 1}\n"),
    "word of a script": ("c: |\n  vllm serve m --a 1 --b\n", ["--a 1"], "c: |\n  vllm serve m --b\n"),
    "last word of a script": ("c: |\n  vllm serve m --a 1\n", ["--a 1"], "c: |\n  vllm serve m\n"),
    "continued line of a script": ("c: |\n  vllm \\\n    --a \\\n    --b\n", ["--a"], "c: |\n  vllm \\\n    --b\n"),
    "last continued line of a script": (
        "c: |\n  vllm \\\n    --a \\\n    --b\n  echo\n",
        ["--b"],
        "c: |\n  vllm \\\n    --a\n  echo\n",
    ),
    "first item of a list behind a dash": ("- - a\n  - b\n- c\n", ["a"], "- - b\n- c\n"),
    "only item of a list behind a dash": ("- - a # why\n- c\n", ["a"], "- [] # why\n- c\n"),
    "items of a list and of the list behind it": ("- a\n- - b\n", ["a", "b"], "- []\n"),
    "item inside serveConfigV2": (
        "serveConfigV2: |\n  args:\n  - a\n  - b\nz: 1\n",
        ["- a"[2:]],
        "serveConfigV2: |\n  args:\n  - b\nz: 1\n",
    ),
    "item with windows line ends": ("args:\r\n- --a\r\n- --b\r\n", ["--a"], "args:\r\n- --b\r\n"),
}


@pytest.mark.parametrize("name", REMOVALS)
def test_what_is_removed_takes_its_line_or_comma_along(name: str) -> None:
    before, gone, after = REMOVALS[name]
    if name == "item inside serveConfigV2":
        start = before.index("- a") + 2
        place = SourceText("f", before).span(start, start + 1)
        assert fixed({"f": before}, [finding((Edit(place, ""),))]).texts["f"] == after
    else:
        assert fix(before, *((old, "") for old in gone)) == after


REFUSALS = {
    "another use of an anchor would change": ("a: &x [p, q]\nb: *x\n", ("q", "")),
    "the rest of the mapping would be taken in": ("a: 1\nb: 2\n", ("1", '"1')),
    "a key would come twice": ("a: 1\nb: 2\n", ("b", "a")),
    "the document would be split": ("a: x\nb: y\n", ("x", "x\n---\nc: d")),
    "an empty item would be left": ("a: 1\nb:\n- &x p\n- *x\n", ("p", "")),
    "half of a surrogate pair cannot be written": ("a: 1\n", ("1", "\ud800")),
    "embedded YAML would break": ("serveConfigV2: |\n  a: 1\n  b: 2\n", ("1", "[1")),
    "embedded values beside it would change": ("serveConfigV2: |\n  a: &x [1]\n  b: *x\n", ("1", "2")),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_fix_is_refused_where(name: str) -> None:
    text, (old, new) = REFUSALS[name]
    result = fixed({"f": text}, [finding((edit(text, old, new),))])
    assert result.texts == {}
    assert result.applied == ()
    [left] = result.left
    assert left.why


def test_one_refused_fix_does_not_keep_others_back() -> None:
    text = "a: &x [p, q]\nb: *x\nc: old\n"
    bad, good = finding((edit(text, "q", ""),)), finding((edit(text, "old", "new"),))
    result = fixed({"f": text}, [bad, good])
    assert result.texts == {"f": text.replace("old", "new")}
    assert result.applied == (good,)
    assert [left.finding for left in result.left] == [bad]


def test_what_overlaps_is_left_for_the_next_run_and_the_first_wins() -> None:
    text = "a: one two\n"
    first = finding((edit(text, "one two", "1"),), rule="vllm/a")
    second = finding((edit(text, "two", "2"),), rule="vllm/b")
    for order in ([first, second], [second, first]):
        result = fixed({"f": text}, order)
        assert result.texts == {"f": "a: 1\n"}
        assert [left.finding for left in result.left] == [second]


def test_same_edit_of_two_findings_is_made_once() -> None:
    text = "a: old\n"
    both = [finding((edit(text, "old", "new"),), rule=rule) for rule in ("vllm/a", "vllm/b")]
    result = fixed({"f": text}, both)
    assert result.texts == {"f": "a: new\n"}
    assert len(result.applied) == 2


def test_edits_of_a_finding_are_made_all_or_none() -> None:
    text = "a: one\nb: &x [p]\nc: *x\n"
    result = fixed({"f": text}, [finding((edit(text, "one", "1"), edit(text, "p", "q")))])
    assert result.texts == {}


def test_what_needs_a_decision_is_made_only_when_asked_for_and_display_never() -> None:
    text = "a: one\nb: two\n"
    findings = [
        finding((edit(text, "one", "1"),), DECISION),
        finding((edit(text, "two", "2"),), DISPLAY),
    ]
    assert fixed({"f": text}, findings).texts == {}
    assert [left.why for left in fixed({"f": text}, findings).left] == ["it needs a decision"]
    assert fixed({"f": text}, findings, unsafe=True).texts == {"f": "a: 1\nb: two\n"}


def test_edit_of_a_file_that_was_not_read_or_a_place_that_is_not_there_is_left() -> None:
    text = "a: one\n"
    elsewhere = finding((edit(text, "one", "1", file="other"),))
    nowhere = finding((Edit(Span("f", 7, 1, 7, 2), "x"),))
    result = fixed({"f": text}, [elsewhere, nowhere])
    assert result.texts == {}
    assert len(result.left) == 2


def test_inserted_lines_end_as_the_file_does() -> None:
    text = "a:\r\n  b: 1\r\n"
    assert fix(text, ("1", "1\n  c: 2")) == "a:\r\n  b: 1\r\n  c: 2\r\n"


def test_invisible_character_goes_alone() -> None:
    assert fix("a: x \u200b y\n", ("\u200b", "")) == "a: x  y\n"


def test_emptied_list_above_a_comment_that_goes_too() -> None:
    assert fix("args:\n# note\n- --a\nb: 1\n", ("# note\n", ""), ("--a", "")) == "args: []\nb: 1\n"


@given(roots, choices, st.data())
def test_replacing_a_value_changes_its_characters_only(tree: Value, style: list[int], data: st.DataObject) -> None:
    text = Writer(style).text(tree)
    assert value_of(text) == tree
    path = data.draw(st.sampled_from(sorted(leaves(tree), key=str)))
    span = documents(text)[0].places[path].value
    new = data.draw(st.sampled_from(['"new"', "'8'", '"a, b: c # d"']))
    after = fixed({"f": text}, [finding((Edit(span, new),))]).texts["f"]
    source = SourceText("f", text.removeprefix("\ufeff"))
    old = value_at(tree, path)
    start = text.index(source.text) + _index(source.text, span.line, span.column)
    written = len(str(old)) + 2
    assert after == text[:start] + new + text[start + written :]
    assert value_of(after) == with_value(tree, path, new[1:-1])


@given(roots, choices, st.data())
def test_removing_items_leaves_every_other_value(tree: Value, style: list[int], data: st.DataObject) -> None:
    text = Writer(style).text(tree)
    items = sorted((path for path in leaves(tree) if isinstance(path[-1], int)), key=str)
    assume(items)
    gone = set(data.draw(st.lists(st.sampled_from(items), min_size=1, unique=True)))
    places = documents(text)[0].places
    result = fixed({"f": text}, [finding((Edit(places[path].value, ""),), rule=f"vllm/{path}") for path in gone])
    after = result.texts.get("f", text)
    left = {path for path in gone if any(n.finding.span == places[path].value for n in result.left)}
    assert value_of(after) == without_items(tree, gone - left)
    assert left == set()
    kept = [line for line in text.splitlines() if line.lstrip().startswith("# comment")]
    assert [line for line in after.splitlines() if line.lstrip().startswith("# comment")] == kept


@given(roots, choices)
def test_fixing_twice_changes_nothing(tree: Value, style: list[int]) -> None:
    text = Writer(style).text(tree)
    once = fixed({"f": text}, _bad_words(text)).texts.get("f", text)
    again = fixed({"f": once}, _bad_words(once))
    assert again.texts == {}
    assert _bad_words(once) == []


def _bad_words(text: str) -> list[Diagnostic]:
    """A rule as an example: `bad` items go, other `bad` values become good, `--flag` is spelt out."""
    [document] = documents(text)
    found = []
    for path in leaves(document.value):
        value, span = value_at(document.value, path), document.places[path].value
        if value == "bad":
            found.append(finding((Edit(span, "" if isinstance(path[-1], int) else '"good"'),), rule=f"vllm/{path}"))
        elif value == "--flag":
            found.append(finding((Edit(span, '"--flag=true"'),), rule=f"vllm/{path}"))
    return found


@given(st.text(st.sampled_from("ab:- \n[]{},#\"'|>&*!\\\r\t\u200b"), max_size=40), st.data())
def test_no_text_and_no_edit_raises(text: str, data: st.DataObject) -> None:
    numbers = st.integers(0, 6)
    spans = st.builds(Span, st.just("f"), numbers, numbers, numbers, numbers)
    edits = data.draw(st.lists(st.builds(Edit, spans, st.sampled_from(["", "x", "- y\n", '"'])), max_size=3))
    findings = [finding((one,), rule=f"vllm/{index}") for index, one in enumerate(edits)]
    result: Fixed = fixed({"f": text}, findings)
    assert len(result.applied) + len(result.left) == len(set(findings))
    before = read_yaml(text.encode(), "f", Dialect.KUBERNETES)
    after = read_yaml(result.texts.get("f", text).encode(), "f", Dialect.KUBERNETES)
    assert len(after.documents) >= len(before.documents)


def value_at(value: Value, path: KeyPath) -> Value:
    for part in path:
        value = value[part]  # type: ignore[index, call-overload]
    return value


def _index(text: str, line: int, column: int) -> int:
    starts = [0]
    for index, character in enumerate(text):
        if character == "\n":
            starts.append(index + 1)
    return starts[line - 1] + column - 1


def test_diff_is_one_that_patch_takes_and_hides_secrets() -> None:
    before = {"f": "a: 1\nb: 2", "g": "x\n", "h": "k: hf_abcdefghijklmnop\nv: 1\n"}
    after = {"f": "a: 1\nb: 3", "g": "x\n", "h": "k: hf_abcdefghijklmnop\nv: 2\n"}
    text = difference(before, after)
    assert text.startswith("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a: 1\n-b: 2\n\\ No newline at end of file\n+b: 3\n")
    assert "a/g" not in text
    assert "hf_abc" not in text


def test_written_file_keeps_its_mode_and_the_link_that_leads_to_it(tmp_path: Path) -> None:
    real, link = tmp_path / "real.yaml", tmp_path / "link.yaml"
    real.write_bytes(b"\xef\xbb\xbfa: 1\r\n")
    real.chmod(0o640)
    link.symlink_to(real)
    before = real.read_bytes().decode()
    write(str(link), before, before.replace("1", "2"))
    assert real.read_bytes() == b"\xef\xbb\xbfa: 2\r\n"
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.yaml", "real.yaml"]


def test_file_that_changed_since_it_was_read_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 2\n")
    with pytest.raises(ChangedMeanwhile):
        write(str(path), "a: 1\n", "a: 3\n")
    assert path.read_text() == "a: 2\n"


def test_file_that_is_not_utf8_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: \xff\n")
    with pytest.raises(ChangedMeanwhile):
        write(str(path), path.read_bytes().decode(errors="replace"), "a: 3\n")
    assert path.read_bytes() == b"a: \xff\n"


def test_nothing_is_left_behind_where_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write(str(path), "a: 1\n", "a: 2\n")
    assert path.read_text() == "a: 1\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]
