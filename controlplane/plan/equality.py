"""Equality by meaning: two spellings of one value are one value.

The API server writes built-in kinds in their canonical spelling and leaves custom resources as they were written,
pod templates inside them included. So `1000m` and `1`, `0.5` and `500m`, `"80"` and `80`, `5m` and `300s` are
compared by value, on the fields that hold quantities, ports or percentages, and durations; everywhere else the text
counts.
"""

from __future__ import annotations

import functools
import json
import re
from typing import Any

from controlplane.diagnostics import KeyPath
from controlplane.source.duration import DurationError, parse_go_duration
from controlplane.source.quantity import QuantityError, parse_quantity

_QUANTITY_MAPS = frozenset(
    {
        "limits",
        "requests",
        "capacity",
        "allocatable",
        "allocatedResources",
        "hard",
        "podFixed",
        "default",
        "defaultRequest",
        "max",
        "min",
        "maxLimitRequestRatio",
        "nominalQuota",
    }
)
"""Maps from a resource's name to a quantity."""

_QUANTITIES = frozenset({"sizeLimit", "divisor", "averageValue", "nominalQuota", "borrowingLimit", "lendingLimit"})
_INT_OR_STRING = frozenset({"maxSurge", "maxUnavailable", "minAvailable", "targetPort", "port"})
_DURATION = re.compile(r"(?:^|[a-z])(?:duration|timeout|interval|period|window|delay|backoff|ttl)\Z", re.IGNORECASE)


def same_value(path: KeyPath, one: Any, other: Any) -> bool:
    """Whether two values of the field at `path` mean the same."""
    if type(one) is type(other) and one == other and not isinstance(one, dict | list):
        return True
    return canonical_text(path, one) == canonical_text(path, other)


def canonical_text(path: KeyPath, value: Any) -> str:
    """One text for every spelling of a value; different values of a field have different texts."""
    plain = canonical(path, value)
    # Texts are most of all values; an opening quote alone tells them from everything that JSON writes.
    return f'"{plain}' if isinstance(plain, str) else json.dumps(plain, sort_keys=True)


def canonical(path: KeyPath, value: Any) -> Any:
    """The value in one spelling, containers included."""
    if isinstance(value, dict):
        return {key: canonical((*path, key), item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [canonical((*path, index), item) for index, item in enumerate(value)]
    if value is None or isinstance(value, bool):
        return value
    return _canonical_scalar(path, value)


def _canonical_scalar(path: KeyPath, value: str | int | float) -> Any:
    name = path[-1] if path else ""
    if _holds_quantity(path):
        return _as_quantity(value)
    if name in _INT_OR_STRING and isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, str):
        return _as_duration(value) if isinstance(name, str) and _holds_duration(name) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


@functools.lru_cache(maxsize=4096)
def _holds_duration(name: str) -> bool:
    return _DURATION.search(name) is not None


def _holds_quantity(path: KeyPath) -> bool:
    if len(path) >= 2 and path[-2] in _QUANTITY_MAPS and isinstance(path[-1], str):
        return True
    return bool(path) and path[-1] in _QUANTITIES


def _as_quantity(value: str | int | float) -> Any:
    try:
        return {"nano": parse_quantity(value).nano}
    except QuantityError:
        return value


def _as_duration(text: str) -> Any:
    try:
        return {"seconds": str(parse_go_duration(text))}
    except DurationError:
        return text
