"""What was worked out of an object a moment ago: every rule asks the same of a Stack, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_KEPT: Final = 16
"""As many results are kept: those of a Stack under judgement, and not of all that were read."""


def recent(function: Callable[P, R]) -> Callable[P, R]:
    """A pure function that remembers its last results. Arguments are the same only if they are the same object.

    Comparing two Stacks, or making a hash of one, would take longer than the function does. Not for a
    generator, which is used up once.
    """
    found: dict[tuple[int, ...], tuple[Any, R]] = {}

    @wraps(function)
    def remembering(*arguments: P.args, **named: P.kwargs) -> R:
        if named:
            return function(*arguments, **named)
        key = tuple(map(id, arguments))
        known = found.get(key)
        if known is None:
            if len(found) >= _KEPT:
                del found[next(iter(found))]
            # The arguments are kept with the result, so that no other object gets their identity.
            known = found[key] = (arguments, function(*arguments, **named))
        return known[1]

    return remembering
