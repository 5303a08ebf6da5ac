"""The threshold for long prompts is above the longest prompt."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import Releases, engines_with_tables, spelled, whole_number
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.model import Stack

_CHECKED = Releases("0.27.0")
"""Before, only together with concurrent partial prefills, which V1 has not."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        threshold, length = engine.written("long_prefill_token_threshold"), engine.written("max_model_len")
        long, longest = whole_number(threshold), whole_number(length)
        if long is not None and longest is not None and 0 < longest < long and _CHECKED.has(table.version):
            flags = spelled(engine, "long_prefill_token_threshold"), spelled(engine, "max_model_len")
            yield Finding(
                f"{flags[0]} is {long} and {flags[1]} {longest}: no prompt is that long, and the engine refuses to "
                "start",
                at=threshold,
                otherwise=engine.place,
                remedy=f"Set {flags[0]} to a part of {longest}, such as {max(longest // 8, 1)}.",
                related=((length, f"prompts of up to {longest} tokens"),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="long_prefill_token_threshold bounds how many tokens of one prompt a step reads while others wait. "
    "Above the model's length it bounds nothing, and vLLM refuses it (`long_prefill_token_threshold cannot be "
    "greater than the max_model_len`).",
    remedy="Set the threshold to a fraction of the token budget.",
    sources=("vLLM 0.27.0 to 0.33.0, SchedulerConfig.verify_max_model_len",),
    bad=(example("- --long-prefill-token-threshold=65536  # fires\n- --max-model-len=32768"),),
    good=(example("- --long-prefill-token-threshold=2048\n- --max-model-len=32768"),),
    check=in_every_release(check),
)
