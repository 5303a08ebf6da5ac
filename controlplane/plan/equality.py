"""Equality by meaning: two spellings of one value are one value.

The API server writes built-in kinds in their canonical spelling and leaves custom resources as they were written,
pod templates inside them included. So `1000m` and `1`, `0.5` and `500m`, `"80"` and `80`, `5m` and `300s` are
compared by value, on the fields that hold quantities, ports or percentages, and durations; everywhere else the text
counts.
"""

from __future__ import annotations

import enum
import functools
import json
import re
from collections.abc import Hashable
from typing import Any

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


_LONGEST_INTEGER = 18
_CONTAINERS = (dict, list)


FieldPath = tuple[Hashable, ...]
"""A key path or an address: only its last two names count here."""


class _Treatment(enum.Enum):
    """How the values of a field are told apart."""

    AS_WRITTEN = enum.auto()
    QUANTITY = enum.auto()
    INT_OR_STRING = enum.auto()
    DURATION = enum.auto()


def same_value(path: FieldPath, one: Any, other: Any) -> bool:
    """Whether two values of the field at `path` mean the same."""
    if type(one) is type(other) and one == other and not isinstance(one, _CONTAINERS):
        return True
    return canonical_text(path, one) == canonical_text(path, other)


def canonical_text(path: FieldPath, value: Any) -> str:
    """One text for every spelling of a value; different values of a field have different texts."""
    plain = canonical(path, value)
    # Texts are most of all values; an opening quote alone tells them from everything that JSON writes.
    return f'"{plain}' if isinstance(plain, str) else json.dumps(plain, sort_keys=True)


def canonical(path: FieldPath, value: Any) -> Any:
    """The value in one spelling, containers included."""
    if isinstance(value, _CONTAINERS):
        if isinstance(value, dict):
            return {key: canonical((*path, key), item) for key, item in value.items()}
        return [canonical((*path, index), item) for index, item in enumerate(value)]
    if value is None or isinstance(value, bool):
        return value
    return _canonical_scalar(_treatment(*path[-2:]), value)


def _canonical_scalar(treatment: _Treatment, value: str | int | float) -> Any:
    if treatment is _Treatment.QUANTITY:
        return _as_quantity(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if treatment is _Treatment.AS_WRITTEN or isinstance(value, int):
        return value
    return _as_duration(value) if treatment is _Treatment.DURATION else _as_integer(value)


@functools.lru_cache(maxsize=1 << 14)
def _treatment(*names: Hashable) -> _Treatment:
    """By the last two steps of a field's path."""
    name = names[-1] if names else ""
    if name in _QUANTITIES or (len(names) > 1 and names[0] in _QUANTITY_MAPS and isinstance(name, str)):
        return _Treatment.QUANTITY
    if name in _INT_OR_STRING:
        return _Treatment.INT_OR_STRING
    is_duration = isinstance(name, str) and _DURATION.search(name) is not None
    return _Treatment.DURATION if is_duration else _Treatment.AS_WRITTEN


def _as_integer(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _LONGEST_INTEGER else text


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
