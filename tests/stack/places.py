"""What a file has at the place of a fact."""

from __future__ import annotations

from typing import Any

from controlplane.stack.facts import Declared, Origin, origin_of


def written_at(text: str, origin: Origin | None) -> str:
    """The characters of an origin's span; it has to be a place in the file, whose lines end with LF."""
    assert isinstance(origin, Declared)
    span = origin.span
    lines = text.split("\n")
    if span.line == span.end_line:
        return lines[span.line - 1][span.column - 1 : span.end_column - 1]
    first, last = lines[span.line - 1][span.column - 1 :], lines[span.end_line - 1][: span.end_column - 1]
    return "\n".join([first, *lines[span.line : span.end_line - 1], last])


def written(text: str, fact: Any) -> str:
    """The characters at a known fact's place."""
    return written_at(text, origin_of(fact))
