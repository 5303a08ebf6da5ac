"""Tool calls are chosen by the model, and nothing is there to read them."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, is_on, is_unset, spelled, starts_from_keywords
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine, _ in engines_with_tables(stack):
        if is_on(engine, "enable_auto_tool_choice") and is_unset(engine, "tool_call_parser"):
            on, parser = spelled(engine, "enable_auto_tool_choice"), spelled(engine, "tool_call_parser")
            effect = "nothing reads the calls" if starts_from_keywords(engine) else "the server refuses to start"
            yield Finding(
                f"{on} is on and no {parser} is set, so {effect}",
                at=engine.written("enable_auto_tool_choice"),
                otherwise=engine.place,
                remedy=f"Add {parser} with the parser for this model, such as hermes, or take {on} out.",
                severity=Severity.WARNING if starts_from_keywords(engine) else None,
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The server asks for a tool call parser before it loads anything (`--enable-auto-tool-choice requires "
    "--tool-call-parser`): only the parser knows how the model writes its calls. "
    "Serve LLM does not ask, and its answers hold the calls as text.",
    remedy="Add the parser for the model.",
    sources=("vLLM 0.8.5 to 0.33.0, entrypoints/*/cli_args.py: validate_parsed_serve_args",),
    bad=(example("- --enable-auto-tool-choice  # fires"),),
    good=(example("- --enable-auto-tool-choice\n- --tool-call-parser=hermes"),),
    check=in_every_release(check),
)
