"""Whether vLLM's own parser would take a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from controlplane.policy.wording import shown
from controlplane.source import nearest
from controlplane.stack.vllm_tables import Argument


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a value is not taken, in words that follow the argument's name, and what to write."""

    fact: str
    remedy: str


def refusal(argument: Argument, value: Any) -> Refusal | None:
    """The reason why `vllm serve` refuses the value, or None where it takes it or the table cannot tell."""
    if value is None:
        return None if argument.optional else Refusal("is empty", "Give it a value, or leave it out.")
    needed = _needed(argument, value)
    if needed is not None:
        return Refusal(f"is {shown(value)}; {needed} is needed", f"Write {needed}.")
    if argument.choices and isinstance(value, str | int) and value not in argument.choices:
        return _not_a_choice(argument, value)
    if isinstance(value, int | float) and not isinstance(value, bool) and not argument.bounds.allow(value):
        return Refusal(f"is {value}, {_bounds(argument)}", f"Write a number, {_bounds(argument)}.")
    return None


def _needed(argument: Argument, value: Any) -> str | None:
    """The form that is needed where the value has another, else None."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    match argument.kind:
        case "bool":
            return None if isinstance(value, bool) else "true or false"
        case "int":
            fits = isinstance(value, int) and not isinstance(value, bool)
            return None if fits or (argument.human_readable_int and isinstance(value, str)) else "a whole number"
        case "float":
            return None if number else "a number"
        case "str" | "enum":
            return None if isinstance(value, str) or (number and argument.kind == "str") else "a text"
        case "json":
            return None if isinstance(value, dict | list) else "a mapping"
        case "list":
            return None if isinstance(value, list) else "a list"
        case _:
            return None


def _not_a_choice(argument: Argument, value: str | int) -> Refusal:
    known = [str(choice) for choice in argument.choices]
    near = nearest(str(value), known)
    listed = ", ".join(known)
    return Refusal(f"is {shown(value)}; known are {listed}", f"Write {near or f'one of {listed}'}.")


def _bounds(argument: Argument) -> str:
    bounds = argument.bounds
    said = (("at least", bounds.ge), ("above", bounds.gt), ("at most", bounds.le), ("below", bounds.lt))
    limits = [f"{words} {limit:g}" for words, limit in said if limit is not None]
    return "which must be " + " and ".join(limits)
