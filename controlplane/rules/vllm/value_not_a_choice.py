"""The value of an argument is none of those that the release takes."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.engine_values import value_faults
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for fault in value_faults(stack, "not a choice"):
        yield Finding(
            f"{fault.written.spelling} {fault.fact}",
            at=fault.value,
            otherwise=fault.written.key_origin,
            remedy=fault.remedy,
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The parser knows all values of the argument and ends with `invalid choice` at any other. Which ones "
    "there are changes from release to release.",
    remedy="Write one of the values that the message lists.",
    sources=("vLLM 0.8.5 to 0.33.0, config/ and engine/arg_utils.py, as tables in schemas/vllm",),
    bad=(example("- --dtype=bf16  # fires\n- --max-lora-rank=48  # fires\n- --enable-lora"),),
    good=(example("- --dtype=bfloat16\n- --max-lora-rank=64\n- --enable-lora"),),
    check=in_every_release(check),
)
