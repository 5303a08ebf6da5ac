"""Scalars as PyYAML's `safe_load` reads them (YAML 1.1 as of PyYAML 6.0), which is how vLLM reads `--config`.

PyYAML's own tables and constructors do the work. Dates become texts, as vLLM makes them (`str(value)`) when it turns
the file into arguments.
"""

from __future__ import annotations

import binascii
from typing import Final

import yaml

from controlplane.source.dialect import Scalar
from controlplane.source.scalars.unreadable import Unreadable

_PREFIX: Final = "tag:yaml.org,2002:"
_STR: Final = f"{_PREFIX}str"
_RESOLVERS = yaml.SafeLoader.yaml_implicit_resolvers
_CONSTRUCTOR = yaml.constructor.SafeConstructor()
_TYPES: Final = frozenset({"bool", "int", "float", "null", "str", "timestamp"})
_MAX_NUMBER: Final = 1_000


def resolve(text: str) -> Scalar | Unreadable:
    """The value of a plain scalar."""
    return resolve_tagged(_implicit_tag(text), text)


def resolve_tagged(tag: str, text: str) -> Scalar | Unreadable:
    """The value of a scalar with a tag; PyYAML refuses tags that it does not know."""
    short = tag.removeprefix(_PREFIX) if tag.startswith(_PREFIX) else ""
    if tag == "!":
        return resolve(text)
    if tag == _STR:
        return text
    if short not in _TYPES:
        return Unreadable(f"PyYAML's safe_load makes no plain value of the tag {tag}")
    if len(text) > _MAX_NUMBER and short in {"int", "float"}:
        return Unreadable(f"it has {len(text)} characters; Python reads no number of that size")
    try:
        return _construct(tag, text)
    except (ValueError, KeyError, IndexError, AttributeError, OverflowError, binascii.Error, yaml.YAMLError) as error:
        return Unreadable(f"PyYAML's safe_load fails on it ({_first_line(error)})")


def is_timestamp(text: str) -> bool:
    """Whether a plain scalar is a date or a time to PyYAML."""
    return _implicit_tag(text) == f"{_PREFIX}timestamp"


def _implicit_tag(text: str) -> str:
    candidates = _RESOLVERS.get(text[:1], [])
    for tag, pattern in candidates:
        if pattern.match(text):
            return str(tag)
    return _STR


def _construct(tag: str, text: str) -> Scalar:
    node = yaml.ScalarNode(tag, text)
    value: object = _CONSTRUCTOR.yaml_constructors[tag](_CONSTRUCTOR, node)
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
