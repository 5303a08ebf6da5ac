"""Work spread over processes, for input that is large enough to pay for them.

Processes are forked, so that they have what was read already; each sends back one result. The results come in the
order of the work, whatever finishes first.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

MOST = 8
"""More processes than this share the memory's bandwidth and gain little."""


def processors() -> int:
    """How many processes are of use here: 1 where a process cannot be forked safely."""
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, MOST)


def spread(work: Callable[[T], R], items: Sequence[T], weights: Sequence[int], processes: int) -> list[R]:
    """`work` of every item, in their order. Heavier items are given out first, each to the process with the least.

    An exception of any of them is raised here.
    """
    if processes <= 1 or len(items) <= 1:
        return [work(item) for item in items]
    shares = _shares(weights, processes)
    gc.freeze()
    children = [_Child(work, [items[index] for index in share]) for share in shares[1:] if share]
    try:
        results = [[work(items[index]) for index in shares[0]], *(child.results() for child in children)]
    finally:
        for child in children:
            child.end()
        gc.unfreeze()
    found: dict[int, R] = {}
    for share, done in zip([share for share in shares if share], results, strict=True):
        found.update(zip(share, done, strict=True))
    return [found[index] for index in range(len(items))]


def _shares(weights: Sequence[int], processes: int) -> list[list[int]]:
    """The indices for each process; the same for the same weights. The first has at least as much as any other."""
    shares: list[list[int]] = [[] for _ in range(processes)]
    loads = [0] * processes
    for index in sorted(range(len(weights)), key=lambda i: (-weights[i], i)):
        least = loads.index(min(loads))
        shares[least].append(index)
        loads[least] += weights[index] + 1
    return [sorted(share) for share in shares]


class _Child:
    """A forked process that does its items and sends back the results, or what went wrong."""

    def __init__(self, work: Callable[[T], R], items: Sequence[T]) -> None:
        reading, writing = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._process = os.fork()
        if not self._process:
            _work_and_leave(work, items, writing)
        os.close(writing)
        self._pipe = os.fdopen(reading, "rb")

    def results(self) -> list[Any]:
        answer = self._pipe.read()
        if not answer:
            raise RuntimeError("a process of this run ended without a result; it may have run out of memory")
        import pickle  # here, because one process needs none

        results, error = pickle.loads(answer)  # noqa: S301 - our own process wrote it
        if error is not None:
            raise error
        return list(results)

    def end(self) -> None:
        self._pipe.close()
        os.waitpid(self._process, 0)


def _work_and_leave(work: Callable[[T], R], items: Sequence[T], writing: int) -> None:
    """The child's whole life. It leaves without what a program does at its end: that is its parent's."""
    import pickle

    code = 1
    try:
        gc.disable()
        try:
            answer: tuple[list[R], Exception | None] = ([work(item) for item in items], None)
        except Exception as error:
            answer = ([], error)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(pickle.dumps(answer, protocol=5))
        code = 0
    finally:
        os._exit(code)
