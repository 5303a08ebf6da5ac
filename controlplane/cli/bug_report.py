"""The report file of a bug of ours: the traceback without values, versions and the verb; no input, no secrets."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from pathlib import Path

from controlplane import __version__


def write_report(error: Exception) -> Path:
    """Write the report to a fresh file and return its path."""
    lines = [
        f"controlplane {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"verb: {' '.join(a for a in sys.argv[1:2] if not a.startswith('-'))}",
        *(line.rstrip() for line in traceback.format_exception(error)),
    ]
    number, name = tempfile.mkstemp(prefix="controlplane-bug-", suffix=".txt", text=True)
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return Path(name)
