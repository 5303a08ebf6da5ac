"""The parser takes an argument that the engine then refuses."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import Releases, engines_with_tables, spelled
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack

_PREFILLS = (Releases("0.11.0", "0.27.0"), 1, "Set long_prefill_token_threshold instead: it bounds a prompt's share.")
_REFUSED = {
    "max_num_partial_prefills": _PREFILLS,
    "max_long_partial_prefills": _PREFILLS,
    "logits_processor_pattern": (Releases("0.11.0", "0.17.0"), None, "Use logits_processors."),
}
"""Releases that refuse any value but the given one: the V1 engine never had these, and V0 ended with 0.11.0."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        for name, (releases, taken, remedy) in _REFUSED.items():
            value = engine.written(name)
            if releases.has(engine.version) and isinstance(value, Known) and value.value != taken:
                yield Finding(
                    f"{spelled(engine, name)} is {value.value}; vLLM {table.version} knows the argument and refuses "
                    f"every value but {taken if taken is not None else 'none'}",
                    at=value,
                    otherwise=engine.place,
                    remedy=remedy,
                )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The parser of these releases still knows arguments of the old V0 engine. `EngineArgs` checks them "
    "when it makes the engine's configuration and raises NotImplementedError (`Concurrent Partial Prefill is not "
    "supported`): the container exits although the command line was read.",
    remedy="Take the argument out.",
    sources=(
        "vLLM 0.11.2 to 0.26.0, engine/arg_utils.py: EngineArgs._check_feature_supported",
        "vLLM 0.11.0, engine/arg_utils.py: EngineArgs._is_v1_supported_oracle, with no V0 engine to fall back to",
    ),
    bad=(example("- --max-num-partial-prefills=4  # fires", version="0.20.0"),),
    good=(
        example("- --max-num-partial-prefills=1", version="0.20.0"),
        example("- --long-prefill-token-threshold=2048\n- --max-model-len=32768", version="0.20.0"),
    ),
    check=in_every_release(check),
)
