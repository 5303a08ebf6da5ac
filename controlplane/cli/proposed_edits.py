"""The edits of findings as they would be made: for views, and for editors that apply them character by character.

A rule's own edit may say less than is changed: an item that is cut out takes its line or its comma along. Here an
edit is exact, so applying it alone gives what `fixes` would write. One that cannot be proved sound is not proposed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from controlplane.cli.fixes import fixed, replaced
from controlplane.diagnostics import Applicability, Diagnostic, Edit
from controlplane.source.text import SourceText

Proposals = Mapping[Diagnostic, tuple[Edit, ...]]


def proposed_edits(findings: Iterable[Diagnostic], texts: Mapping[str, str]) -> Proposals:
    """The exact edits of every finding that has some which may be made.

    Those of one file are proved together: reading a file again for each would take too long where there are many.
    """
    together: defaultdict[frozenset[str], list[Diagnostic]] = defaultdict(list)
    for finding in findings:
        if _may_be_made(finding):
            together[frozenset(edit.span.file for edit in _edits(finding))].append(finding)
    proposals: dict[Diagnostic, tuple[Edit, ...]] = {}
    for names, own in together.items():
        if names <= texts.keys():
            proposals |= _of_files(own, {name: texts[name] for name in names})
    return proposals


def _of_files(findings: Sequence[Diagnostic], texts: Mapping[str, str]) -> dict[Diagnostic, tuple[Edit, ...]]:
    proved = set(fixed(texts, findings, unsafe=True).applied)
    # What clashes with another fix, or could not be proved beside it, may still be sound alone.
    proved |= {f for f in findings if f not in proved and fixed(texts, [f], unsafe=True).applied}
    exact = {finding: tuple(_exact(finding, texts)) for finding in findings if finding in proved}
    return {finding: edits for finding, edits in exact.items() if edits}


def _may_be_made(finding: Diagnostic) -> bool:
    remedy = finding.remedy
    return remedy is not None and bool(remedy.edits) and remedy.applicability is not Applicability.DISPLAY_ONLY


def _edits(finding: Diagnostic) -> tuple[Edit, ...]:
    return finding.remedy.edits if finding.remedy is not None else ()


def _exact(finding: Diagnostic, texts: Mapping[str, str]) -> Iterator[Edit]:
    for name in sorted(texts):
        before = texts[name].removeprefix("\ufeff")
        own = [edit for edit in _edits(finding) if edit.span.file == name]
        yield from _changes(SourceText(name, before), replaced(before, own))


def _changes(source: SourceText, after: str) -> Iterator[Edit]:
    """One edit for each run of lines that differ, without what is equal at its ends."""
    import difflib

    old, new = source.text.splitlines(keepends=True), after.splitlines(keepends=True)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    changed, written = old[head : len(old) - tail], new[head : len(new) - tail]
    for tag, a, b, c, d in difflib.SequenceMatcher(None, changed, written, autojunk=False).get_opcodes():
        if tag != "equal":
            start, end = starts[head + a], starts[head + b]
            was, text = source.text[start:end], "".join(written[c:d])
            first = _common(was, text)
            last = _common(was[first:][::-1], text[first:][::-1])
            yield Edit(source.span(start + first, end - last), text[first : len(text) - last])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many characters two texts, or lines two lists of lines, begin with alike."""
    shorter = min(len(one), len(other))
    return next((index for index in range(shorter) if one[index] != other[index]), shorter)
