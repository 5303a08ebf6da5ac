"""What is known of a value, and where it came from.

A value read from a manifest or resolved from a policy is rarely just a value: it can be templated, set only at
run time or absent, and every finding has to say where it stands. `Fact` keeps both. Origins never take part in
equality: two stacks are equal when they declare the same, wherever it was written.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import field
from typing import Any, Generic, TypeVar

from controlplane.diagnostics import KeyPath, Span
from controlplane.frozen import frozen

T = TypeVar("T")


@frozen
class Declared:
    """Written by somebody: the place in the file and the path of keys that leads there."""

    span: Span
    path: KeyPath = ()

    def __str__(self) -> str:
        return str(self.span)


@frozen
class LiveField:
    """Read from an object in a cluster; `object` as `Kind/namespace/name`."""

    object: str
    path: KeyPath

    def __str__(self) -> str:
        return f"{self.object} in the cluster"


@frozen
class Table:
    """Looked up in a generated table under `schemas/`; `version` is that of the component it describes."""

    name: str
    version: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.version}".rstrip()


@frozen
class Input:
    """One value that a derivation used."""

    name: str
    value: str | int | float | bool | None
    origin: Origin


@frozen
class Derived:
    """Computed: the formula in words and numbers, and what went in. Without inputs it is a fixed rule of ours."""

    formula: str
    inputs: tuple[Input, ...] = ()

    def __str__(self) -> str:
        return self.formula


Origin = Declared | LiveField | Table | Derived


class Why(enum.StrEnum):
    """Why a value is unknown."""

    ABSENT = "absent"
    TEMPLATED = "templated"
    RUNTIME = "runtime"
    UNRESOLVED = "unresolved"
    VERSION = "version"


@frozen
class Known(Generic[T]):
    """The value is known."""

    value: T
    origin: Origin = field(compare=False)


@frozen
class OneOf(Generic[T]):
    """The value is one of these, and the input cannot tell which."""

    values: tuple[T, ...]
    origin: Origin = field(compare=False)


@frozen
class Unknown:
    """The value is not known; `needs` says in words what would tell it."""

    why: Why
    needs: str = field(default="", compare=False)


Fact = Known[T] | OneOf[T] | Unknown

ABSENT = Unknown(Why.ABSENT)
"""The input does not set the value."""


def value_of(fact: Fact[T]) -> T | None:
    """The value where it is known for certain, else None."""
    return fact.value if isinstance(fact, Known) else None


def value_or(fact: Fact[T], default: T) -> T:
    """The value where it is known for certain, else `default`."""
    return fact.value if isinstance(fact, Known) else default


def origin_of(fact: Fact[Any]) -> Origin | None:
    """Where a value came from, or None where there is none."""
    return None if isinstance(fact, Unknown) else fact.origin


def derived(value: T, formula: str, inputs: Iterable[tuple[str, Fact[Any]]] = ()) -> Known[T]:
    """A computed value that remembers its formula and, of its inputs, those that are known."""
    known = tuple(Input(name, _scalar(f.value), f.origin) for name, f in inputs if isinstance(f, Known))
    return Known(value, Derived(formula, known))


def _scalar(value: object) -> str | int | float | bool | None:
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
