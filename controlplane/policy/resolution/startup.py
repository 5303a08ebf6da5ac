"""The startup probe's budget: the time to read the weights, with a margin, and what the engine needs after that."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from controlplane.diagnostics import Diagnostic, Severity
from controlplane.policy.findings import finding
from controlplane.policy.resolution.catalogue import estimated_weights
from controlplane.policy.resolution.setting import Setting, evidence
from controlplane.policy.vocabulary import write_duration
from controlplane.source import Quantity
from controlplane.stack.facts import ABSENT, Derived, Fact, Known, derived, value_of

ASSUMED_READ_BYTES_PER_SECOND: Final = 100 << 20
"""For storage whose bandwidth no Fleet declares, and for the hub: a slow network disk."""
LONGEST_SECONDS: Final = 7 * 24 * 3600
UNKNOWN_WEIGHTS_SECONDS: Final = 3600
"""Budget where the size of the weights is not known: longer than any single node takes at common bandwidths."""


@dataclass(frozen=True, slots=True)
class Startup:
    """The budget in whole seconds."""

    seconds: Known[int]


def derive_startup(setting: Setting) -> tuple[Startup, list[Diagnostic]]:
    """The budget as the policy says it, or computed; a remark where something had to be assumed."""
    section = setting.service.machine
    explicit = section.fact(section.value.probes.startup, "probes", "startup")
    weights, bandwidth = weight_bytes(setting), read_bandwidth(setting)
    if isinstance(explicit, Known):
        findings = _shorter_than_reading(setting, explicit, weights, bandwidth) if setting.certain else []
        return Startup(explicit), findings
    if not isinstance(weights, Known):
        formula = f"the size of the weights is not known: {UNKNOWN_WEIGHTS_SECONDS} s"
        return Startup(derived(UNKNOWN_WEIGHTS_SECONDS, formula)), _unknown_weights(setting, weights)
    computed = _computed(setting, weights, bandwidth)
    return Startup(computed), _too_long(setting, computed, weights, bandwidth) if setting.certain else []


def weight_bytes(setting: Setting) -> Fact[int]:
    """Bytes of the checkpoint: as the policy says, else as the catalogue estimates, else absent."""
    policy, model = setting.service.policy, setting.spec.model
    size = model.weights.bytes() if model.weights is not None else None
    declared = policy.fact(size, "spec", "model", "weights")
    return estimated_weights(model.name) if declared == ABSENT else declared


def read_bandwidth(setting: Setting) -> Known[int]:
    """Bytes per second that a pod reads its weights with."""
    claim = setting.spec.model.source.pvc
    for index, storage in enumerate(setting.fleet.spec.storage):
        if claim is not None and claim in storage.claims:
            origin = setting.fleet.declared("spec", "storage", index, "readBandwidth")
            return Known(storage.read_bandwidth.bytes(), origin)
    shown = Quantity.from_bytes(ASSUMED_READ_BYTES_PER_SECOND)
    what = f"no storage of Fleet `{setting.fleet.name}` lists claim `{claim}`" if claim else "not read from a claim"
    return Known(ASSUMED_READ_BYTES_PER_SECOND, Derived(f"{what}: {shown}/s is assumed"))


def _computed(setting: Setting, weights: Known[int], bandwidth: Known[int]) -> Known[int]:
    section = setting.service.machine
    probes = section.value.probes
    reading = Fraction(weights.value, bandwidth.value)
    seconds = math.ceil(reading * Fraction(str(probes.startup_margin)) + probes.engine_start)
    formula = (
        f"{weights.value} bytes of weights / {bandwidth.value} bytes per second × {probes.startup_margin:g} "
        f"+ {probes.engine_start} s for the engine = {seconds} s"
    )
    return derived(
        seconds,
        formula,
        [
            ("weight bytes", weights),
            ("bytes per second", bandwidth),
            ("startupMargin", section.fact(probes.startup_margin, "probes", "startupMargin")),
            ("engineStart", section.fact(probes.engine_start, "probes", "engineStart")),
        ],
    )


def _unknown_weights(setting: Setting, weights: Fact[int]) -> list[Diagnostic]:
    if weights != ABSENT:
        return []
    where = setting.declared("spec", "model", "name")
    return [
        finding(
            "policy/unknown-weights",
            f"the size of {setting.spec.model.name}'s weights is not known, so a start may take "
            f"{write_duration(UNKNOWN_WEIGHTS_SECONDS)} before it counts as failed",
            where.span,
            where.path,
            "Set model.weights to the size of the checkpoint's weight files, such as 15Gi.",
            severity=Severity.INFO,
        )
    ]


def _too_long(setting: Setting, computed: Known[int], weights: Known[int], bandwidth: Known[int]) -> list[Diagnostic]:
    """A size or a bandwidth with a wrong suffix, which would also leave the 32 bits of a probe."""
    if computed.value <= LONGEST_SECONDS:
        return []
    where = setting.declared("spec", "model", "weights")
    return [
        finding(
            "policy/startup-too-long",
            f"reading {weights.value} bytes of weights at {bandwidth.value} bytes per second takes "
            f"{weights.value // bandwidth.value} s, so a start would count as failed only after {computed.value} s; "
            f"{LONGEST_SECONDS} s (7 days) is the most",
            where.span,
            where.path,
            "Correct model.weights, or readBandwidth of the storage in the Fleet.",
            evidence=(evidence("weight bytes", weights, "bytes"), evidence("bandwidth", bandwidth, "bytes/s")),
        )
    ]


def _shorter_than_reading(
    setting: Setting, explicit: Known[int], weights: Fact[int], bandwidth: Known[int]
) -> list[Diagnostic]:
    size = value_of(weights)
    reading = math.ceil(Fraction(size, bandwidth.value)) if size is not None else 0
    if explicit.value >= reading:
        return []
    where = setting.service.machine.declared("probes", "startup")
    return [
        finding(
            "policy/startup-shorter-than-reading",
            f"probes.startup is {explicit.value} s; reading {size} bytes of weights at {bandwidth.value} bytes per "
            f"second alone takes {reading} s, so the kubelet restarts every engine before it is ready",
            where.span,
            where.path,
            f"Leave probes.startup out to have it computed, or set it well above {reading}s.",
            severity=Severity.WARNING,
            evidence=(evidence("weight bytes", weights, "bytes"), evidence("bandwidth", bandwidth, "bytes/s")),
        )
    ]
