"""Places: a range of characters in a file, and the path of keys that leads to a value."""

from __future__ import annotations

from controlplane.frozen import frozen
from controlplane.regex import regex

KeyPath = tuple[str | int, ...]
"""Keys and list indices from the document's root, such as `("spec", "containers", 0, "image")`."""

_PLAIN_KEY = regex(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


@frozen(order=True)
class Span:
    """A range of characters. Lines and columns count from 1, columns in code points; the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def render_path(path: KeyPath) -> str:
    """Write a path as people do: `spec.containers[0].image`, with quotes where a key is not a plain word."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN_KEY.match(part):
            text += f".{part}" if text else part
        else:
            text += f'["{part}"]'
    return text
