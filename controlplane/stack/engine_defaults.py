"""Defaults of a vLLM engine that depend on the GPU, from the generated `schemas/vllm/batch-defaults.json`.

They are those of the V1 engine, before what else changes them: `--performance-mode throughput` doubles both, chunked
prefill that is off raises the tokens to the longest sequence, and neither exceeds the other (`EngineArgs`,
`vllm/engine/arg_utils.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from controlplane.frozen import frozen
from controlplane.stack.gpu_catalogue import Gpu
from controlplane.stack.schema_files import read_schema, release_of
from controlplane.stack.vllm_tables import table_version

Usage = Literal["offline", "server"]
"""`LLM(...)` in a program, or `vllm serve` and Ray Serve LLM, which calls itself a server too."""

_GIB = 2**30


@frozen
class BatchDefaults:
    """What an engine takes for `max_num_batched_tokens` and `max_num_seqs` where nobody says; `version` answers."""

    max_num_batched_tokens: int
    max_num_seqs: int
    version: str


def batch_defaults(version: str, gpu: Gpu, usage: Usage = "server") -> BatchDefaults | None:
    """The defaults of a release on a GPU; None where no table answers, or the GPU may be on either side of a step."""
    known = table_version(version)
    tiers = _tiers(known) if known else None
    if known is None or tiers is None:
        return None
    memory = gpu.memory_range or (None, None)
    least, most = (_tier(tiers, gpu, size) for size in memory)
    if least is None or least is not most:
        return None
    return BatchDefaults(least["max_num_batched_tokens"][usage], least["max_num_seqs"][usage], known)


def _tiers(known: str) -> list[Mapping[str, Any]] | None:
    """The tiers of the last release that changed them, up to and with `known`."""
    found: list[Mapping[str, Any]] | None = None
    at = release_of(known)
    for version, tiers in read_schema("vllm", "batch-defaults.json")["tiers"].items():
        changed = release_of(version)
        if at is not None and changed is not None and changed <= at:
            found = tiers
    return found


def _tier(tiers: list[Mapping[str, Any]], gpu: Gpu, memory: int | None) -> Mapping[str, Any] | None:
    for tier in tiers:
        if "memory_gib" not in tier:
            return tier
        if _excluded(tier, gpu):
            continue
        if memory is None:
            return None
        if memory >= tier["memory_gib"] * _GIB:
            return tier
    return None


def _excluded(tier: Mapping[str, Any], gpu: Gpu) -> bool:
    named = "not_named" in tier and tier["not_named"] in gpu.name.casefold()
    return named or gpu.compute_capability == tuple(tier.get("not_capability", (0, 0)))
