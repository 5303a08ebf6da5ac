"""The generated data under `schemas/`, shipped inside the package and read on first use."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

Release = tuple[int, ...]
"""A version as numbers, to compare by: (0, 10, 2)."""

_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?:\.(\d+))?(?=$|[.+\-]|post|rc|a\d|b\d|dev)")


@cache
def read_schema(folder: str, file: str) -> dict[str, Any]:
    """One file, parsed. The result is shared: nobody changes it."""
    from importlib import resources  # here, because most commands never look a table up and importing it is slow

    text = (resources.files("controlplane") / "schemas" / folder / file).read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


@cache
def release_of(version: str) -> Release | None:
    """(major, minor, patch, hotfix), or None for what is no version. `.post1`, `+cpu`, `rc1` are left out."""
    found = _VERSION.match(version.strip())
    return tuple(int(part or 0) for part in found.groups()) if found else None
