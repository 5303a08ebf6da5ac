"""An environment variable has a value that vLLM cannot read."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_variables import engine_variables
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import listed
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack
from controlplane.stack.vllm_environment import Variable, variable

_INTEGER_SWITCHES = frozenset(
    {
        "VLLM_ALLOW_INSECURE_SERIALIZATION",
        "VLLM_ALLREDUCE_USE_SYMM_MEM",
        "VLLM_DISABLE_COMPILE_CACHE",
        "VLLM_ENABLE_V1_MULTIPROCESSING",
        "VLLM_MLA_DISABLE",
        "VLLM_MOE_USE_DEEP_GEMM",
        "VLLM_SERVER_DEV_MODE",
        "VLLM_SLEEP_WHEN_IDLE",
        "VLLM_USE_DEEP_GEMM",
        "VLLM_USE_FLASHINFER_MOE_FP4",
        "VLLM_USE_FLASHINFER_MOE_FP8",
        "VLLM_USE_NCCL_SYMM_MEM",
        "VLLM_USE_RAY_COMPILED_DAG",
        "VLLM_USE_RAY_SPMD_WORKER",
        "VLLM_USE_TRITON_AWQ",
        "VLLM_USE_V1",
    }
)
"""Switches that every release which has them reads by `bool(int(...))`; others also take `true`."""


def check(stack: Stack) -> Iterator[Finding]:
    for found in engine_variables(stack):
        known, value = variable(found.variable.name, found.version), value_of(found.variable.value)
        if known is None or not isinstance(value, str) or "$(" in value:
            continue
        needed = _needed(known, value)
        if needed is not None:
            yield Finding(
                f"{known.name} is {value!r}; {needed} is needed",
                at=found.variable.value,
                otherwise=found.variable.origin,
                remedy=f"Write {needed}.",
            )


def _needed(known: Variable, value: str) -> str | None:
    """What the variable takes, where this is something else. An empty text may mean unset and is not judged."""
    if not value:
        return None
    if known.choices:
        parts = value.split(",") if known.several else [value]
        return None if all(_is_choice(known, part.strip()) for part in parts) else listed(known.choices, "or")
    if known.name in _INTEGER_SWITCHES:
        return None if _reads(int, value) else "0 or 1"
    if known.kind == "int":
        return None if _reads(int, value) else "a whole number"
    return "a number" if known.kind == "float" and not _reads(float, value) else None


def _is_choice(known: Variable, value: str) -> bool:
    if known.any_case:
        return value.casefold() in {choice.casefold() for choice in known.choices}
    return value in known.choices


def _reads(kind: type[int] | type[float], value: str) -> bool:
    try:
        kind(value)
    except ValueError:
        return False
    return True


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="vLLM turns the text into a number, or looks it up among the values that it knows, when it first needs "
    "the variable, and the process that asks ends with a ValueError.",
    remedy="Write a value that the variable takes.",
    sources=("vLLM 0.8.5 to 0.33.0, envs.py (schemas/vllm/variables.json)",),
    bad=(
        example("", env="- {name: VLLM_HTTP_TIMEOUT_KEEP_ALIVE, value: 5s}  # fires"),
        example("", env="- {name: VLLM_USE_V1, value: 'true'}  # fires", version="0.10.2"),
    ),
    good=(example("", env="- {name: VLLM_HTTP_TIMEOUT_KEEP_ALIVE, value: '5'}"),),
    check=check,
)
