"""Metrics for each request are wanted and the engine's statistics are off."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, is_on, spelled, starts_from_keywords
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        if starts_from_keywords(engine):
            continue  # Serve LLM does not make these checks of the command line
        known = table.argument("enable_per_request_metrics") is not None
        if known and is_on(engine, "enable_per_request_metrics") and is_on(engine, "disable_log_stats"):
            wanted, off = spelled(engine, "enable_per_request_metrics"), spelled(engine, "disable_log_stats")
            yield Finding(
                f"{wanted} needs the statistics that {off} switches off, so the server refuses to start",
                at=engine.written("disable_log_stats"),
                otherwise=engine.place,
                remedy=f"Take {off} out, or {wanted}.",
                related=((engine.written("enable_per_request_metrics"), "the metrics that need them"),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The metrics of a request are taken from the engine's statistics; without them the server ends before "
    "it loads anything.",
    remedy="Leave the statistics on.",
    sources=("vLLM 0.26.0 to 0.33.0, entrypoints/*/cli_args.py: validate_parsed_serve_args",),
    bad=(example("- --enable-per-request-metrics\n- --disable-log-stats  # fires"),),
    good=(example("- --enable-per-request-metrics"),),
    check=in_every_release(check),
)
