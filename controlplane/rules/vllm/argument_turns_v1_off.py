"""An argument takes the engine back to the old V0 engine.

While both engines were there, one argument that V1 had not was enough to get V0 for everything.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import Releases, engines_with_tables, spelled
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.engine_variables import setting
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack

_BOTH_ENGINES = Releases("0.8.5", "0.11.0")
_V0_ONLY = {
    "disable_async_output_proc": (_BOTH_ENGINES, False),
    "max_long_partial_prefills": (_BOTH_ENGINES, 1),
    "max_num_partial_prefills": (_BOTH_ENGINES, 1),
    "num_scheduler_steps": (Releases("0.8.5", "0.10.1"), 1),
    "preemption_mode": (_BOTH_ENGINES, None),
    "scheduler_delay_factor": (_BOTH_ENGINES, 0),
}
"""Arguments that V1 has not: the releases, and the value that is as good as none."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        for name, (releases, neutral) in _V0_ONLY.items():
            value = engine.written(name)
            asked_for = setting(engine, "VLLM_USE_V1") == "0"
            if releases.has(engine.version) and isinstance(value, Known) and value.value != neutral and not asked_for:
                shown = "on" if value.value is True else value.value
                yield Finding(
                    f"{spelled(engine, name)} is {shown}, and the V1 engine has no such thing: vLLM {table.version} "
                    "runs V0 instead",
                    at=value,
                    otherwise=engine.place,
                    remedy=f"Take {spelled(engine, name)} out to have V1.",
                )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="From 0.8 to 0.10 vLLM holds two engines and decides for itself: an argument that V1 has not is "
    "answered by one line in the log and V0 for everything, which schedules, caches and measures in other ways "
    "(other metrics among them). With VLLM_USE_V1=1 it does not start at all.",
    remedy="Take the argument out, and V1 runs.",
    sources=("vLLM 0.8.5, 0.9.2 and 0.10.2, engine/arg_utils.py: EngineArgs._is_v1_supported_oracle",),
    bad=(example("- --num-scheduler-steps=8  # fires", version="0.8.5"),),
    good=(example("- --num-scheduler-steps=1", version="0.8.5"), example("- --max-num-seqs=8", version="0.8.5")),
    check=in_every_release(check),
)
