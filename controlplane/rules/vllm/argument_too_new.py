"""An argument came with a later release of vLLM than the one that runs."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import (
    Releases,
    engines_with_tables,
    in_table,
    reaches_the_parser,
)
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.engine import WrittenArgument
from controlplane.stack.model import Stack
from controlplane.stack.vllm_tables import ArgumentTable, introduced


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        for argument in engine.engine.written:
            since = _since(engine, table, argument)
            if since is not None:
                yield Finding(
                    f"{argument.spelling} is in vLLM from {since} on; {table.version} runs",
                    at=argument.key_origin,
                    otherwise=engine.place,
                    remedy=f"Use an image with vLLM {since} or later, or take it out.",
                    evidence=(evidence("vLLM", engine.engine.version),),
                )


def _since(engine: DeployedEngine, table: ArgumentTable, argument: WrittenArgument) -> str | None:
    """The first release with an argument; a patch release without a table of its own may have it already."""
    named = reaches_the_parser(engine, argument)
    if not table.exact or not named or in_table(table, argument) is not None:
        return None
    since = introduced(argument.name)
    return since if since is not None and Releases(gone=since).has(table.version) else None


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The parser of an older release ends with `unrecognized arguments` at an argument that came later. It "
    "is what happens when an image is taken back to the last good tag and its arguments stay.",
    remedy="Use the release that brought the argument, or take it out.",
    sources=("vLLM 0.8.5 to 0.33.0, compared release by release (schemas/vllm/index.json)",),
    bad=(example("- --attention-backend=FLASHINFER  # fires", version="0.11.2"),),
    good=(example("- --attention-backend=FLASHINFER", version="0.13.0"),),
    check=in_every_release(check),
)
