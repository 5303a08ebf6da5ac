"""What rules ask of an engine's arguments: how they are written, whether a release is meant, how to edit them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from controlplane.diagnostics import Edit, Span
from controlplane.frozen import frozen
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.engine import WrittenArgument
from controlplane.stack.facts import ABSENT, Declared, Fact, Known, Origin, value_of
from controlplane.stack.model import Stack
from controlplane.stack.schema_files import release_of
from controlplane.stack.vllm_tables import Argument, ArgumentTable, load_table

NOT_FLAGS = frozenset(
    {"_api_process_count", "_api_process_rank", "enable_mm_processor_stats", "mamba_config", "model_weights"}
    | {"quantization_config"}
)
"""Fields of `EngineArgs` that no flag sets, so that only `engine_kwargs` can (vLLM 0.11 to 0.33)."""


@frozen
class Releases:
    """A stretch of releases: from `since` on, and before `gone`. An empty end is open."""

    since: str = ""
    gone: str = ""

    def has(self, version: str | None) -> bool:
        """Whether a release is certainly in the stretch; one that cannot be read is not."""
        release = release_of(version) if version is not None else None
        if release is None:
            return False
        first, end = release_of(self.since or "0.0"), release_of(self.gone or "999.0")
        return first is not None and end is not None and first <= release < end


def engines_with_tables(stack: Stack) -> Iterator[tuple[DeployedEngine, ArgumentTable]]:
    """The engines whose release has a table of arguments."""
    for engine in engines_of(stack):
        table = load_table(engine.version) if engine.version is not None else None
        if table is not None:
            yield engine, table


def starts_from_keywords(engine: DeployedEngine) -> bool:
    """Whether the arguments are `engine_kwargs` of Serve LLM: fields of a class instead of flags."""
    return engine.engine.serve_deployment != ("", "")


def long_flag(engine: DeployedEngine, argument: WrittenArgument) -> str:
    """The long flag that the parser is given: a key of a config file becomes one. Empty for keywords, short flags."""
    if starts_from_keywords(engine) or not argument.spelling.startswith(("--", "-")):
        return "" if starts_from_keywords(engine) else f"--{argument.spelling}"
    return argument.spelling if argument.spelling.startswith("--") else ""


def reaches_the_parser(engine: DeployedEngine, argument: WrittenArgument) -> bool:
    """Whether a parser reads the name of an argument: long flags, keywords, and keys of a config file.

    Of a file's keys that are false vLLM leaves out those for which it knows no `--no-` (utils/argparse_utils.py).
    """
    if starts_from_keywords(engine) or argument.spelling.startswith("--"):
        return True
    key = not argument.spelling.startswith("-")
    return key and argument.text not in ("false", "False") and value_of(engine.written(argument.name)) is not False


def in_table(table: ArgumentTable, argument: WrittenArgument) -> Argument | None:
    """What an argument means in a release, by its very spelling; None for what the release does not have."""
    if argument.spelling.startswith("-"):
        return table.argument(argument.spelling)
    return table.argument(argument.name) or table.argument(f"--{argument.spelling}")


def is_on(engine: DeployedEngine, name: str) -> bool:
    """Whether a switch is certainly on."""
    return value_of(engine.argument(name)) is True


def is_off(engine: DeployedEngine, name: str) -> bool:
    """Whether a switch is certainly not on: written off, or left out where the default is off or nothing."""
    fact = engine.argument(name)
    return fact == ABSENT or (isinstance(fact, Known) and fact.value in (False, None))


def is_unset(engine: DeployedEngine, name: str) -> bool:
    """Whether certainly nobody wrote an argument."""
    return engine.written(name) == ABSENT


def whole_number(fact: Fact[Any]) -> int | None:
    """A fact's whole number, None where it is not known or is none."""
    value = value_of(fact)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text(engine: DeployedEngine, name: str) -> str | None:
    """The text that somebody wrote for an argument, None where it is not known or is no text."""
    value = value_of(engine.written(name))
    return value if isinstance(value, str) else None


def spelled(engine: DeployedEngine, name: str) -> str:
    """An argument as this engine's owner writes it: a key of `engine_kwargs` or of a policy, or a flag."""
    fact = engine.written(name)
    place = fact.origin if isinstance(fact, Known) else None
    if engine.engine.checkpoint and isinstance(place, Declared) and place.path:
        return str(place.path[-1])
    written = next((w.spelling for w in engine.engine.written if w.name == name and not w.negated), None)
    return written or (name if starts_from_keywords(engine) else f"--{name.replace('_', '-')}")


def without(argument: WrittenArgument) -> tuple[Edit, ...]:
    """The edits that take an argument out; none where the place of one of its words is not known."""
    spans = [_span(word) for word in argument.words]
    return tuple(Edit(span, "") for span in spans if span is not None) if argument.verbatim and all(spans) else ()


def respelled(argument: WrittenArgument, flag: str) -> tuple[Edit, ...]:
    """The edit that writes another flag in the place of this one and leaves its value."""
    span = _span(argument.key_origin)
    return (Edit(span, flag),) if span is not None and argument.verbatim else ()


def _span(origin: Origin | None) -> Span | None:
    return origin.span if isinstance(origin, Declared) else None
