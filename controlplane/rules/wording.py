"""Words that many rules need: a fact as evidence, amounts, lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from controlplane.diagnostics import Evidence
from controlplane.stack.facts import Fact, Known


def evidence(fact: str, value: Fact[Any] | Any, unit: str = "", source: str = "") -> Evidence:
    """A fact with its value and where it came from; a plain value needs its `source` said."""
    if isinstance(value, Known):
        return Evidence(fact, _scalar(value.value), source or str(value.origin), unit)
    return Evidence(fact, _scalar(value), source or "computed", unit)


def plural(count: float, singular: str, many: str = "") -> str:
    """`1 GPU`, `4 GPUs`."""
    shown = f"{count:g}" if isinstance(count, float) else str(count)
    return f"{shown} {singular if count == 1 else many or singular + 's'}"


def listed(items: Iterable[object], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    texts = [str(item) for item in items]
    return " ".join([", ".join(texts[:-1]), last, texts[-1]]) if len(texts) > 1 else "".join(texts)


def _scalar(value: object) -> str | int | float | bool | None:
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
