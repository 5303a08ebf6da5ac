"""An argument that takes a value is given none."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, in_table, starts_from_keywords
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.engine import WrittenArgument
from controlplane.stack.model import Stack
from controlplane.stack.vllm_tables import ArgumentTable


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        for argument in engine.engine.written if not starts_from_keywords(engine) else ():
            if argument.alone and _takes_one(table, argument):
                yield Finding(
                    f"{argument.spelling} takes a value, and none follows it",
                    at=argument.key_origin,
                    otherwise=engine.place,
                    remedy=f"Write the value behind {argument.spelling}, or take it out.",
                )


def _takes_one(table: ArgumentTable, argument: WrittenArgument) -> bool:
    """Whether argparse insists on a value. Keys of a config file and dotted flags are read before it."""
    meant = in_table(table, argument)
    if meant is None or argument.negated or "." in argument.spelling or argument.spelling == "-O":
        return False
    return argument.spelling.startswith("-") and meant.kind != "bool" and meant.nargs not in ("?", "*", 0)


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The parser ends with `expected one argument` and status 2, before anything is loaded: the flag is the "
    "last word, or the next one is a flag itself.",
    remedy="Write the value behind the argument, or take the argument out.",
    sources=(
        "vLLM 0.8.5 to 0.33.0, engine/arg_utils.py and entrypoints/*/cli_args.py, as tables in schemas/vllm",
        "Python 3.12, argparse.ArgumentParser._match_argument",
    ),
    bad=(
        example("- --max-num-seqs=8\n- --max-model-len  # fires"),
        example("- --served-model-name  # fires\n- --max-num-seqs=4"),
    ),
    good=(example("- --max-model-len\n- '8192'\n- --enable-prefix-caching"),),
    check=in_every_release(check),
)
