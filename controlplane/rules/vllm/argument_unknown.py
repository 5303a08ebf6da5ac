"""An argument is none of vLLM's in the release that runs.

The server's parser ends with status 2 at the first argument that it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Applicability, Layer, Severity
from controlplane.rules.engine_arguments import (
    NOT_FLAGS,
    engines_with_tables,
    in_table,
    long_flag,
    reaches_the_parser,
    respelled,
    starts_from_keywords,
)
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Abstention, Finding, Rule
from controlplane.rules.unread_engines import missing_versions, unread_parts
from controlplane.rules.vllm._example import engine as example
from controlplane.source import nearest
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.engine import WrittenArgument
from controlplane.stack.model import Stack
from controlplane.stack.vllm_tables import ArgumentTable, introduced, removed

_OTHER_PROGRAMS = frozenset({"--omni"})
"""Arguments by which another program, installed beside vLLM, takes over the command line."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        written = engine.engine.written
        for argument in written if not any(w.spelling in _OTHER_PROGRAMS for w in written) else ():
            if _is_unknown(engine, table, argument):
                yield _unknown(engine, table, argument)


def check_or_abstain(stack: Stack) -> Iterator[Finding | Abstention]:
    """Also says, once for all rules on arguments, which engines they could not judge, or not to the end."""
    yield from in_every_release(check)(stack)
    yield from unread_parts(stack)
    for engine, needs in missing_versions(stack):
        if engine.engine.written:
            yield Abstention(needs, at=engine.place)


def _is_unknown(engine: DeployedEngine, table: ArgumentTable, argument: WrittenArgument) -> bool:
    """Not one that is gone, is yet to come, or is an abbreviation: other rules speak of these."""
    keyword = starts_from_keywords(engine)
    if not reaches_the_parser(engine, argument) or in_table(table, argument) is not None:
        return False
    if (keyword and argument.name in NOT_FLAGS) or removed(argument.name, table.version) is not None:
        return False
    return introduced(argument.name) is None and not table.by_prefix(long_flag(engine, argument))


def _unknown(engine: DeployedEngine, table: ArgumentTable, argument: WrittenArgument) -> Finding:
    near = _nearest(engine, table, argument)
    return Finding(
        f"{argument.spelling} is no argument of vLLM {table.version}" + (f"; the nearest is {near}" if near else ""),
        at=argument.key_origin,
        otherwise=engine.place,
        remedy=f"Write {near}, or take it out." if near else "Take it out, or correct its name.",
        edits=respelled(argument, near) if near else (),
        applicability=Applicability.NEEDS_DECISION if near else Applicability.DISPLAY_ONLY,
    )


def _nearest(engine: DeployedEngine, table: ArgumentTable, argument: WrittenArgument) -> str | None:
    """The nearest name, written as this one is: a keyword, a flag, or a key of a config file."""
    if starts_from_keywords(engine):
        return nearest(argument.spelling, table.names())
    flag = long_flag(engine, argument).partition(".")[0]
    near = nearest(flag, [known for known in table.spellings if known.startswith("--")])
    return near if near is None or argument.spelling.startswith("-") else near.removeprefix("--")


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="`vllm serve` reads its command line with argparse: an argument that it does not know ends it with "
    "`unrecognized arguments` before anything is loaded, and the pod restarts for ever. Serve LLM refuses an "
    "unknown key of engine_kwargs in the same way (`Unknown engine argument`).",
    remedy="Correct the name of the argument, or take it out.",
    sources=(
        "vLLM 0.8.5 to 0.33.0, engine/arg_utils.py and entrypoints/*/cli_args.py, as tables in schemas/vllm",
        "Ray 2.60.0, ray/llm: VLLMEngineConfig.from_llm_config",
    ),
    bad=(example("- --max-model-length=8192  # fires"), example("- --enforce-egaer  # fires", version="0.11.2")),
    good=(example("- --max-model-len=8192\n- --enforce-eager"),),
    check=check_or_abstain,
)
