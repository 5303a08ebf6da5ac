"""A file's text to its documents and their kinds, without parsing: what nobody reads is never parsed.

A CustomResourceDefinition is larger than everything else in a folder together. The scan looks only at the lines that
stand at the document's own indentation; a document in which anything stands there that it does not know for certain
has no kind here and is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from controlplane.frozen import frozen
from controlplane.regex import regex

_BOUNDARY = regex(r"^---(?=[ \t\n]|\Z)([^\n]*)\n?", re.MULTILINE)
"""A line that ends whatever is open, quoted texts and block scalars included (YAML 1.2.2, section 9.1.2)."""
_END = regex(r"\.\.\.(?:[ \t]|\Z)")
"""So does this one, but libyaml then wants `---` before anything else."""
_UNUSUAL = regex("[\x85\u2028\u2029]|\\A\ufeff")
"""Line ends other than LF and CRLF, which libyaml counts as such."""
_FIRST = regex(r"^( *)(?=[^\s#])", re.MULTILINE)
_CONTENT = regex(r"^[ \t]*([^\s#].*)", re.MULTILINE)
_KEY = regex(r"([A-Za-z][A-Za-z0-9_./-]*)[ \t]*:(?=[ \t]|\Z)(.*)")
_ITEM = regex(r"-(?:[ \t]|\Z)|[}\]][ \t]*\Z")
"""A list may stand at the indentation of its key, and so may the end of a flow collection."""
_VALUE = regex(r"""[ \t]+(["']?)([A-Za-z0-9][A-Za-z0-9./-]*)\1[ \t]*(?:[ \t]#.*)?\Z""")
_COMMENT = regex(r"[ \t]*(?:[ \t]#.*)?\Z")
_SAID = {key: regex(rf"""^[ \t]*(?:-[ ]+)?["']?{key}["']?[ \t]*:""", re.MULTILINE) for key in ("apiVersion", "kind")}
_GROUP: Final = "controlplane.dev/"
_OURS = regex(rf"""apiVersion["']?[ \t]*:\s*["']?{re.escape(_GROUP)}""")


@frozen
class Piece:
    """One document's text: indices into the file's text, lines that divide documents not counted.

    `line` and `end_line` are its first line and the one behind its last, from 1. Where it `is_certain`, `api_version`
    and `kind` are what parsing would find, empty for none; `blank` is a document with nothing in it.
    """

    start: int
    end: int
    line: int
    end_line: int
    api_version: str = ""
    kind: str = ""
    blank: bool = False
    is_certain: bool = False

    @property
    def group(self) -> str:
        """The API group, empty for the core group."""
        return self.api_version.rpartition("/")[0]


def scan(text: str) -> tuple[Piece, ...]:
    """The documents of a text, in its order. Lines end with LF or CRLF; any other text is one uncertain document."""
    if "\r" in text:
        text = text.replace("\r\n", " \n")
    # Looking for single characters is much faster than any pattern, and nearly all texts have none of them.
    has_directive = text.startswith("%") or "\n%" in text
    if has_directive or "\r" in text or (not text.isascii() and _UNUSUAL.search(text)):
        return (Piece(0, len(text), 1, text.count("\n") + 2),)
    return tuple(_pieces(text))


def _boundaries(text: str) -> Iterator[re.Match[str]]:
    at = 0 if text.startswith("---") else text.find("\n---") + 1
    while at or text.startswith("---"):
        mark = _BOUNDARY.match(text, at)
        if mark is not None:
            yield mark
        at = text.find("\n---", at) + 1
        if not at:
            return


def _pieces(text: str) -> Iterator[Piece]:
    start, line, certain = 0, 1, True
    for mark in _boundaries(text):
        end_line = line + text.count("\n", start, mark.start())
        yield _piece(text, (start, mark.start()), (line, end_line), certain)
        # Content behind `---` begins the document, so that its indentation is another.
        certain = bool(_COMMENT.match(mark[1]))
        start, line = (mark.end(), end_line + 1) if certain else (mark.start(), end_line)
    yield _piece(text, (start, len(text)), (line, line + text.count("\n", start) + 1), certain)


def _piece(text: str, place: tuple[int, int], lines: tuple[int, int], certain: bool) -> Piece:
    first = _FIRST.search(text, *place)
    if not certain:
        return Piece(*place, *lines)
    if first is None or _ends(text, first.start(), place[1]):
        return Piece(*place, *lines, blank=True, is_certain=True)
    found = _top_level(text, first.start(), place[1], first[1])
    if found is None:
        return Piece(*place, *lines)
    return Piece(*place, *lines, found.get("apiVersion", ""), found.get("kind", ""), is_certain=True)


def _top_level(text: str, start: int, end: int, indent: str) -> dict[str, str] | None:
    """The values of `apiVersion` and `kind` in the lines at an indentation; None where any of those is in doubt."""
    found: dict[str, str] = {}
    for line in _lines_at(indent).finditer(text, start, end):
        if _ITEM.match(line[1]):
            continue
        if _ends(text, line.start(1), end):
            break
        key = _KEY.match(line[1])
        if key is None:
            return None
        if key[1] in _SAID:
            value = _VALUE.match(key[2])
            if value is None or key[1] in found:
                return None
            found[key[1]] = value[2]
    return found


def _ends(text: str, start: int, end: int) -> bool:
    """Whether the line at an index ends the document, and only comments follow."""
    if not text.startswith("...", start):
        return False
    line_end = text.find("\n", start, end)
    line_end = end if line_end < 0 else line_end
    return bool(_END.match(text, start, line_end)) and not _FIRST.search(text, line_end, end)


@cache
def _lines_at(indent: str) -> re.Pattern[str]:
    """Lines of exactly an indentation that hold more than a comment, and those of less, which should not be."""
    less = f" {{0,{len(indent) - 1}}}" if indent else "(?!)"
    return re.compile(rf"^(?:{indent}|{less}(?=[^\s#]))([^\s#].*)", re.MULTILINE)


def is_blank(text: str) -> bool:
    """Whether a text holds nothing but blank lines, comments and the lines that divide and end documents."""
    return all(line.startswith(("---", "...")) for line in _CONTENT.findall(text))


def looks_like_manifest(text: str, piece: Piece) -> bool:
    """Whether a document that cannot be parsed was meant as a manifest: its lines name an apiVersion and a kind."""
    return all(said.search(text, piece.start, piece.end) for said in _SAID.values())


def may_be_policy(text: str, piece: Piece) -> bool:
    """Whether a document may be one of ours."""
    if piece.is_certain:
        return piece.api_version.startswith(_GROUP)
    return _OURS.search(text, piece.start, piece.end) is not None
