"""An abbreviated argument may mean several."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, in_table, long_flag, reaches_the_parser
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import listed
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.engine import WrittenArgument
from controlplane.stack.model import Stack
from controlplane.stack.vllm_tables import ArgumentTable, introduced, removed

_SHOWN = 4


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        for argument in engine.engine.written:
            meant = _meant(engine, table, argument)
            if len(meant) > 1:
                more = f" and {len(meant) - _SHOWN} more" if len(meant) > _SHOWN else ""
                shown = ", ".join(meant[:_SHOWN]) + more if more else listed(meant, "or")
                yield Finding(
                    f"{argument.spelling} may mean {shown} in vLLM {table.version}, so the parser refuses it",
                    at=argument.key_origin,
                    otherwise=engine.place,
                    remedy=f"Write {listed(meant, 'or')} in full." if not more else "Write the argument in full.",
                )


def _meant(engine: DeployedEngine, table: ArgumentTable, argument: WrittenArgument) -> list[str]:
    """The flags that argparse finds; not for a name that was an argument of its own in another release."""
    if not reaches_the_parser(engine, argument) or in_table(table, argument) is not None:
        return []
    if introduced(argument.name) is not None or removed(argument.name, table.version) is not None:
        return []
    return [meant.flag for meant in table.by_prefix(long_flag(engine, argument))]


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="argparse completes `--tensor-parallel` to the one argument that begins so. Where several do it ends "
    "with `ambiguous option`, and a release that adds an argument can make an abbreviation ambiguous that was not.",
    remedy="Write the argument in full.",
    sources=("Python's argparse (allow_abbrev), which vLLM 0.8.5 to 0.33.0 leaves on",),
    bad=(example("- --max-num=64  # fires"),),
    good=(example("- --max-num-seqs=64"),),
    check=in_every_release(check),
)
