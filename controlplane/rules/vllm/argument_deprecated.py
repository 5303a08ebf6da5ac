"""An argument still works, and the release that runs already says that it will go."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, in_table
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.model import Stack
from controlplane.stack.vllm_tables import Argument, Removal, removed, versions


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        for written in engine.engine.written:
            argument = in_table(table, written)
            if argument is not None and argument.deprecated:
                gone = removed(argument.name, versions()[-1])
                yield Finding(
                    f"{written.spelling} is deprecated in vLLM {table.version}"
                    + (f" and gone in {gone.gone_in}" if gone else ""),
                    at=written.key_origin,
                    otherwise=engine.place,
                    remedy=_instead(argument, gone),
                    evidence=(evidence("vLLM says", argument.deprecated, source=f"vLLM {table.source_version}"),),
                )


def _instead(argument: Argument, gone: Removal | None) -> str:
    if gone is None or gone.replacement.startswith(("nothing", "no equivalent")) or not gone.replacement:
        return f"Take {argument.flag} out before the next release of vLLM."
    return f"Move to {gone.replacement} before the next release of vLLM."


RULE = Rule(
    severity=Severity.INFO,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="vLLM marks an argument as deprecated for a few releases and then drops it; from that release on the "
    "server does not start. This is the time in which both the old and the new way work.",
    remedy="Move to what replaces the argument while both work.",
    sources=("vLLM 0.8.5 to 0.33.0, help texts and warnings of engine/arg_utils.py and config/",),
    bad=(example("- --disable-log-requests  # fires", version="0.12.0"),),
    good=(example("- --max-num-seqs=64", version="0.12.0"),),
    check=in_every_release(check),
)
