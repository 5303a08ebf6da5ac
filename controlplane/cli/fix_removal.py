"""What has to go with a piece of YAML that is cut out: its line, its dash, its comma, its backslash.

Works on characters, so that it serves embedded YAML and shell scripts as well; `fix_proof` tells afterwards whether
nothing else has changed.
"""

from __future__ import annotations

import re

from controlplane.frozen import frozen
from controlplane.regex import regex

_BLANK = " \t\r\n"
_ITEM = regex(r"(?P<above>[ \t]*(?:-[ \t]+)*?)-[ \t]+(?:[&!][^\s]*[ \t]+)*\Z")
_LINE_REST = regex(r"[ \t]*(?:(?<=[ \t])#[^\r\n]*)?(?=\r|\n|\Z)")
_BREAK = regex(r"\r\n|\n|\r")
_COMMENT = regex(r"(?:\A|[ \t]+)#.*\Z", re.DOTALL)


@frozen
class Replacement:
    """Put `text` in place of the characters from `start` up to `end`."""

    start: int
    end: int
    text: str = ""


def removal(text: str, start: int, end: int) -> tuple[Replacement, ...]:
    """What to replace so that the characters from `start` up to `end` are gone, the last first."""
    if not any(c.isprintable() and not c.isspace() for c in text[start:end]) or _is_whole_lines(text, start, end):
        return (Replacement(start, end),)
    for find in (_flow_item, _block_item, _line):
        found = find(text, start, end)
        if found is not None:
            return found
    return (_word(text, start, end),)


def _is_whole_lines(text: str, start: int, end: int) -> bool:
    return start == _line_start(text, start) and end > start and end == _line_start(text, end)


def _flow_item(text: str, start: int, end: int) -> tuple[Replacement, ...] | None:
    """An item or entry between brackets, braces or commas: its comma goes too."""
    before = len(text[:start].rstrip(_BLANK)) - 1
    behind = end + len(text[end:]) - len(text[end:].lstrip(_BLANK))
    if before < 0 or behind >= len(text) or text[before] not in "[{," or text[behind] not in "]},":
        return None
    if text[behind] == ",":
        return (Replacement(start, _behind_comma(text, start, behind)),)
    return (Replacement(before if text[before] == "," else start, end),)


def _behind_comma(text: str, start: int, comma: int) -> int:
    """Where the next item begins; on the item's own line a comment behind the comma goes with it."""
    own_line = not text[_line_start(text, start) : start].strip(_BLANK)
    index = comma + 1
    rest = _LINE_REST.match(text, index)
    if rest is not None and own_line:
        index = rest.end()
    return index + len(text[index:]) - len(text[index:].lstrip(_BLANK))


def _block_item(text: str, start: int, end: int) -> tuple[Replacement, ...] | None:
    """An item behind a dash: its lines go, or, where more of the item follows, only up to there."""
    line = _line_start(text, start)
    dash = _ITEM.match(text[line:start])
    rest = _LINE_REST.match(text, end)
    if dash is None or rest is None:
        return None
    indentation = len(dash["above"])
    following = _next_line(text, rest.end())
    if following is not None and _indentation(text, following) > indentation:
        return (Replacement(start, following + _indentation(text, following)),)
    if dash["above"].strip():
        return (_nested_item(text, line + indentation, following, end),)
    return _lines(text, line, rest.end(), indentation, "[]")


def _nested_item(text: str, dash: int, following: int | None, end: int) -> Replacement:
    """The first item of a list that itself begins behind a dash (`- - x`): the next takes its place."""
    column = dash - _line_start(text, dash)
    if following is not None and _indentation(text, following) == column and _alike(text, following, "[]"):
        return Replacement(dash, following + column)
    return Replacement(dash, end, "[]")


def _line(text: str, start: int, end: int) -> tuple[Replacement, ...] | None:
    """All that stands on its lines: they go, with the backslash that led there or leads on."""
    line = _line_start(text, start)
    if text[line:start].strip(_BLANK):
        return None
    if text[end:].lstrip(" \t")[:1] == "\\":
        behind = text.index("\\", end) + 1
        return (Replacement(line, _behind_break(text, behind)),) if _BREAK.match(text, behind) else None
    rest = _LINE_REST.match(text, end)
    if rest is None:
        return None
    above = text[:line].rstrip("\r\n")
    if above.endswith("\\") and line - len(above) in (1, 2):
        return (Replacement(len(above[:-1].rstrip(" \t")), end),)
    return _lines(text, line, rest.end(), start - line, "{}")


def _lines(text: str, line: int, end: int, indentation: int, empty: str) -> tuple[Replacement, ...]:
    """Whole lines; where nothing is left of their collection, it is written as an empty one behind its key."""
    start, end = line, _behind_break(text, end)
    if end == len(text) and text[start:end].rstrip("\r\n") == text[start:end]:
        start = len(text[:start].removesuffix("\n").removesuffix("\r")) if start else 0
    cut = Replacement(start, end)
    following = _next_line(text, end)
    if following is not None and _indentation(text, following) == indentation and _alike(text, following, empty):
        return (cut,)
    above = _line_above(text, line, indentation, empty)
    if above is None or _alike_at(text, above, indentation, empty):
        return (cut,)
    owner = _COMMENT.sub("", text[above : _line_end(text, above)]).rstrip(_BLANK)
    if not re.search(r":(?:[ \t]+[&!]\S*)*\Z", owner):
        return (cut,)
    return (cut, Replacement(above + len(owner), above + len(owner), f" {empty}"))


def _line_above(text: str, line: int, indentation: int, empty: str) -> int | None:
    """Start of the nearest line above that is a sibling or holds the collection."""
    while line > 0:
        line = _line_start(text, line - 2 if text.startswith("\r\n", line - 2) else line - 1)
        content = text[line : _line_end(text, line)].strip(_BLANK)
        if content and not content.startswith("#"):
            here = _indentation(text, line)
            if here < indentation or (here == indentation and (empty == "[]" or not content.startswith("- "))):
                return line
            if empty == "{}" and _entry_behind_dash(text, line) == indentation:
                return line
    return None


def _alike(text: str, line: int, empty: str) -> bool:
    """Whether the line begins an item, where items are looked for, or something else."""
    content = text[line : _line_end(text, line)].strip(_BLANK)
    return (content == "-" or content.startswith("- ")) == (empty == "[]")


def _alike_at(text: str, line: int, indentation: int, empty: str) -> bool:
    """Whether the line begins a sibling."""
    if empty == "{}" and _entry_behind_dash(text, line) == indentation:
        return True
    return _indentation(text, line) == indentation and _alike(text, line, empty)


def _entry_behind_dash(text: str, line: int) -> int:
    """The column where an item's first entry begins; the line's own indentation where it begins no item."""
    match = re.compile(r"[ \t]*(?:-[ \t]+)*").match(text, line)
    return match.end() - line if match is not None else 0


def _word(text: str, start: int, end: int) -> Replacement:
    """A word among others: one run of blanks beside it goes too."""
    before = len(text[:start].rstrip(" \t"))
    at_end = end == len(text) or text[end] in " \t\r\n\"'"
    if before < start and at_end and before > 0 and text[before - 1] not in "\r\n":
        return Replacement(before, end)
    if before == start and start > 0 and text[start - 1] in "\"'":
        return Replacement(start, end + len(text[end:]) - len(text[end:].lstrip(" \t")))
    return Replacement(start, end)


def _next_line(text: str, end: int) -> int | None:
    """Start of the next line behind the one that ends at `end` with more than a comment on it."""
    index = _behind_break(text, end) if end < len(text) and text[end] in "\r\n" else end
    while index < len(text):
        content = text[index : _line_end(text, index)].strip(_BLANK)
        if content and not content.startswith("#"):
            return index
        index = _behind_break(text, _line_end(text, index))
    return None


def _line_start(text: str, index: int) -> int:
    return max(text.rfind("\n", 0, index), text.rfind("\r", 0, index)) + 1


def _line_end(text: str, index: int) -> int:
    match = _BREAK.search(text, index)
    return match.start() if match is not None else len(text)


def _behind_break(text: str, index: int) -> int:
    match = _BREAK.match(text, index)
    return match.end() if match is not None else index


def _indentation(text: str, line: int) -> int:
    end = _line_end(text, line)
    return len(text[line:end]) - len(text[line:end].lstrip(" \t"))
