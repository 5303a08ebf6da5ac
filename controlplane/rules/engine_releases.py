"""Engines whose release is one of several: an image whose lock names only the oldest vLLM that it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache

from controlplane.rules.rule import Finding, Place
from controlplane.stack.engine import Engine
from controlplane.stack.facts import Known, OneOf, Origin, Unknown
from controlplane.stack.model import Stack, Workload
from controlplane.stack.recent import recent

FindingsOf = Callable[[Stack], Iterable[Finding]]
"""A check that only finds."""


def in_every_release(check: FindingsOf) -> Callable[[Stack], Iterator[Finding]]:
    """The check, which then also says of an engine of several possible releases what all of them agree on."""

    def judged(stack: Stack) -> Iterator[Finding]:
        yield from check(stack)
        for workload in stack.workloads:
            for engine in workload.engines:
                if isinstance(engine.version, OneOf):
                    yield from _agreed(check, stack, workload, engine, engine.version)

    return judged


def _agreed(
    check: FindingsOf,
    stack: Stack,
    workload: Workload,
    engine: Engine,
    versions: OneOf[str],
) -> Iterator[Finding]:
    """Findings of the oldest release that every other has at the same place."""
    first, last = versions.values[0], versions.values[-1]
    at_release = _releases(stack, workload, engine, versions)
    found = list(check(at_release(first)))
    for version in reversed(versions.values[1:]):
        if not found:
            return
        others = check(at_release(version))
        places = {_place(other.at) for other in others}
        found = [finding for finding in found if _place(finding.at) in places]
    for finding in found:
        message = finding.message.replace(f"; {first} runs", "")
        yield replace(finding, message=_said_of_all(message, first, last))


def _said_of_all(message: str, first: str, last: str) -> str:
    """What is said of the oldest release, said of the whole stretch."""
    alone = f"of vLLM {first}"
    if alone in message:
        return message.replace(alone, f"{alone} to {last}, any of which may run")
    return f"{message} (in every release that may run, {first} to {last})"


@recent
def _releases(stack: Stack, workload: Workload, engine: Engine, versions: OneOf[str]) -> Callable[[str], Stack]:
    """What gives the Stack of the engine alone, at one of its possible releases."""

    @cache
    def at_release(version: str) -> Stack:
        alone = replace(workload, engines=(replace(engine, version=Known(version, versions.origin)),))
        return replace(stack, workloads=(alone,))

    return at_release


def _place(place: Place) -> Origin | None:
    """The origin of a place; facts that are equal may stand at different ones."""
    if isinstance(place, Known | OneOf):
        return place.origin
    return None if isinstance(place, Unknown) else place
