"""A plain scalar read by all three readers at once, to find what means different things to them."""

from __future__ import annotations

import functools
import math
from typing import Final

from controlplane.frozen import frozen
from controlplane.source.dialect import Dialect, Scalar
from controlplane.source.scalars import core, kubernetes, vllm
from controlplane.source.scalars.unreadable import Unreadable

_SUSPICIOUS: Final = frozenset("yYnNtTfFoO~.+-0123456789=<!&*")
"""First characters of everything that any of the readers takes for more than a text."""
_WORD_INITIALS: Final = frozenset("yYnNtTfFoO")
_LONGEST_WORD: Final = len("false")
_CACHED_LENGTH: Final = 64
_LONGEST_NUMBER: Final = 1_000
_NUMBER_CHARACTERS: Final = "0123456789+-._:xobXOBeEabcdfACDF"


@frozen
class Reading:
    """What each reader makes of a plain scalar.

    `dated`: to PyYAML it is a date, whose text vLLM takes. `agreed`: it means the same to all three.
    """

    core: Scalar | Unreadable
    kubernetes: Scalar | Unreadable
    vllm: Scalar | Unreadable
    dated: bool
    agreed: bool

    def by(self, dialect: Dialect) -> Scalar | Unreadable:
        """What the named reader makes of it."""
        if dialect is Dialect.POLICY:
            return self.core
        return self.kubernetes if dialect is Dialect.KUBERNETES else self.vllm

    def explain(self, dialect: Dialect) -> str:
        """Who reads it as what, the dialect's own reader first."""
        named = [
            ("here (YAML 1.2)" if dialect is Dialect.POLICY else "in YAML 1.2", describe(self.core)),
            ("to Kubernetes' reader", describe(self.kubernetes)),
            ("to PyYAML (YAML 1.1)", "a date" if self.dated else describe(self.vllm)),
        ]
        own = list(Dialect).index(dialect)
        named.insert(0, named.pop(own))
        readers: dict[str, list[str]] = {}
        for reader, meaning in named:
            readers.setdefault(meaning, []).append(reader)
        return ", but ".join(f"{meaning} {' and '.join(who)}" for meaning, who in readers.items())


def is_text(text: str) -> bool:
    """Whether a plain scalar is surely a text to every reader; False means only that it must be looked at."""
    if not text:
        return False
    first = text[0]
    return first not in _SUSPICIOUS or (first in _WORD_INITIALS and len(text) > _LONGEST_WORD)


def read(text: str) -> Reading:
    """All three readings of a plain scalar."""
    return _read_short(text) if len(text) <= _CACHED_LENGTH else _read(text)


def _read(text: str) -> Reading:
    if len(text) > _LONGEST_NUMBER:
        return _read_long(text)
    ours, theirs, older = core.resolve(text), kubernetes.resolve(text), vllm.resolve(text)
    dated = vllm.is_timestamp(text)
    agreed = not dated and same(ours, theirs) and same(ours, older)
    return Reading(ours, theirs, older, dated, agreed)


def _read_long(text: str) -> Reading:
    """Looks at each character once: the readers' own patterns take much memory for a long text."""
    if text.strip(_NUMBER_CHARACTERS):
        return Reading(text, text, text, dated=False, agreed=True)
    fault = Unreadable(f"it has {len(text):,} characters; numbers of up to {_LONGEST_NUMBER:,} are read")
    return Reading(fault, fault, fault, dated=False, agreed=False)


_read_short = functools.lru_cache(maxsize=4096)(_read)


def same(one: Scalar | Unreadable, other: Scalar | Unreadable) -> bool:
    """Whether two readings are one value. A whole float equals its integer: JSON does not tell them apart."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other or (math.isnan(one) and math.isnan(other))
    return type(one) is type(other) and one == other


def describe(value: Scalar | Unreadable) -> str:
    """The value with its type, for a message."""
    if isinstance(value, Unreadable):
        return "an error"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int | float):
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**63
        return f"the number {int(value) if whole else number_text(value)}"
    return f'the text "{value}"'


def number_text(value: int | float) -> str:
    """The number as YAML writes it."""
    if isinstance(value, int) or math.isfinite(value):
        return repr(value)
    return ".nan" if math.isnan(value) else (".inf" if value > 0 else "-.inf")
