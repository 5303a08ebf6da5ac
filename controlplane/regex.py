"""Regular expressions that are compiled when they are first used.

Compiling is slow, and a run uses a third of the expressions in the files that it loads.
"""

from __future__ import annotations

import re
from typing import Any, Final, cast

_METHODS: Final = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, in time."""
    return cast("re.Pattern[str]", _Pattern(text, flags))


class _Pattern:
    """Its methods are those of the compiled expression, once one of them has been asked for."""

    __slots__ = ("_flags", "_text", *_METHODS)

    def __init__(self, text: str, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Reached only for what is not set yet.
        compiled = re.compile(self._text, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
