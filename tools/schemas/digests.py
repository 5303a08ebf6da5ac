"""Digests of the files under `schemas/` that need the network, or a document of somebody else, to be written again.

Whoever writes such a file records it here (`record`); the checks compare (`problems`), so that no edit by hand stays
unseen. The argument tables of vLLM have an index with digests of their own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

SCHEMAS = Path(__file__).parents[2] / "schemas"
_INDEX = "digests.json"


def write(folder: str, file: str, text: str, schemas: Path = SCHEMAS) -> Path:
    """Write one file and record its digest."""
    path = schemas / folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    recorded = _recorded(schemas) | {f"{folder}/{file}": digest(path)}
    content = json.dumps({"format_version": 1, "sha256": dict(sorted(recorded.items()))}, indent=2) + "\n"
    (schemas / _INDEX).write_text(content, encoding="utf-8")
    return path


def problems(files: tuple[str, ...], schemas: Path = SCHEMAS) -> list[str]:
    """What disagrees with the recorded digests, for files named `folder/file`; empty when all is in order."""
    recorded, found = _recorded(schemas), []
    for file in files:
        path = schemas / file
        if not path.exists():
            found.append(f"{file}: missing")
        elif recorded.get(file) != digest(path):
            found.append(f"{file}: not as its generator wrote it, or not recorded in {_INDEX}")
    return found


def digest(path: Path) -> str:
    """sha256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _recorded(schemas: Path) -> dict[str, str]:
    path = schemas / _INDEX
    recorded: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))["sha256"] if path.exists() else {}
    return recorded


def lines(head: Mapping[str, object], key: str, entries: Mapping[str, object]) -> str:
    """A file with one entry a line, so that a change is seen in a diff."""
    first = json.dumps(head, ensure_ascii=False)[:-1]
    body = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in entries.items()
    )
    return f'{first}, "{key}": {{\n{body}\n}}}}\n'
