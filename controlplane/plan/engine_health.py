"""The memory layer: do the engines answer, with the model they should serve and about the KV blocks planned?

In: what each pod's engine said (`adapters.kubernetes.engines` asks). Out: `ObjectHealth`. Fewer KV blocks than
planned are a warning and stop nothing; a simulated pod has no engine to ask, and the verdict says so.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.plan.health import HealthLayer, HealthStatus, ObjectHealth
from controlplane.stack.references import ObjectRef

BLOCKS_TOLERANCE = 0.1
"""The part by which KV blocks may differ from the plan before it is worth a warning."""


class EngineState(enum.StrEnum):
    ANSWERS = "answers"
    REFUSES = "refuses"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """What one pod's engine said. `models` are the names it serves; `kv_blocks` is None when it does not tell."""

    pod: str
    state: EngineState
    message: str
    models: tuple[str, ...] = ()
    kv_blocks: int | None = None
    block_tokens: int | None = None


def assess_engines(
    ref: ObjectRef,
    answers: Sequence[EngineAnswer],
    *,
    wanted: int,
    model: str | None = None,
    planned_blocks: int | None = None,
) -> ObjectHealth:
    """The memory layer of a workload of which `wanted` engines should serve `model` (None: any)."""
    simulated = sum(each.state is EngineState.SIMULATED for each in answers)
    serving = [each for each in answers if each.state is EngineState.ANSWERS and _serves(each, model)]
    status, reason, message = _verdict(answers, len(serving), simulated, wanted, model)
    return ObjectHealth(
        ref,
        status,
        HealthLayer.MEMORY,
        reason,
        message,
        ready=len(serving),
        wanted=wanted,
        simulated=simulated,
        warnings=_block_warnings(serving, planned_blocks),
    )


def _verdict(
    answers: Sequence[EngineAnswer], serving: int, simulated: int, wanted: int, model: str | None
) -> tuple[HealthStatus, str, str]:
    if serving + simulated < wanted:
        return HealthStatus.PROGRESSING, *_missing(answers, serving, wanted, model)
    if simulated:
        told = f"{simulated} of {wanted} pods are simulated: no engine to ask"
        return HealthStatus.HEALTHY, "Simulated", told + (f"; {serving} engines answer" if serving else "")
    what = f"{model!r}" if model else "a model"
    return HealthStatus.HEALTHY, "EnginesAnswer", f"{serving} of {wanted} engines serve {what}"


def _missing(answers: Sequence[EngineAnswer], serving: int, wanted: int, model: str | None) -> tuple[str, str]:
    refusing = next((each for each in answers if each.state is EngineState.REFUSES), None)
    if refusing is not None:
        return "EngineRefuses", f"{serving} of {wanted} engines answer; {refusing.pod}: {refusing.message}"
    other = next((each for each in answers if each.state is EngineState.ANSWERS and not _serves(each, model)), None)
    if other is not None:
        served = ", ".join(other.models) or "no model"
        return "OtherModel", f"{serving} of {wanted} engines serve {model!r}; {other.pod} serves {served}"
    return "EnginesMissing", f"{serving} of {wanted} engines answer; {len(answers)} pods could be asked"


def _serves(answer: EngineAnswer, model: str | None) -> bool:
    return model is None or model in answer.models


def _block_warnings(serving: Sequence[EngineAnswer], planned: int | None) -> tuple[str, ...]:
    if not planned:
        return ()
    return tuple(
        f"{each.pod} has {each.kv_blocks} KV blocks; {planned} were planned"
        for each in serving
        if each.kv_blocks is not None and abs(each.kv_blocks - planned) > BLOCKS_TOLERANCE * planned
    )
