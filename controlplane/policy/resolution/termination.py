"""How a pod ends: preStop, then the engine's drain, then room, all inside the grace period."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.diagnostics import Diagnostic, Layer
from controlplane.policy.findings import finding
from controlplane.policy.resolution.features import on_by_default
from controlplane.policy.resolution.setting import Setting, evidence, sure
from controlplane.stack.facts import ABSENT, Fact, Known, derived

ROOM_SECONDS: Final = 15
"""Between the end of the drain and SIGKILL: closing connections, freeing the GPUs."""


@dataclass(frozen=True, slots=True)
class Termination:
    """Seconds of each part. `shutdown_timeout` is absent where vLLM has no such argument."""

    pre_stop: Fact[int]
    shutdown_timeout: Fact[int]
    grace: Known[int]


def derive_termination(setting: Setting, engine_drains: bool) -> tuple[Termination, list[Diagnostic]]:
    """The parts of a pod's end. An engine without --shutdown-timeout drains inside preStop, before SIGTERM."""
    section = setting.service.machine
    said = section.value.termination
    stop = section.fact(said.pre_stop, "termination", "preStop")
    drain = section.fact(said.drain, "termination", "drain")
    grace = section.fact(said.grace, "termination", "grace")
    total = said.pre_stop + said.drain
    whole = _grace(total, grace, stop, drain)
    parts = Termination(_pre_stop(setting, engine_drains, stop, drain), drain if engine_drains else ABSENT, whole)
    findings = _check(setting, grace, stop, drain) if sure(stop, drain, grace) else []
    return parts, [*findings, *_sleep_too_old(setting, total)]


def _grace(total: int, grace: Fact[int], stop: Fact[int], drain: Fact[int]) -> Known[int]:
    if isinstance(grace, Known):
        return grace
    seconds = total + ROOM_SECONDS
    formula = f"preStop + drain + {ROOM_SECONDS} s of room = {seconds} s"
    return derived(seconds, formula, [("preStop", stop), ("drain", drain)])


def _pre_stop(setting: Setting, engine_drains: bool, stop: Fact[int], drain: Fact[int]) -> Fact[int]:
    said = setting.service.machine.value.termination
    if engine_drains:
        return stop if said.pre_stop else ABSENT
    total = said.pre_stop + said.drain
    version = setting.spec.runtime.vllm
    formula = f"vLLM {version} has no --shutdown-timeout: preStop covers preStop + drain = {total} s"
    return derived(total, formula, [("preStop", stop), ("drain", drain)]) if total else ABSENT


def _check(setting: Setting, grace: Fact[int], stop: Fact[int], drain: Fact[int]) -> list[Diagnostic]:
    said = setting.service.machine.value.termination
    needed = said.pre_stop + said.drain
    if not isinstance(grace, Known) or grace.value > needed:
        return []
    where = setting.service.machine.declared("termination", "grace")
    parts = f"preStop {said.pre_stop} s + drain {said.drain} s = {needed} s"
    short = grace.value < needed
    result = "requests still running then are cut off" if short else "nothing is left between the drain and SIGKILL"
    return [
        finding(
            "policy/grace-shorter-than-drain",
            f"the grace period is {grace.value} s, and {parts}: {result}",
            where.span,
            where.path,
            f"Set termination.grace to {needed + ROOM_SECONDS}s, or leave it out.",
            layer=Layer.KUBERNETES,
            evidence=(
                evidence("grace", grace, "s"),
                evidence("preStop", stop, "s"),
                evidence("drain", drain, "s"),
            ),
        )
    ]


def _sleep_too_old(setting: Setting, total: int) -> list[Diagnostic]:
    """preStop sleeps by itself, without a shell in the image; that needs a feature of the kubelet."""
    version, since = setting.fleet.spec.versions.kubernetes, on_by_default("PodLifecycleSleepAction")
    if not setting.certain or not total or since.reached_by(version):
        return []
    where = setting.fleet.declared("spec", "versions", "kubernetes")
    return [
        finding(
            "policy/feature-off",
            f"a preStop sleep is on by default from Kubernetes {since}; Fleet `{setting.fleet.name}` has {version}",
            where.span,
            where.path,
            f"Upgrade the cluster to {since} or later.",
            layer=Layer.KUBERNETES,
            evidence=(evidence("Kubernetes", setting.fleet.fact(version, "spec", "versions", "kubernetes")),),
        )
    ]
