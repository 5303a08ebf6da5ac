"""The generated data under `schemas/`, shipped inside the package and read on first use."""

from __future__ import annotations

import json
import pkgutil
from functools import cache
from typing import Any

from controlplane.regex import regex

Release = tuple[int, ...]
"""A version as numbers, to compare by: (0, 10, 2)."""

_VERSION = regex(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?:\.(\d+))?(?=$|[.+\-]|post|rc|a\d|b\d|dev)")


@cache
def read_schema(folder: str, file: str) -> dict[str, Any]:
    """One file, parsed. The result is shared: nobody changes it."""
    # Not by importlib.resources: importing that takes longer than reading most tables.
    content: dict[str, Any] = json.loads(pkgutil.get_data("controlplane", f"schemas/{folder}/{file}") or b"")
    return content


@cache
def release_of(version: str) -> Release | None:
    """(major, minor, patch, hotfix), or None for what is no version. `.post1`, `+cpu`, `rc1` are left out."""
    found = _VERSION.match(version.strip())
    return tuple(int(part or 0) for part in found.groups()) if found else None
