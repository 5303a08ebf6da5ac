"""Waiting for what a real cluster does in its own time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

WITHIN_S = 60.0


def until(read: Callable[[], T], condition: Callable[[T], bool]) -> T:
    """The first value read for which the condition holds; fails with the last one when none does in time."""
    deadline = time.monotonic() + WITHIN_S
    while not condition(value := read()):
        assert time.monotonic() < deadline, f"not reached within {WITHIN_S:.0f} s; last seen: {value}"
        time.sleep(0.05)
    return value
