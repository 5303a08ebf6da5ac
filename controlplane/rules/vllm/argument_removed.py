"""An argument is gone from the release of vLLM that runs.

Releases drop arguments without a period in which the old name is still taken.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Applicability, Edit, Layer, Severity
from controlplane.regex import regex
from controlplane.rules.engine_arguments import (
    engines_with_tables,
    in_table,
    is_unset,
    reaches_the_parser,
    respelled,
    starts_from_keywords,
    without,
)
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.engine import WrittenArgument
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack
from controlplane.stack.vllm_tables import ArgumentTable, Removal, removed

_FLAG = regex(r"--([a-z][a-z0-9_.-]*)")
_SAME_VALUE = {
    "cuda_graph_sizes": "--cudagraph-capture-sizes",
    "eplb_log_balancedness": "--eplb-config.log_balancedness",
    "eplb_step_interval": "--eplb-config.step_interval",
    "eplb_window_size": "--eplb-config.window_size",
    "guided_decoding_backend": "--structured-outputs-config.backend",
    "num_redundant_experts": "--eplb-config.num_redundant_experts",
}
"""Arguments with a successor that takes the same values."""

_SWITCHES = {
    "disable_mm_preprocessor_cache": "--mm-processor-cache-gb=0",
    "enable_multimodal_encoder_data_parallel": "--mm-encoder-tp-mode=data",
    "worker_use_ray": "--distributed-executor-backend=ray",
}
"""Switches whose successor takes a value."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        for argument in engine.engine.written:
            removal = removed(argument.name, table.version)
            named = reaches_the_parser(engine, argument)
            if named and removal is not None and in_table(table, argument) is None:
                yield _gone(engine, table, argument, removal)


def _gone(engine: DeployedEngine, table: ArgumentTable, argument: WrittenArgument, removal: Removal) -> Finding:
    edits, applicability = _edits(engine, table, argument, removal)
    return Finding(
        f"{argument.spelling} is gone since vLLM {removal.gone_in} (last in {removal.last_in}); {table.version} runs",
        at=argument.key_origin,
        otherwise=engine.place,
        remedy=_instead(removal, keyword=starts_from_keywords(engine)),
        edits=edits,
        applicability=applicability if edits else Applicability.DISPLAY_ONLY,
        evidence=(evidence("vLLM", engine.engine.version),),
    )


def _edits(
    engine: DeployedEngine, table: ArgumentTable, argument: WrittenArgument, removal: Removal
) -> tuple[tuple[Edit, ...], Applicability]:
    """What a machine may do: nothing needed any more, or one successor with the same values."""
    name = argument.name
    if name == "enable_reasoning" and is_unset(engine, "reasoning_parser"):
        return (), Applicability.DISPLAY_ONLY
    if removal.replacement.startswith("nothing") or name == "enable_reasoning":
        return without(argument), Applicability.NEEDS_DECISION if name == "device" else Applicability.SAFE
    successor = _successor(engine, argument)
    if (
        successor is not None
        and argument.spelling.startswith("--")
        and not argument.negated
        and table.argument(successor) is not None
    ):
        return respelled(argument, successor), Applicability.SAFE
    return (without(argument), Applicability.NEEDS_DECISION) if name == "swap_space" else ((), Applicability.SAFE)


def _successor(engine: DeployedEngine, argument: WrittenArgument) -> str | None:
    if argument.name == "task" and value_of(engine.written("task")) == "generate":
        return "--runner"
    return _SAME_VALUE.get(argument.name) or _SWITCHES.get(argument.name)


def _instead(removal: Removal, *, keyword: bool) -> str:
    """The table's words of what replaces it; where nothing does, they begin by saying so."""
    replacement = _FLAG.sub(lambda flag: flag[1].replace("-", "_"), removal.replacement) if keyword else None
    words, _, reason = (replacement or removal.replacement).partition(": ")
    if words in ("", "nothing", "drop it"):
        return f"Take it out{'' if reason in ('', 'drop it') else f': {reason}'}."
    if words.startswith("no equivalent"):
        return f"Take it out: there is {replacement or removal.replacement}."
    return f"Use instead: {replacement or removal.replacement}."


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Arguments leave `vllm serve` with most releases. The parser ends with `unrecognized arguments` at "
    "the first one that it no longer knows, so that an image that is raised by one tag crash-loops on a command line "
    "that served for months.",
    remedy="Take the argument out or use its successor; the message names it.",
    sources=("vLLM 0.6.6 to 0.33.0, engine/arg_utils.py, compared release by release (schemas/vllm/removed.json)",),
    bad=(
        example("- --disable-log-requests  # fires\n- --swap-space=4  # fires", version="0.32.0"),
        example("- --guided-decoding-backend=xgrammar  # fires", version="0.12.0"),
        example("- --num-scheduler-steps=8  # fires", version="0.10.1"),
    ),
    good=(
        example("- --structured-outputs-config.backend=xgrammar", version="0.12.0"),
        example("- --guided-decoding-backend=xgrammar", version="0.10.0"),
    ),
    check=in_every_release(check),
)
