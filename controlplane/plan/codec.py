"""Frozen dataclasses to plain JSON values and back, by their type hints. Strict: what does not fit is an error.

A union of dataclasses carries the class's name as `type`. Maps with key paths as keys become lists of pairs. Keys
that a class does not have are left out on reading, so that a newer minor version can still be read.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar, Union

_T = TypeVar("_T")
_TAG = "type"


class CodecError(ValueError):
    """A value does not fit the type; the message says where."""


def encode(value: Any, *, tagged: bool = False) -> Any:
    """A value as JSON has it. `tagged` writes the class of a dataclass."""
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _encode_dataclass(value, tagged=tagged)
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value):
            return {key: encode(item, tagged=True) for key, item in value.items()}
        return [[encode(key), encode(item, tagged=True)] for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [encode(item, tagged=True) for item in value]
    return value


def _encode_dataclass(value: Any, *, tagged: bool) -> dict[str, Any]:
    encoded: dict[str, Any] = {_TAG: type(value).__name__} if tagged else {}
    for field in dataclasses.fields(value):
        encoded[field.name] = encode(getattr(value, field.name), tagged=True)
    return encoded


def decode(kind: type[_T], data: Any) -> _T:
    """The value of type `kind` that `data` stands for. Raises CodecError."""
    value: _T = _decode(kind, data, "")
    return value


def _decode(kind: Any, data: Any, at: str) -> Any:
    if kind is Any:
        return data
    origin = typing.get_origin(kind)
    if origin in (Union, types.UnionType):
        return _decode_union(typing.get_args(kind), data, at)
    if origin is tuple:
        return _decode_tuple(typing.get_args(kind), data, at)
    if origin is dict or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return _decode_mapping(typing.get_args(kind), data, at)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _decode_enum(kind, data, at)
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(kind, data, at)
    return _decode_scalar(kind, data, at)


def _decode_scalar(kind: Any, data: Any, at: str) -> Any:
    if kind is type(None):
        return _checked(data is None, data, "null", at)
    if not isinstance(kind, type):
        raise CodecError(f"{at or 'the value'} has a type that cannot be read")
    right = isinstance(data, kind) and not (kind is not bool and isinstance(data, bool))
    return _checked(right, data, kind.__name__, at)


def _checked(right: bool, data: Any, expected: str, at: str) -> Any:
    if not right:
        raise CodecError(f"{at or 'the value'} is {_name(data)}, expected {expected}")
    return data


def _name(data: Any) -> str:
    return "null" if data is None else type(data).__name__


def _decode_enum(kind: type[enum.Enum], data: Any, at: str) -> enum.Enum:
    known = {member.value: member for member in kind}
    if not isinstance(data, str) or data not in known:
        raise CodecError(f"{at or 'the value'} is not one of {', '.join(map(str, known))}")
    return known[data]


def _decode_union(kinds: tuple[Any, ...], data: Any, at: str) -> Any:
    if data is None and type(None) in kinds:
        return None
    classes = {kind.__name__: kind for kind in kinds if dataclasses.is_dataclass(kind) and isinstance(kind, type)}
    if isinstance(data, dict) and classes:
        tag = data.get(_TAG)
        if len(classes) == 1:
            return _decode(next(iter(classes.values())), data, at)
        if not isinstance(tag, str) or tag not in classes:
            raise CodecError(f"{at or 'the value'} has the type {tag!r}, expected one of {', '.join(classes)}")
        return _decode(classes[tag], data, at)
    return _first_that_fits([kind for kind in kinds if kind is not type(None)], data, at)


def _first_that_fits(kinds: list[Any], data: Any, at: str) -> Any:
    fault: CodecError | None = None
    for kind in kinds:
        try:
            return _decode(kind, data, at)
        except CodecError as error:
            fault = fault or error
    raise fault or CodecError(f"{at or 'the value'} has no type")


def _decode_tuple(kinds: tuple[Any, ...], data: Any, at: str) -> tuple[Any, ...]:
    _checked(isinstance(data, list), data, "a list", at)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_decode(kinds[0], item, f"{at}[{index}]") for index, item in enumerate(data))
    if len(data) != len(kinds):
        raise CodecError(f"{at or 'the value'} has {len(data)} items, expected {len(kinds)}")
    pairs = enumerate(zip(kinds, data, strict=True))
    return tuple(_decode(kind, item, f"{at}[{index}]") for index, (kind, item) in pairs)


def _decode_mapping(kinds: tuple[Any, ...], data: Any, at: str) -> dict[Any, Any]:
    key_kind, value_kind = kinds
    if key_kind is str:
        _checked(isinstance(data, dict), data, "an object", at)
        return {key: _decode(value_kind, item, f"{at}.{key}") for key, item in data.items()}
    if data == {}:
        # An empty map is written the same whatever its keys are.
        return {}
    _checked(isinstance(data, list), data, "a list of pairs", at)
    pairs = [_decode_tuple((key_kind, value_kind), pair, f"{at}[{index}]") for index, pair in enumerate(data)]
    return dict(pairs)


def _decode_dataclass(kind: Any, data: Any, at: str) -> Any:
    _checked(isinstance(data, dict), data, "an object", at)
    given: dict[str, Any] = {}
    for field, hint in _fields(kind):
        if field.name in data:
            given[field.name] = _decode(hint, data[field.name], f"{at}.{field.name}" if at else field.name)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise CodecError(f"{at or kind.__name__} lacks {field.name}")
    return kind(**given)


@functools.cache
def _fields(kind: Any) -> tuple[tuple[dataclasses.Field[Any], Any], ...]:
    hints = typing.get_type_hints(kind)
    return tuple((field, hints[field.name]) for field in dataclasses.fields(kind))
