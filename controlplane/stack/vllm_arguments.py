"""How the arguments of `vllm serve` are spelled: by the table of a version, or by rule where there is none.

By rule means what has held for every version so far: a name is the flag with underscores, a flag with nothing behind
it is a switch, `--no-x` turns `x` off, and a value that looks like a JSON number, boolean, object or list is one.
"""

from __future__ import annotations

import enum
from typing import Protocol

from controlplane.frozen import frozen
from controlplane.stack.vllm_tables import Argument, ArgumentTable, load_table, normalized_flag


class Form(enum.Enum):
    """How many words behind a flag are its value."""

    SWITCH = enum.auto()
    ONE = enum.auto()
    MANY = enum.auto()
    REPEATED = enum.auto()
    SEPARATED = enum.auto()
    OPTIONAL = enum.auto()
    GUESSED = enum.auto()


@frozen
class Spelling:
    """One argument as it is written: `off_flag` turns a switch off; `argument` is None where no table tells it."""

    name: str
    flag: str
    form: Form
    off_flag: str | None = None
    argument: Argument | None = None


@frozen
class Match:
    """What a flag on a command line means: an argument, or the negation of a switch."""

    spelling: Spelling
    negated: bool = False
    abbreviated: bool = False


class Arguments(Protocol):
    """The arguments of one version."""

    def match(self, flag: str) -> Match:
        """What a flag means; one that is not known is read by rule."""

    def named(self, name: str) -> Spelling:
        """The spelling for a canonical name; one that is not known is spelled by rule."""


SHORT_FLAGS = {
    "-tp": "tensor_parallel_size",
    "-pp": "pipeline_parallel_size",
    "-dp": "data_parallel_size",
    "-ep": "enable_expert_parallel",
    "-q": "quantization",
}
"""Short flags that mean the same in every version that has them (tables 0.8.5 to 0.33.0)."""


class ByRule:
    """Arguments of a version without a table."""

    def match(self, flag: str) -> Match:
        spelled = normalized_flag(flag)
        if spelled in SHORT_FLAGS:
            return Match(self.named(SHORT_FLAGS[spelled]))
        if spelled.startswith("--no-"):
            return Match(self.named(_name_of(spelled.removeprefix("--no-"))), negated=True)
        return Match(self.named(_name_of(spelled)))

    def named(self, name: str) -> Spelling:
        words = name.replace("_", "-")
        return Spelling(name, f"--{words}", Form.GUESSED, off_flag=f"--no-{words}")


class ByTable:
    """Arguments of a version whose table is there; what it does not know is read by rule."""

    def __init__(self, table: ArgumentTable) -> None:
        self._table = table
        self._unknown = ByRule()

    def match(self, flag: str) -> Match:
        spelled = normalized_flag(flag)
        argument = self._table.argument(spelled)
        if argument is not None:
            return Match(_spelling(argument), negated=spelled in argument.no_flags)
        meant = self._table.by_prefix(spelled)
        if len(meant) != 1:
            return self._unknown.match(flag)
        negated = not any(flag.startswith(spelled) for flag in meant[0].flags)
        return Match(_spelling(meant[0]), negated=negated, abbreviated=True)

    def named(self, name: str) -> Spelling:
        argument = self._table.argument(name)
        return self._unknown.named(name) if argument is None else _spelling(argument)


def arguments_of(version: str | None) -> Arguments:
    """The arguments of a version of vLLM: by its table, by rule where there is none or the version is not known."""
    table = load_table(version) if version is not None else None
    return ByRule() if table is None else ByTable(table)


def _spelling(argument: Argument) -> Spelling:
    return Spelling(argument.name, argument.flag, _form(argument), argument.no_flag, argument)


def _form(argument: Argument) -> Form:
    if argument.kind == "bool":
        return Form.SWITCH
    if argument.repeated:
        return Form.REPEATED
    if argument.separator:
        return Form.SEPARATED
    if argument.nargs == "?":
        return Form.OPTIONAL
    return Form.MANY if argument.kind == "list" else Form.ONE


def _name_of(flag: str) -> str:
    return flag.lstrip("-").replace("-", "_")
