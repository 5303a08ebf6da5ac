"""Whether vLLM's own parser would take a value."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from controlplane.policy.wording import shown
from controlplane.source import nearest
from controlplane.stack.engine import ArgumentValue
from controlplane.stack.vllm_arguments import Spelling
from controlplane.stack.vllm_tables import Argument
from controlplane.stack.vllm_values import list_value, separated_value, single_value

_SUFFIXED: Final = re.compile(r"[0-9]+[KMGT]?|[0-9]+(\.[0-9]+)?[kmgt]")


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
    if argument.kind == "list":
        return _items_refusal(argument, value)
    if isinstance(value, str) and argument.kind == "int":
        return _suffixed_refusal(argument, value)
    if argument.choices and isinstance(value, str | int) and value not in argument.choices:
        return _not_a_choice(argument, value)
    if isinstance(value, int | float) and not isinstance(value, bool) and not argument.bounds.allow(value):
        return Refusal(f"is {value}; a number {_bounds(argument)} is needed", f"Write a number {_bounds(argument)}.")
    return None


def as_read(spelling: Spelling, value: ArgumentValue) -> ArgumentValue:
    """The value as vLLM has it after reading its command line; None where there is nothing to write.

    `8k` is 8000, a text that looks like a number stays a text, and a switch that cannot be turned off is left out.
    """
    argument = spelling.argument
    if argument is None or value is None:
        return value
    if isinstance(value, bool):
        return value if value or argument.no_flags or argument.kind != "bool" else None
    if isinstance(value, list) and argument.kind == "list":
        items = [_word(item) for item in value]
        return separated_value(spelling, ",".join(items)) if argument.separator else list(list_value(spelling, items))
    if isinstance(value, str) or (isinstance(value, int | float) and argument.kind in ("str", "json_or_str")):
        return single_value(spelling, _word(value))
    return value


def _word(value: ArgumentValue) -> str:
    """A value as one word of a command line."""
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def remark(argument: Argument, value: Any) -> Refusal | None:
    """What is odd about a value that the parser takes: plugins may add to these, so it may be right."""
    if not argument.known or not isinstance(value, str | int) or isinstance(value, bool):
        return None
    known = [str(one) for one in argument.known]
    if str(value).casefold() in {one.casefold() for one in known}:
        return None
    near = nearest(str(value), known)
    listed = ", ".join(known)
    return Refusal(f"is {shown(value)}; known are {listed}", f"Write {near or f'one of {listed}'}.")


def _items_refusal(argument: Argument, values: list[Any]) -> Refusal | None:
    """Why a list is refused: what no item can be, or no item where argparse wants at least one."""
    if not values:
        return Refusal("is an empty list; at least one item is needed", "Write an item, or leave it out.")
    for value in values:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if argument.items == "int" and not (number and isinstance(value, int)):
            return Refusal(f"holds {shown(value)}; whole numbers are needed", "Write a list of whole numbers.")
        if argument.items == "float" and not number:
            return Refusal(f"holds {shown(value)}; numbers are needed", "Write a list of numbers.")
        if value is None or isinstance(value, list):
            return Refusal(f"holds {shown(value)}; texts are needed", "Write a list of texts.")
    return None


def _suffixed_refusal(argument: Argument, value: str) -> Refusal | None:
    """Numbers such as 8k (8000), 1.5k (1500) and 8K (8192), as `human_readable_int` reads them (vLLM 0.33)."""
    if _SUFFIXED.fullmatch(value) or (value == "auto" and argument.reader.endswith("_or_auto")):
        return None
    return Refusal(f"is {shown(value)}; a whole number is needed", "Write a number such as 8192, 8k or 8K.")


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
            needed = "a list" if isinstance(argument.default, list) else "a mapping"
            return None if isinstance(value, dict | list) else needed
        case "json_or_str":
            return None if isinstance(value, dict | str) or number else "a mapping or a text"
        case "list":
            return None if isinstance(value, list) else "a list"


def _not_a_choice(argument: Argument, value: str | int) -> Refusal:
    known = [str(choice) for choice in argument.choices]
    near = nearest(str(value), known)
    listed = ", ".join(known)
    return Refusal(f"is {shown(value)}; known are {listed}", f"Write {near or f'one of {listed}'}.")


def _bounds(argument: Argument) -> str:
    bounds = argument.bounds
    said = (("at least", bounds.ge), ("above", bounds.gt), ("at most", bounds.le), ("below", bounds.lt))
    limits = [f"{words} {limit:g}" for words, limit in said if limit is not None]
    return " and ".join(limits)
