"""`@frozen`: what `@dataclass(frozen=True, slots=True)` makes, at a small part of its cost.

A cold run of lint defines two hundred such classes and uses half of them; a large one makes hundreds of thousands of
instances. `dataclasses` compiles six functions for every class where it is defined, which was two fifths of a cold
run, and sets every field of a frozen instance by `object.__setattr__`, which is five times slower than a plain
assignment (Python 3.11). Here a class's constructor is compiled when its first instance is made, all else is shared,
and fields are assigned as an unfrozen twin that becomes the class in the end.

The result is a dataclass to all others: `replace`, `fields`, `match`, `pickle` and `repr` know it. There are no
subclasses, no `__post_init__` and no fields that the constructor does not take.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")

_ABSENT: Any = object()
"""What the constructor finds in a parameter with a default factory that was not given."""


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, order: bool = False) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def frozen(cls: type[Any] | None = None, /, *, order: bool = False) -> Any:
    """The class with slots, a constructor and equality by its annotated fields; with `order` sorted by them too.

    Raises TypeError for what it does not do.
    """
    return _frozen(cls, order) if cls is not None else lambda cls: _frozen(cls, order)


def _frozen(cls: type[Any], order: bool) -> type[Any]:
    own = vars(cls)
    names = tuple(cls.__annotations__)
    if "__post_init__" in own or any(
        text.startswith(("ClassVar", "InitVar")) for text in cls.__annotations__.values()
    ):
        raise TypeError(f"{cls.__qualname__}: a frozen class has fields alone; use dataclasses.dataclass")
    given = {name: own[name] for name in names if name in own}
    described = {name: value for name, value in given.items() if isinstance(value, dataclasses.Field)}
    kept = {name: value for name, value in own.items() if name not in (*given, "__dict__", "__weakref__")}
    compared = [name for name in names if name not in described or described[name].compare]
    shown = [name for name in names if name not in described or described[name].repr]
    methods = {
        "__delattr__": _refuse,
        "__setattr__": _refuse,
        "__reduce__": _reduction(names),
        "__repr__": _representation(shown),
        **_comparison(compared, order),
    }
    added = {
        "__qualname__": cls.__qualname__,
        "__slots__": names,
        "__match_args__": names,
        "__new__": _constructor_on_demand(names, given),
        "__dataclass_fields__": _FieldsOnDemand(given),
    }
    return type(cls.__name__, cls.__bases__, {**methods, **kept, **added})


def _constructor_on_demand(names: Sequence[str], given: dict[str, Any]) -> Callable[..., Any]:
    def __new__(cls: type[Any], *arguments: Any, **named: Any) -> Any:  # noqa: N807 - it is one
        cls.__new__ = _constructor(cls, names, given)
        return cls.__new__(cls, *arguments, **named)

    return __new__


def _constructor(cls: type[Any], names: Sequence[str], given: dict[str, Any]) -> Callable[..., Any]:
    """A constructor that assigns every field; only such an instance becomes one of `cls`, and is frozen then."""
    own = {name: value for name, value in vars(cls).items() if name == "__orig_bases__"}
    twin = type(cls.__name__, cls.__bases__, {"__slots__": tuple(names), **own})
    known: dict[str, Any] = {"_new": object.__new__, "_twin": twin, "_ABSENT": _ABSENT}
    parameters, lines = ["_cls"], ["_self = _new(_twin)"]
    for name in names:
        default, factory = _default(given.get(name, dataclasses.MISSING))
        if default is not dataclasses.MISSING:
            known[f"_default_{name}"] = default
        value = name
        if factory is not dataclasses.MISSING:
            known[f"_factory_{name}"] = factory
            value = f"_factory_{name}() if {name} is _ABSENT else {name}"
        parameters.append(name if default is dataclasses.MISSING else f"{name}=_default_{name}")
        lines.append(f"_self.{name} = {value}")
    lines += ["_self.__class__ = _cls", "return _self"]
    source = f"def __new__({', '.join(parameters)}):\n  " + "\n  ".join(lines)
    exec(source, known)  # noqa: S102 - as dataclasses does it; the names are those of a class's fields
    made: Callable[..., Any] = known["__new__"]
    return made


def _default(given: Any) -> tuple[Any, Any]:
    """A parameter's default and the factory of the field's; MISSING for none."""
    if not isinstance(given, dataclasses.Field):
        return given, dataclasses.MISSING
    if given.default_factory is not dataclasses.MISSING:
        return _ABSENT, given.default_factory
    return given.default, dataclasses.MISSING


def _comparison(names: Sequence[str], order: bool) -> dict[str, Callable[..., Any]]:
    key = _values(names)

    def equal(self: Any, other: Any) -> Any:
        if self is other:
            return True
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def less(self: Any, other: Any) -> Any:
        return key(self) < key(other) if other.__class__ is self.__class__ else NotImplemented

    def less_or_equal(self: Any, other: Any) -> Any:
        return key(self) <= key(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(key(self))

    # Python asks the other side for the reverse of `<`, so `>` needs nothing of its own.
    ordered = {"__lt__": less, "__le__": less_or_equal} if order else {}
    return {"__eq__": equal, "__hash__": hashed, **ordered}


def _values(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """The values of some fields as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda _: ()
    only = attrgetter(*names)
    return lambda instance: (only(instance),)


def _reduction(names: Sequence[str]) -> Callable[[Any], Any]:
    values = _values(names)
    return lambda self: (self.__class__, values(self))


def _representation(names: Sequence[str]) -> Callable[[Any], str]:
    def represented(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({values})"

    return represented


def _refuse(self: Any, name: str, *_: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"{self.__class__.__qualname__}.{name} cannot be changed")


class _FieldsOnDemand:
    """`__dataclass_fields__`, worked out by `dataclasses` itself when it is first asked for."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given

    def __get__(self, _: object, owner: type[Any]) -> dict[str, Any]:
        described = {"__module__": owner.__module__, "__annotations__": dict(owner.__annotations__), **self._given}
        described_alike: Any = dataclasses.dataclass(type(owner.__name__, (), described))
        found: dict[str, Any] = described_alike.__dataclass_fields__
        owner.__dataclass_fields__ = found
        return found
