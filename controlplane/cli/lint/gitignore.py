"""Patterns of `.gitignore` files, as git 2.39 matches them (gitignore(5), `wildmatch` with WM_PATHNAME).

Pure: texts of `.gitignore` files come in. A file that is tracked although a pattern matches it counts as ignored
here, since only git's index knows of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from controlplane.frozen import frozen
from controlplane.regex import regex

_CLASSES: Final = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f", "digit": "0-9",
    "graph": "\\x21-\\x7e", "lower": "a-z", "print": "\\x20-\\x7e",
    "punct": "!-/:-@\\[-`{-~", "space": " \\t\\n\\r\\f\\v", "upper": "A-Z", "xdigit": "0-9a-fA-F",
}  # fmt: skip
_NEVER: Final = "(?!)"
_SPECIAL = regex(r"[*?\[\\]")


@frozen
class Pattern:
    """One line. `regex` matches the path from the file's folder, or without `anchored` the last name alone."""

    regex: re.Pattern[str]
    negated: bool
    folders_only: bool
    anchored: bool

    def matches(self, path: str, is_folder: bool) -> bool:
        """Whether the pattern is about a path, given from the `.gitignore` file's folder with `/`, byte by byte."""
        if self.folders_only and not is_folder:
            return False
        return self.regex.fullmatch(path if self.anchored else path.rpartition("/")[2]) is not None


@frozen
class IgnoreFile:
    """The patterns of one file; `folder` is where it counts from, in parts from the root of the tree."""

    folder: tuple[str, ...]
    patterns: tuple[Pattern, ...]

    def decides(self, path: Sequence[str], is_folder: bool) -> bool | None:
        """Whether a path below the folder is ignored; None where no pattern is about it."""
        below = _as_bytes("/".join(path[len(self.folder) :]))
        for pattern in reversed(self.patterns):
            if pattern.matches(below, is_folder):
                return not pattern.negated
        return None


def parse(text: str, folder: tuple[str, ...] = ()) -> IgnoreFile:
    """Read the text of a `.gitignore` file."""
    return IgnoreFile(folder, tuple(_patterns(text)))


def ignored(files: Sequence[IgnoreFile], path: Sequence[str], is_folder: bool) -> bool:
    """Whether a path is ignored by the files above it, given from the root down; that of the nearest decides.

    What lies in an ignored folder is ignored whatever is said of it: ask for the folders first.
    """
    for file in reversed(files):
        decided = file.decides(path, is_folder)
        if decided is not None:
            return decided
    return False


def _patterns(text: str) -> Iterator[Pattern]:
    for raw in _as_bytes(text.removeprefix("\ufeff")).split("\n"):
        line = _without_trailing_spaces(raw.removesuffix("\r"))
        if not line or line.startswith("#"):
            continue
        negated = line.startswith("!")
        line = line.removeprefix("!")
        folders_only = line.endswith("/")
        line = line.removesuffix("/")
        anchored = "/" in line
        if line.removeprefix("/"):
            regex = re.compile(_regex(line.removeprefix("/")), re.DOTALL)
            yield Pattern(regex, negated, folders_only, anchored)


def _as_bytes(text: str) -> str:
    """One character a byte: to git `?` and `[!a]` are one byte, also in the midst of a letter."""
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def _without_trailing_spaces(line: str) -> str:
    """git cuts spaces at the end, but keeps one behind a backslash."""
    end = len(line)
    while end and line[end - 1] == " ":
        backslashes = len(line[: end - 1]) - len(line[: end - 1].rstrip("\\"))
        if backslashes % 2:
            break
        end -= 1
    return line[:end]


def _regex(pattern: str) -> str:
    """The pattern without its leading and trailing slash as a regular expression for the whole path."""
    found: list[str] = []
    at = 0
    while at < len(pattern):
        part, at = _part(pattern, at)
        if part is None:
            return _NEVER
        found.append(part)
    return "".join(found)


def _part(pattern: str, at: int) -> tuple[str | None, int]:
    """What stands at an index as a regular expression, and the index behind it; None for what matches nothing."""
    character = pattern[at]
    if character == "*":
        return _stars(pattern, at)
    if character == "?":
        return "[^/]", at + 1
    if character == "[":
        return _bracket(pattern, at)
    if character == "\\":
        return (re.escape(pattern[at + 1]), at + 2) if at + 1 < len(pattern) else (None, at + 1)
    return re.escape(character), at + 1


def _stars(pattern: str, at: int) -> tuple[str, int]:
    """`**` is any number of folders where it stands between slashes, and one star elsewhere."""
    end = at
    while end < len(pattern) and pattern[end] == "*":
        end += 1
    # git compares the text before the first special character by itself and matches from there, so that `**` behind
    # it counts as standing behind a slash.
    begins = at == 0 or pattern[at - 1] == "/" or not _SPECIAL.search(pattern, 0, at)
    if end - at >= 2 and begins:
        if end == len(pattern):
            return ".*", end
        if pattern[end] == "/":
            return "(?:.*/)?", end + 1
    return "[^/]*", end


def _bracket(pattern: str, at: int) -> tuple[str | None, int]:
    """A set of characters; one that is not closed matches nothing."""
    end = at + 1
    negated = pattern[end : end + 1] in {"!", "^"}
    end += negated
    items: list[str] = []
    first = True
    while end < len(pattern) and (first or pattern[end] != "]"):
        first = False
        item, end = _bracket_item(pattern, end)
        if item is None:
            return None, end
        items.append(item)
    if end >= len(pattern):
        return None, end
    inside = "".join(items)
    return (f"(?!/)[^{inside}]" if negated else f"(?!/)[{inside}]") if inside else _NEVER, end + 1


def _bracket_item(pattern: str, at: int) -> tuple[str | None, int]:
    if pattern.startswith("[:", at):
        close = pattern.find(":]", at + 2)
        name = pattern[at + 2 : close] if close >= 0 else ""
        return _CLASSES.get(name), close + 2
    low, end = _bracket_character(pattern, at)
    if pattern[end : end + 1] == "-" and pattern[end + 1 : end + 2] not in {"", "]"}:
        high, end = _bracket_character(pattern, end + 1)
        # git compares the first character before it looks at the range.
        return re.escape(low) + (f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""), end
    return re.escape(low), end


def _bracket_character(pattern: str, at: int) -> tuple[str, int]:
    if pattern[at] == "\\" and at + 1 < len(pattern):
        return pattern[at + 1], at + 2
    return pattern[at], at + 1
