"""The value of an argument is outside its limits."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.engine_values import value_faults
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for fault in value_faults(stack, "out of bounds"):
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
    rationale="vLLM checks the limits when it makes its configuration, before it loads anything, and exits.",
    remedy="Write a number within the limits that the message names.",
    sources=("vLLM 0.8.5 to 0.33.0, bounds of the fields in config/, as tables in schemas/vllm",),
    bad=(example("- --gpu-memory-utilization=90  # fires\n- --max-num-seqs=0  # fires"),),
    good=(example("- --gpu-memory-utilization=0.9\n- --max-num-seqs=64"),),
    check=in_every_release(check),
)
