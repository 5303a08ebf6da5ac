"""Outputs are to be logged while requests are not."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, is_off, is_on, spelled, starts_from_keywords
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        if starts_from_keywords(engine):
            continue  # Serve LLM does not make these checks of the command line
        both = table.argument("enable_log_outputs") and table.argument("enable_log_requests")
        if both and is_on(engine, "enable_log_outputs") and is_off(engine, "enable_log_requests"):
            outputs, requests = spelled(engine, "enable_log_outputs"), spelled(engine, "enable_log_requests")
            yield Finding(
                f"{outputs} is on and {requests} is not, so the server refuses to start",
                at=engine.written("enable_log_outputs"),
                otherwise=engine.place,
                remedy=f"Add {requests}, or take {outputs} out.",
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Outputs are logged with the requests they belong to, and the server checks it before it loads "
    "anything (`--enable-log-outputs requires --enable-log-requests`). Since requests are no longer logged by "
    "default the first alone is not enough.",
    remedy="Log the requests as well, or neither.",
    sources=("vLLM 0.11.0 to 0.33.0, entrypoints/*/cli_args.py: validate_parsed_serve_args",),
    bad=(example("- --enable-log-outputs  # fires"),),
    good=(example("- --enable-log-outputs\n- --enable-log-requests"),),
    check=in_every_release(check),
)
