"""What goes to a terminal: colour where it is wanted, and no control characters from anybody's YAML."""

from __future__ import annotations

import os
import sys
import unicodedata

from controlplane.regex import regex

_COLOURS = {"red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36, "bold": 1, "dim": 2}

_PLAIN = regex(r"[ -~\n\t]*")
"""Nearly all texts; looking at every character of a large report takes long."""


def printable(text: str) -> str:
    """Replace control and bidirectional formatting characters (all but newline and tab) by their escapes.

    YAML values and server messages are other people's text: an escape sequence in one must not reach a terminal.
    Halves of surrogate pairs, which stand for bytes of a file's name that are no text, cannot be encoded at all.
    """
    if _PLAIN.fullmatch(text):
        return text
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else _escape(c) for c in text
    )


def wants_colour() -> bool:
    """Whether standard output is a terminal that takes colour (NO_COLOR and TERM=dumb are honoured)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    # Python has none where the program was started with it closed.
    return bool(sys.stdout and sys.stdout.isatty())


def paint(text: str, *styles: str, colour: bool) -> str:
    """Wrap text in the escape sequences of the styles, or return it as it is."""
    if not colour or not styles:
        return text
    codes = ";".join(str(_COLOURS[s]) for s in styles)
    return f"\x1b[{codes}m{text}\x1b[0m"


def _escape(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
