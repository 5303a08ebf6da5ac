"""How a Deployment replaces its pods, and how long that may take."""

from __future__ import annotations

import math
from dataclasses import dataclass

from controlplane.diagnostics import Diagnostic
from controlplane.policy.findings import finding
from controlplane.policy.resolution.setting import Setting, evidence, sure
from controlplane.policy.resolution.startup import Startup
from controlplane.policy.resolution.termination import Termination
from controlplane.stack.facts import ABSENT, Derived, Known, derived
from controlplane.stack.model import Strategy


@dataclass(frozen=True, slots=True)
class Rollout:
    """The Deployment's strategy, and the time for the pods of all steps to start and for their engines to answer."""

    strategy: Strategy
    machines_seconds: Known[int]
    memory_seconds: Known[int]


def derive_rollout(setting: Setting, startup: Startup, termination: Termination) -> tuple[Rollout, list[Diagnostic]]:
    """The rollout as its policy says it. Whether surge pods have a place is judged with all services together."""
    deadline = _deadline(setting, startup, termination)
    strategy = _recreate(setting, deadline) if _recreates(setting) else _rolling(setting, deadline)
    memory = _memory_seconds(setting, startup, termination)
    too_short = _too_short(setting, startup, memory) if setting.certain else []
    return Rollout(strategy, _machines_seconds(setting, startup, termination), memory), [
        *_surge_without_effect(setting),
        *too_short,
    ]


def surge_of(setting: Setting) -> int:
    """Pods beyond the replicas during a rollout: a Deployment never makes more new pods than it has replicas."""
    surge = 0 if _recreates(setting) else setting.service.rollout.value.surge
    return min(surge, setting.service.task.value.replicas)


def _recreates(setting: Setting) -> bool:
    return setting.service.rollout.value.strategy == "recreate"


def _recreate(setting: Setting, deadline: Known[int]) -> Strategy:
    section = setting.service.rollout
    kind = derived("Recreate", "strategy recreate", [("strategy", section.fact(section.value.strategy, "strategy"))])
    return Strategy(kind, ABSENT, ABSENT, deadline)


def _rolling(setting: Setting, deadline: Known[int]) -> Strategy:
    section = setting.service.rollout
    surge = section.fact(section.value.surge, "surge")
    count = section.value.surge
    away = 0 if count else 1
    why = (
        f"surge {count}: a new pod is ready before an old one goes"
        if count
        else "surge 0: an old pod goes first, so that the new one finds its GPUs"
    )
    kind = derived(
        "RollingUpdate", "strategy rolling", [("strategy", section.fact(section.value.strategy, "strategy"))]
    )
    origin = surge.origin if isinstance(surge, Known) else Derived("surge was refused")
    return Strategy(kind, Known(count, origin), derived(away, why, [("surge", surge)]), deadline)


def _deadline(setting: Setting, startup: Startup, termination: Termination) -> Known[int]:
    """A pod counts as stuck only when scheduling, the old pod's end and its own start are over."""
    section = setting.service.rollout
    machines = section.value.timeouts.machines
    seconds = machines + termination.grace.value + startup.seconds.value
    return derived(
        seconds,
        f"timeouts.machines {machines} s + grace {termination.grace.value} s + startup {startup.seconds.value} s "
        f"= {seconds} s",
        [
            ("timeouts.machines", section.fact(machines, "timeouts", "machines")),
            ("grace", termination.grace),
            ("startup", startup.seconds),
        ],
    )


def _machines_seconds(setting: Setting, startup: Startup, termination: Termination) -> Known[int]:
    """The pods of a step start only when those before are ready, so their engines' start is part of the wait."""
    section = setting.service.rollout
    said = section.value.timeouts.machines
    before = _steps(setting, setting.service.task.value.replicas) - 1
    each = startup.seconds.value + termination.grace.value
    formula = f"{said} s + {before} steps before × (startup + grace) {each} s = {said + before * each} s"
    inputs = [("timeouts.machines", section.fact(said, "timeouts", "machines")), ("startup", startup.seconds)]
    return derived(said + before * each, formula, inputs)


def _memory_seconds(setting: Setting, startup: Startup, termination: Termination) -> Known[int]:
    section = setting.service.rollout
    said = section.fact(section.value.timeouts.memory, "timeouts", "memory")
    if isinstance(said, Known):
        return said
    replicas = setting.service.task.value.replicas
    steps = _steps(setting, replicas)
    each = startup.seconds.value + termination.grace.value
    formula = (
        f"{steps} steps × (startup {startup.seconds.value} s + grace {termination.grace.value} s) = {steps * each} s"
    )
    return derived(steps * each, formula, [("startup", startup.seconds), ("grace", termination.grace)])


def _steps(setting: Setting, replicas: int) -> int:
    """How many times pods are replaced one after the other."""
    return 1 if _recreates(setting) or replicas < 2 else math.ceil(replicas / max(1, surge_of(setting)))


def _surge_without_effect(setting: Setting) -> list[Diagnostic]:
    section = setting.service.rollout
    if not _recreates(setting) or section.value.surge == 0:
        return []
    where = section.declared("surge")
    return [
        finding(
            "policy/key-without-effect",
            f"surge is {section.value.surge}, but strategy recreate ends all pods before it starts one",
            where.span,
            where.path,
            "Set surge to 0, or strategy to rolling.",
        )
    ]


def _too_short(setting: Setting, startup: Startup, memory: Known[int]) -> list[Diagnostic]:
    section = setting.service.rollout
    said = section.fact(section.value.timeouts.memory, "timeouts", "memory")
    if not isinstance(said, Known) or not sure(said) or said.value >= startup.seconds.value:
        return []
    where = section.declared("timeouts", "memory")
    return [
        finding(
            "policy/timeout-shorter-than-startup",
            f"timeouts.memory is {said.value} s, but one engine may take {startup.seconds.value} s to start: a good "
            "revision would be returned",
            where.span,
            where.path,
            f"Set timeouts.memory to {startup.seconds.value}s or more, or leave it out.",
            evidence=(evidence("timeouts.memory", memory, "s"), evidence("startup budget", startup.seconds, "s")),
        )
    ]
