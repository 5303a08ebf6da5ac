"""The value of an argument is not of the form that the argument takes."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.engine_values import value_faults
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for fault in value_faults(stack, "unreadable"):
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
    rationale="The parser ends with status 2 where a number is no number, JSON no JSON, or a switch is given a value "
    "(`--enable-prefix-caching=false`). JSON is most often spoilt by quotes: an item of `args` passes no shell, "
    "so that quotes around the whole value stay in it.",
    remedy="Write the value as the argument takes it.",
    sources=("vLLM 0.8.5 to 0.33.0, engine/arg_utils.py and utils/argparse_utils.py, as tables in schemas/vllm",),
    bad=(
        example("- --max-num-seqs=many  # fires\n- --enable-prefix-caching=false  # fires"),
        example("- --speculative-config\n- '{method: ngram}'  # fires"),
    ),
    good=(
        example("- --max-num-seqs=64\n- --no-enable-prefix-caching\n- --max-model-len=8k"),
        example("- --hf-overrides\n- '{\"rope_theta\": 1000000}'"),
    ),
    check=in_every_release(check),
)
