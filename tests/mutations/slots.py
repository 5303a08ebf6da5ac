"""Good manifests with named slots: `<<name=value>>` stands for a value that a mutation may change.

Rendered with its own values a manifest is good; every slot knows the lines it stands on, so that a mutation can say
where a finding has to be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_SLOT = re.compile(r"<<(?P<name>[a-z_0-9]+)=(?P<value>.*?)>>")
GOOD = Path(__file__).parent / "good"


@dataclass(frozen=True, slots=True)
class Rendered:
    """A manifest as text, and the lines of every slot."""

    text: str
    lines: Mapping[str, frozenset[int]]


def names() -> list[str]:
    """The good manifests there are."""
    return sorted(path.stem for path in GOOD.glob("*.yaml"))


def template(name: str) -> str:
    """A good manifest with its slots."""
    return (GOOD / f"{name}.yaml").read_text(encoding="utf-8")


def rendered(text: str, values: Mapping[str, object]) -> Rendered:
    """The manifest with some slots changed. Raises KeyError for a slot that it does not have."""
    known = {match["name"] for match in _SLOT.finditer(text)}
    for name in values:
        if name not in known:
            raise KeyError(name)
    lines: dict[str, set[int]] = {}
    made: list[str] = []
    for line in text.splitlines():
        for match in _SLOT.finditer(line):
            lines.setdefault(match["name"], set()).add(len(made) + 1)
        filled = _SLOT.sub(lambda m: str(values.get(m["name"], m["value"])), line)
        if filled.strip() or not line.strip():
            made.append(filled)
    return Rendered("\n".join(made) + "\n", {name: frozenset(found) for name, found in lines.items()})
