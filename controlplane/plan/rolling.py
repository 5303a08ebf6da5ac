"""How a Deployment goes through a rollout: how many pods more and how many fewer, as its controller counts them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from controlplane.emit.bundle import Manifest


def pods_in_a_rollout(manifest: Manifest, replicas: int) -> Iterator[str]:
    """What a rollout of this Deployment needs and takes away while it runs."""
    strategy = (manifest.get("spec") or {}).get("strategy") or {}
    if strategy.get("type") == "Recreate":
        yield f"stops all {replicas} before the first new one starts: nothing serves in between."
        return
    surge, unavailable = rolling_bounds(strategy.get("rollingUpdate") or {}, replicas)
    if surge:
        yield f"needs room for {surge} more at a time."
    if unavailable:
        yield f"serves with up to {unavailable} of {replicas} fewer at a time."


def rolling_bounds(rolling: dict[str, Any], replicas: int) -> tuple[int, int]:
    """maxSurge and maxUnavailable as numbers of pods.

    The Deployment controller rounds a surge up and an unavailability down, and lets one pod go when both come out
    as 0 (`ResolveFenceposts`, k8s.io/kubernetes 1.36). The API server's default for both is 25 %.
    """
    surge = _pods(rolling.get("maxSurge", "25%"), replicas, math.ceil)
    unavailable = _pods(rolling.get("maxUnavailable", "25%"), replicas, math.floor)
    return (surge, unavailable) if surge or unavailable else (0, 1)


def _pods(bound: int | str, replicas: int, rounded: Any) -> int:
    if isinstance(bound, int):
        return bound
    return int(rounded(int(bound.rstrip("%")) * replicas / 100))
