"""Makes the edits that findings propose: only their characters, and only where everything else stays as it is.

Works on whole texts, so that line ends, byte order marks, comments and blanks stay. A finding's edits are made all or
none; of two findings that edit the same characters the first in the text wins, and the other is left for the next
run. What results is read again and compared (`fix_proof`); where another value would change, the fix is refused.
"""

from __future__ import annotations

import os
import re
import stat
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from controlplane.cli.fix_proof import Edited, unexplained
from controlplane.cli.fix_removal import Replacement, removal
from controlplane.diagnostics import Applicability, Diagnostic, Edit
from controlplane.frozen import frozen
from controlplane.plan.redaction import REDACTED, redact_text
from controlplane.regex import regex
from controlplane.source.text import SourceText

_MARK = "\ufeff"
_LINE_END = regex(r"\r\n|\n|\r")


class ChangedMeanwhile(Exception):
    """The file is no longer what was read, so it is not written."""


@frozen
class NotFixed:
    """A finding whose edits were not made, and why."""

    finding: Diagnostic
    why: str


@frozen
class Fixed:
    """The new texts of the files that change, the findings whose edits are in them, and those left."""

    texts: Mapping[str, str]
    applied: tuple[Diagnostic, ...]
    left: tuple[NotFixed, ...]


def fixed(texts: Mapping[str, str], findings: Iterable[Diagnostic], unsafe: bool = False) -> Fixed:
    """Make the edits of findings that may be made: the safe ones, and with `unsafe` those that need a decision.

    Edits only for display are never made.
    """
    proposals = sorted(f for f in set(findings) if f.remedy is not None and f.remedy.edits and _may(f, unsafe=True))
    allowed = [finding for finding in proposals if _may(finding, unsafe=unsafe)]
    left = [NotFixed(f, "it needs a decision") for f in proposals if f not in allowed]
    chosen, clashing = _without_clashes(allowed, texts)
    left += clashing
    made, refused = _proved(texts, chosen)
    left += refused
    kept = {f for f, _ in ((n.finding, n) for n in left)}
    applied = tuple(finding for finding in chosen if finding not in kept)
    return Fixed(made, applied, tuple(sorted(left, key=lambda entry: entry.finding)))


def replaced(text: str, edits: Iterable[Edit]) -> str:
    """The text with some edits made, unproved; the text itself where one has no place in it. Without a mark."""
    places = sorted(_indices(text, edits))
    return _replaced(text, places)[0] if all(start >= 0 for start, _, _ in places) else text


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """A unified diff of the files that change. Texts that look like secrets are hidden in it."""
    return "".join(
        _difference(name, before[name], after[name]) for name in sorted(after) if after[name] != before[name]
    )


def write(name: str, before: str, after: str) -> None:
    """Replace a file's text, all or nothing; its mode stays, and a symbolic link still leads to it.

    Raises ChangedMeanwhile where the file does not hold `before`, OSError where it cannot be written.
    """
    import tempfile

    path = Path(os.path.realpath(name))
    if path.read_bytes() != before.encode("utf-8", errors="surrogatepass"):
        raise ChangedMeanwhile(f"{name} changed since it was read, or is not UTF-8; it was not written")
    mode = stat.S_IMODE(path.stat().st_mode)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(after.encode("utf-8", errors="surrogatepass"))
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), mode)
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise


def _may(finding: Diagnostic, *, unsafe: bool) -> bool:
    remedy = finding.remedy
    if remedy is None:
        return False
    return remedy.applicability is Applicability.SAFE or (
        unsafe and remedy.applicability is Applicability.NEEDS_DECISION
    )


def _edits(finding: Diagnostic) -> tuple[Edit, ...]:
    return finding.remedy.edits if finding.remedy is not None else ()


def _without_clashes(
    findings: Sequence[Diagnostic], texts: Mapping[str, str]
) -> tuple[list[Diagnostic], list[NotFixed]]:
    """Findings whose edits are in files that were read and do not overlap with those of earlier ones."""
    chosen: list[Diagnostic] = []
    clashing: list[NotFixed] = []
    taken: list[Edit] = []
    for finding in findings:
        mine = _edits(finding)
        if any(edit.span.file not in texts for edit in mine):
            clashing.append(NotFixed(finding, "its file was not read"))
        elif _overlap(mine, taken):
            clashing.append(NotFixed(finding, "another fix changes the same characters; run again"))
        else:
            chosen.append(finding)
            taken.extend(edit for edit in mine if edit not in taken)
    return chosen, clashing


def _overlap(mine: Sequence[Edit], taken: Sequence[Edit]) -> bool:
    """Whether two edits that are not the same change the same characters, or insert at the same place."""
    pairs = [(one, other) for index, one in enumerate(mine) for other in (*taken, *mine[:index])]
    return any(one != other and _meet(one, other) for one, other in pairs)


def _meet(one: Edit, other: Edit) -> bool:
    if one.span.file != other.span.file:
        return False
    (start, end), (begin, finish) = _range(one), _range(other)
    return max(start, begin) < min(end, finish) or start == begin or end == finish


def _range(edit: Edit) -> tuple[tuple[int, int], tuple[int, int]]:
    return (edit.span.line, edit.span.column), (edit.span.end_line, edit.span.end_column)


def _proved(texts: Mapping[str, str], chosen: Sequence[Diagnostic]) -> tuple[dict[str, str], list[NotFixed]]:
    """The edited texts: all at once where that is sound, otherwise one finding after the other."""
    made, why = _attempt(texts, chosen)
    if why is None:
        return made, []
    kept: list[Diagnostic] = []
    refused: list[NotFixed] = []
    for finding in chosen:
        attempt, why = _attempt(texts, [*kept, finding])
        if why is None:
            made = attempt
            kept.append(finding)
        else:
            refused.append(NotFixed(finding, why))
    return (made if kept else {}), refused


def _attempt(texts: Mapping[str, str], findings: Sequence[Diagnostic]) -> tuple[dict[str, str], str | None]:
    """The files that change by the edits of some findings; or why they must not be made."""
    by_file: dict[str, set[Edit]] = {}
    for finding in findings:
        for edit in _edits(finding):
            by_file.setdefault(edit.span.file, set()).add(edit)
    made = {}
    for name, edits in sorted(by_file.items()):
        text, why = _edited(name, texts[name], edits)
        if why is not None:
            return {}, why
        if text != texts[name]:
            made[name] = text
    return made, None


def _edited(name: str, text: str, edits: Iterable[Edit]) -> tuple[str, str | None]:
    mark = _MARK if text.startswith(_MARK) else ""
    before = text.removeprefix(_MARK)
    places = sorted(_indices(before, edits))
    if any(start < 0 for start, _, _ in places):
        return text, "its place is not in the file"
    after, written = _replaced(before, places)
    then, now = SourceText(name, before), SourceText(name, after)
    olds = [then.span(start, end) for start, end, _ in places]
    news = [now.span(start, end) for start, end in written]
    return mark + after, unexplained(Edited(name, before, after, olds, news))


def _replaced(text: str, places: Sequence[tuple[int, int, str]]) -> tuple[str, list[tuple[int, int]]]:
    """The text after the edits, made from the last to the first, and where new text stands in it."""
    pending = list(places)
    written: list[tuple[int, int]] = []
    while pending:
        for change in _changes(text, *pending.pop()):
            text = text[: change.start] + change.text + text[change.end :]
            shift = len(change.text) - (change.end - change.start)
            written = [(a + shift, b + shift) if a >= change.end else (a, b) for a, b in written]
            # What stands in for an emptied list is written above comments that may have edits of their own.
            pending = [(a + shift, b + shift, new) if a >= change.end else (a, b, new) for a, b, new in pending]
            if change.text:
                written.append((change.start, change.start + len(change.text)))
    return text, written


def _changes(text: str, start: int, end: int, new_text: str) -> tuple[Replacement, ...]:
    if not new_text:
        return removal(text, start, end) if end > start else ()
    if "\r\n" in text and not re.search(r"(?<!\r)\n", text):
        new_text = re.sub(r"\r?\n", "\r\n", new_text)
    return (Replacement(start, end, new_text),)


def _indices(text: str, edits: Iterable[Edit]) -> Iterator[tuple[int, int, str]]:
    """Start and end of each edit in the text; -1 where the text has no such place."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    for edit in edits:
        span = edit.span
        start = _index(starts, text, span.line, span.column)
        end = _index(starts, text, span.end_line, span.end_column)
        yield (start, end, edit.new_text) if 0 <= start <= end else (-1, -1, "")


def _index(starts: Sequence[int], text: str, line: int, column: int) -> int:
    if not 1 <= line <= len(starts) or column < 1:
        return -1
    index = starts[line - 1] + column - 1
    return index if index <= len(text) and bisect_right(starts, index) == line else -1


def _difference(name: str, before: str, after: str) -> str:
    import difflib

    lines = difflib.unified_diff(_shown(before, name), _shown(after, name), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _shown(text: str, name: str) -> list[str]:
    """The lines of a text, without those that hold a secret by what they mean, and without what looks like one."""
    from controlplane.cli.lint.secret_places import secret_lines

    secret = secret_lines(text, name)
    number, shown = 1, []
    for line in re.findall(r"[^\n]*\n|[^\n]+\Z", text):
        following = number + len(_LINE_END.findall(line))
        hidden = any(place in secret for place in range(number, max(following, number + 1)))
        indent = line[: len(line) - len(line.lstrip())]
        shown.append(f"{indent}{REDACTED}\n" if hidden else redact_text(line))
        number = following
    return shown
