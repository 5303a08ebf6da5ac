"""The release names no such value, and only a plug-in could bring it."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.engine_values import value_faults
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for fault in value_faults(stack, "not known"):
        yield Finding(
            f"{fault.written.spelling} {fault.fact}",
            at=fault.value,
            otherwise=fault.written.key_origin,
            remedy=fault.remedy,
        )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The argument takes any text, because plug-ins add to its values, and fails later where nothing "
    "answers to it: an unknown quantization method, attention backend or loader ends the engine when it is made.",
    remedy="Write one of the values that the message lists, unless a plug-in in the image brings this one.",
    sources=("vLLM 0.8.5 to 0.33.0, known values of config/ fields, as tables in schemas/vllm",),
    bad=(example("- --quantization=fp-8  # fires\n- --kv-cache-dtype=fp8_e4m2  # fires"),),
    good=(example("- --quantization=fp8\n- --kv-cache-dtype=fp8_e4m3\n- --attention-backend=flashinfer"),),
    check=in_every_release(check),
)
