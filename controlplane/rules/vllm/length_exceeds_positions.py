"""Sequences are to be longer than the model has positions."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import is_unset, spelled, whole_number
from controlplane.rules.engine_model import shape_of
from controlplane.rules.engine_variables import may_set
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import LLAMA
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.model import Stack

_STRETCHES = ("hf_overrides", "rope_scaling", "rope_theta")
_OWN_LENGTH = ("cohere", "command")
"""Model types with a key of their own for the longest sequence."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        shape, length = shape_of(engine), engine.written("max_model_len")
        wanted = whole_number(length)
        if shape is None or wanted is None or may_set(engine, "VLLM_ALLOW_LONG_MAX_MODEL_LEN"):
            continue
        most = shape.max_position_embeddings
        plain = all(is_unset(engine, name) for name in _STRETCHES) and not shape.model_type.startswith(_OWN_LENGTH)
        if plain and 0 < most < wanted:
            flag = spelled(engine, "max_model_len")
            certain = "has" if not shape.by_hand else "as released has"
            yield Finding(
                f"{flag} is {wanted} and {shape.name} {certain} {most} positions: the engine refuses more",
                at=length,
                otherwise=engine.place,
                remedy=f"Set {flag} to {most} or less.",
                evidence=(
                    evidence("positions", most, source=shape.source),
                    evidence("max_model_len", length),
                ),
                severity=Severity.WARNING if shape.by_hand else None,
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="A model is trained for a number of positions. vLLM refuses more (`User-specified max_model_len is "
    "greater than the derived max_model_len`), unless VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 says that the answers may be "
    "wrong, or the rotary embedding is stretched by overrides.",
    remedy="Let max_model_len be at most what the model has.",
    sources=("vLLM 0.8.5 to 0.33.0, config: _get_and_verify_max_len",),
    bad=(example("- --max-model-len=262144  # fires", model=LLAMA),),
    good=(example("- --max-model-len=131072", model=LLAMA),),
    check=check,
)
