"""The report file of a bug of ours: the traceback without values, versions and the verb; no input, no secrets.

What an exception says often quotes the value that it fell over, so only its type is told.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

from controlplane import __version__

_ROOT = Path(__file__).parents[1]


def write_report(error: Exception) -> Path:
    """Write the report to a fresh file and return its path."""
    lines = [
        f"controlplane {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"verb: {' '.join(a for a in sys.argv[1:2] if not a.startswith('-'))}",
        *_traces(error),
    ]
    number, name = tempfile.mkstemp(prefix="controlplane-bug-", suffix=".txt", text=True)
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return Path(name)


def described(error: BaseException) -> str:
    """The type of an exception and the line of ours that it came from: `KeyError at rules/judge.py:35`."""
    ours = [f for f in traceback.extract_tb(error.__traceback__) if _ROOT in Path(f.filename).parents]
    place = f" at {Path(ours[-1].filename).relative_to(_ROOT)}:{ours[-1].lineno}" if ours else ""
    return f"{type(error).__name__}{place}"


def _traces(error: BaseException) -> Iterator[str]:
    """The lines of the traceback, those of what caused it first."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _traces(cause)
        yield "which led to:"
    yield from (line.rstrip() for line in traceback.format_tb(error.__traceback__))
    yield type(error).__qualname__
