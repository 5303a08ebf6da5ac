"""Edits for views: applied as they are, they give what `fixes` writes; what is unsound is not proposed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from controlplane.cli.fixes import fixed
from controlplane.cli.proposed_edits import proposed_edits
from controlplane.diagnostics import Applicability, Diagnostic, Edit, Layer, Remedy, Severity
from controlplane.source import Dialect, Value, read_yaml
from controlplane.source.text import SourceText
from tests.cli.written_yaml import Writer, leaves, roots


def finding(*edits: Edit, applicability: Applicability = Applicability.SAFE, rule: str = "vllm/x") -> Diagnostic:
    return Diagnostic(
        rule, Severity.ERROR, Layer.VLLM, "m", edits[0].span, remedy=Remedy("Do it.", edits, applicability)
    )


def edit(text: str, old: str, new: str) -> Edit:
    start = text.index(old)
    return Edit(SourceText("f", text).span(start, start + len(old)), new)


def plainly_applied(text: str, edits: tuple[Edit, ...]) -> str:
    """As an editor does it: from the last to the first, character by character."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix("\ufeff")
    starts = [0]
    for index, character in enumerate(text):
        if character == "\n" or (character == "\r" and text[index + 1 : index + 2] != "\n"):
            starts.append(index + 1)
    for one in sorted(edits, key=lambda e: e.span, reverse=True):
        begin = starts[one.span.line - 1] + one.span.column - 1
        end = starts[one.span.end_line - 1] + one.span.end_column - 1
        text = text[:begin] + one.new_text + text[end:]
    return mark + text


@given(roots, st.lists(st.integers(0, 60), min_size=5, max_size=40), st.data())
def test_exact_edits_give_what_is_written(tree: Value, style: list[int], data: st.DataObject) -> None:
    text = Writer(style).text(tree)
    [document] = read_yaml(text.encode(), "f", Dialect.KUBERNETES).documents
    paths = data.draw(st.lists(st.sampled_from(sorted(leaves(tree), key=str)), min_size=1, max_size=3, unique=True))
    findings = [
        finding(Edit(document.places[path].value, "" if isinstance(path[-1], int) else '"new"'), rule=f"vllm/{path}")
        for path in paths
    ]
    proposals = proposed_edits(findings, {"f": text})
    for one in findings:
        alone = fixed({"f": text}, [one]).texts.get("f", text)
        assert plainly_applied(text, proposals.get(one, ())) == alone


def test_edits_that_are_only_shown_are_not_proposed() -> None:
    text = "a: 1\n"
    shown = finding(edit(text, "1", "2"), applicability=Applicability.DISPLAY_ONLY)
    assert proposed_edits([shown], {"f": text}) == {}


def test_unsound_edit_is_not_proposed_and_keeps_no_other_back() -> None:
    text = "a: &x [p]\nb: *x\nc: old\n"
    bad, good = finding(edit(text, "p", "q")), finding(edit(text, "old", "new"))
    assert proposed_edits([bad, good], {"f": text}) == {good: (edit(text, "old", "new"),)}


def test_of_two_that_clash_both_are_proposed_each_by_itself() -> None:
    text = "a: old\n"
    one, other = finding(edit(text, "old", "new"), rule="vllm/1"), finding(edit(text, "old", "newer"), rule="vllm/2")
    assert proposed_edits([one, other], {"f": text}).keys() == {one, other}


def test_edit_of_a_file_that_is_not_there_is_not_proposed() -> None:
    assert proposed_edits([finding(edit("a: 1\n", "1", "2"))], {}) == {}
