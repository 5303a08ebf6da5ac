"""An argument is given twice, and only the last one counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, in_table, starts_from_keywords
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.engine import WrittenArgument
from controlplane.stack.model import Stack
from controlplane.stack.vllm_tables import ArgumentTable


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        if not starts_from_keywords(engine):
            yield from _repeated(engine, table)


def _repeated(engine: DeployedEngine, table: ArgumentTable) -> Iterator[Finding]:
    """Every argument but the last of its name; a dotted one and one that collects values are joined instead."""
    places: dict[str, list[WrittenArgument]] = defaultdict(list)
    for argument in engine.engine.written:
        meant = in_table(table, argument)
        if meant is not None and not meant.repeated and "." not in argument.spelling and _is_command_line(argument):
            places[meant.name].append(argument)
    for same in places.values():
        for argument in same[:-1]:
            yield Finding(
                f"{argument.spelling} is given {len(same)} times; vLLM takes the last one",
                at=argument.key_origin,
                otherwise=engine.place,
                remedy="Take this one out, or the other if this is the value you want.",
                related=((same[-1].key_origin, "this one counts"),),
            )


def _is_command_line(argument: WrittenArgument) -> bool:
    """Not a key of a config file, which the command line overrides on purpose."""
    return argument.spelling.startswith("-")


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Of an argument that is given twice argparse keeps the last value and drops the first without a word. "
    "In a manifest that is put together from a base and an overlay the two are rarely meant to differ.",
    remedy="Leave one of them.",
    sources=("vLLM 0.33.0, utils/argparse_utils.py",),
    bad=(example("- --max-num-seqs=64  # fires\n- --max-model-len=8192\n- --max-num-seqs=128"),),
    good=(example("- --max-num-seqs=128\n- --middleware=a.B\n- --middleware=c.D"),),
    check=in_every_release(check),
)
