"""The edits of findings as they would be made: for views, and for editors that apply them character by character.

A rule's own edit may say less than is changed: an item that is cut out takes its line or its comma along. Here an
edit is exact, so applying it alone gives what `fixes` would write. One that cannot be proved sound is not proposed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from controlplane.cli.fixes import fixed
from controlplane.diagnostics import Applicability, Diagnostic, Edit
from controlplane.source.text import SourceText

Proposals = Mapping[Diagnostic, tuple[Edit, ...]]


def proposed_edits(findings: Iterable[Diagnostic], texts: Mapping[str, str]) -> Proposals:
    """The exact edits of every finding that has some which may be made."""
    proposals = {}
    for finding in findings:
        edits = tuple(_exact(finding, texts))
        if edits:
            proposals[finding] = edits
    return proposals


def _exact(finding: Diagnostic, texts: Mapping[str, str]) -> Iterator[Edit]:
    remedy = finding.remedy
    if remedy is None or not remedy.edits or remedy.applicability is Applicability.DISPLAY_ONLY:
        return
    for name, after in sorted(fixed(texts, [finding], unsafe=True).texts.items()):
        yield from _changes(name, texts[name].removeprefix("\ufeff"), after.removeprefix("\ufeff"))


def _changes(name: str, before: str, after: str) -> Iterator[Edit]:
    """One edit for each run of lines that differ, without what is equal at its ends."""
    import difflib

    source = SourceText(name, before)
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            was, text = before[starts[a] : starts[b]], "".join(new[c:d])
            first = _common(was, text)
            last = _common(was[first:][::-1], text[first:][::-1])
            yield Edit(source.span(starts[a] + first, starts[b] - last), text[first : len(text) - last])


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    shorter = min(len(one), len(other))
    return next((index for index in range(shorter) if one[index] != other[index]), shorter)
