"""The words that all kinds are written with: names, quantities, durations, references, and the strict base model.

A refused value raises `PydanticCustomError` of type `refused`, whose context holds the fact and the remedy in words;
`faults` makes a finding of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Final, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from controlplane.source import DurationError, Quantity, QuantityError, parse_duration, parse_quantity

API_VERSION: Final = "controlplane.dev/v1alpha1"

T = TypeVar("T")

_LABEL: Final = r"^[a-z]([-a-z0-9]*[a-z0-9])?$"
LABEL_WORD: Final = r"^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$"
SUBDOMAIN: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
_QUANTITY: Final = r"^[0-9]*\.?[0-9]*([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$"
DURATION: Final = r"^([0-9]+(\.[0-9]+)?(h|m|s))+$"
_VERSION: Final = r"^[0-9]+\.[0-9]+(\.[0-9]+)?([.+-][0-9A-Za-z.+-]+)?$"
_MEBIBYTE: Final = 1 << 20
_PEBIBYTE: Final = 1 << 50
_MOST_CPUS: Final = 4096
_LONGEST: Final = 30 * 24 * 3600
"""Seconds. Sums of what is written must stay far below the 32 bits in which Kubernetes keeps probes and deadlines."""


class Strict(BaseModel):
    """What every part of a policy is: unknown keys refused, nothing converted, never changed."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        arbitrary_types_allowed=True,
        extra="forbid",
        frozen=True,
        strict=True,
        defer_build=True,
    )


def refused(fact: str, remedy: str) -> PydanticCustomError:
    """The error for a value of the right type that cannot be meant: the fact, and what to write instead."""
    return PydanticCustomError("refused", "{fact}", {"fact": fact, "remedy": remedy})


def write_duration(seconds: int) -> str:
    """The shortest spelling of whole seconds: 900 is `15m`, 75 is `75s`."""
    for unit, size in (("h", 3600), ("m", 60)):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _read_seconds(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        raise refused(f"{value} has no unit", f"Write {value}s for seconds or {value}m for minutes.")
    if not isinstance(value, str):
        return value
    try:
        seconds: Fraction = parse_duration(value)
    except DurationError as error:
        raise refused(str(error), "Write a duration such as 30s, 10m or 1h30m.") from error
    if seconds.denominator != 1:
        raise refused(f"{value!r} is {float(seconds)} s; whole seconds are counted here", "Write whole seconds.")
    if seconds > _LONGEST:
        raise refused(f"{value!r} is {int(seconds)} s; {_LONGEST} s (30 days) is the most", "Write 720h or less.")
    return int(seconds)


def _read_quantity(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise refused(f"{_shown(value)} is no quantity", "Write a number with a suffix, such as 500m or 64Gi.")
    try:
        quantity = parse_quantity(value)
    except QuantityError as error:
        raise refused(str(error), "Write a number with a suffix, such as 500m or 64Gi.") from error
    if quantity.nano <= 0:
        raise refused(f"{value} is not above zero", "Write an amount above zero.")
    return quantity


def _is_memory(quantity: Quantity) -> Quantity:
    if quantity.bytes() < _MEBIBYTE:
        raise refused(
            f"{quantity} is {float(quantity.value):g} bytes; less than 1Mi ({_MEBIBYTE} bytes) is a wrong suffix",
            "Write the size with Mi, Gi or Ti, such as 64Gi.",
        )
    if quantity.nano % 10**9:
        raise refused(
            f"{quantity} is {float(quantity.value):.12g} bytes, which is no whole number",
            f"Write {quantity.bytes() // _MEBIBYTE}Mi.",
        )
    if quantity.bytes() > _PEBIBYTE:
        raise refused(
            f"{quantity} is {float(quantity.value):g} bytes; more than 1Pi ({_PEBIBYTE} bytes) is a wrong suffix",
            "Write the size with Mi, Gi or Ti, such as 64Gi.",
        )
    return quantity


def _is_cpu(quantity: Quantity) -> Quantity:
    if quantity.nano % 1_000_000:
        raise refused(f"{quantity} is finer than a thousandth of a CPU", "Write CPUs such as 8 or 500m.")
    if quantity.value > _MOST_CPUS:
        raise refused(f"{quantity} CPUs is more than any node has ({_MOST_CPUS})", "Write CPUs such as 8 or 500m.")
    return quantity


def _is_label(value: str) -> str:
    if len(value) > 63 or not re.fullmatch(_LABEL, value):
        raise refused(
            f"{value!r} is no name for an object (lower-case letters, digits, -, a letter first; 63 at most)",
            f"Name it {_nearest_label(value)!r}.",
        )
    return value


def _nearest_label(value: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")[:63].rstrip("-")
    return plain if plain[:1].isalpha() else f"x-{plain}"[:63].rstrip("-")


def _is_subdomain(value: str) -> str:
    if len(value) > 253 or not re.fullmatch(SUBDOMAIN, value):
        raise refused(
            f"{value!r} is no name of an object (lower-case letters, digits, - and ., 253 at most)",
            "Write the object's name as `kubectl get` shows it.",
        )
    return value


def _is_label_key(key: str) -> str:
    prefix, slash, name = key.rpartition("/")
    if not re.fullmatch(LABEL_WORD, name) or (slash and not re.fullmatch(SUBDOMAIN, prefix)):
        raise refused(f"{key!r} is no key of a label", "Write one such as team or example.com/team.")
    return key


def _is_label_value(value: str) -> str:
    if value and not re.fullmatch(LABEL_WORD, value):
        raise refused(
            f"{value!r} is no value of a label (letters, digits, -, _ and . inside, 63 at most)",
            f"Write one such as {re.sub('[^A-Za-z0-9_.-]+', '-', value).strip('-_.')[:63] or 'chat'}.",
        )
    return value


def _read_version(value: object) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise refused(
            f"{value} is a number here, and a version such as 1.30 would lose its zero", f'Write "{value}".'
        )
    return value


def _is_version(value: str) -> str:
    if not re.fullmatch(_VERSION, value):
        meant = value.removeprefix("v")
        remedy = (
            f"Write {meant}." if meant != value and re.fullmatch(_VERSION, meant) else "Write one such as 0.33.0."
        )
        raise refused(f"{value!r} is no version", remedy)
    return value


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return {list: "a list", dict: "a mapping", type(None): "nothing"}.get(type(value), repr(value))


Items = Annotated[tuple[T, ...], Field(strict=False)]
"""A list, kept as a tuple."""

Name = Annotated[
    str, AfterValidator(_is_label), WithJsonSchema({"type": "string", "pattern": _LABEL, "maxLength": 63})
]
"""A name that Kubernetes takes for a Service (DNS-1035), which is the narrowest of all we make."""

ObjectName = Annotated[
    str, AfterValidator(_is_subdomain), WithJsonSchema({"type": "string", "pattern": SUBDOMAIN, "maxLength": 253})
]
"""The name of an object that others made: a claim, a Secret, a PriorityClass."""

Labels = Mapping[
    Annotated[str, AfterValidator(_is_label_key)],
    Annotated[
        str,
        AfterValidator(_is_label_value),
        WithJsonSchema({"type": "string", "pattern": LABEL_WORD.replace("^", "^(").replace("$", ")?$")}),
    ],
]
"""Labels of an object or a node."""

_quantity_schema = WithJsonSchema(
    {"anyOf": [{"type": "string", "pattern": _QUANTITY}, {"type": "number", "exclusiveMinimum": 0}]}
)
_as_text = PlainSerializer(str, return_type=str)

Memory = Annotated[Quantity, AfterValidator(_is_memory), BeforeValidator(_read_quantity), _as_text, _quantity_schema]
"""Bytes as Kubernetes writes them: 64Gi."""

Cpu = Annotated[Quantity, AfterValidator(_is_cpu), BeforeValidator(_read_quantity), _as_text, _quantity_schema]
"""CPUs as Kubernetes writes them: 8, 500m."""

Seconds = Annotated[
    int,
    BeforeValidator(_read_seconds),
    PlainSerializer(write_duration, return_type=str),
    WithJsonSchema({"type": "string", "pattern": DURATION}),
]
"""A length of time, written `30s`, `10m`, `1h30m`; whole seconds inside."""

Version = Annotated[
    str,
    BeforeValidator(_read_version),
    AfterValidator(_is_version),
    WithJsonSchema({"type": "string", "pattern": _VERSION}),
]
"""A version of a component, always as text."""


class PolicyMetadata(Strict):
    """What a policy is called."""

    name: Name
    """The name that other policies refer to; unique for its kind in the folder."""
