"""The two revisions that most tests roll out, and the way a test plays on a stage."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from tests.workflows.simulated import World
from tests.workflows.stage import Stage, staged

FIRST = {"needs": {"namespace": "1"}, "workload": {"chat": "v1"}, "watches": {"budget": "1"}}
SECOND = {"needs": {"namespace": "1"}, "workload": {"chat": "v2", "extra": "new"}, "watches": {"budget": "1"}}


def world_with(second: dict[str, str] | None = None) -> World:
    """Two revisions; the keywords are the health of the second."""
    world = World()
    world.add_revision(1, FIRST)
    world.add_revision(2, SECOND, **(second or {}))
    return world


def play(address: str, world: World, scene: Callable[[Stage], Awaitable[None]]) -> None:
    """Run a scene on a stage of its own."""

    async def performance() -> None:
        async with staged(address, world) as stage:
            await scene(stage)

    asyncio.run(performance())
