"""Hands rollouts to Temporal and follows them until they end. Ctrl-C ends the following, not the rollouts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from controlplane.cli import temporal
from controlplane.cli.views.rollout_text import RolloutLines
from controlplane.workflows.messages import RolloutOutcome, RolloutRequest, RolloutTicket

if TYPE_CHECKING:
    from temporalio.client import Client

Outcomes = list[tuple[str, RolloutOutcome]]


Prepare = Callable[[], Sequence[RolloutRequest]]
"""Stores revisions and makes the requests: done once Temporal is known to answer, so that nothing is left behind."""


def roll_out(prepare: Prepare, *, colour: bool) -> Outcomes:
    """Start every rollout, print what happens, and return how each ended, in the order of the requests.

    Raises `AdapterError` when Temporal cannot be reached or another rollout holds a service.
    """
    return asyncio.run(_roll_out(prepare, colour=colour))


def hand_over(prepare: Prepare) -> None:
    """Start every rollout and follow none."""
    asyncio.run(_request(prepare))


async def _request(prepare: Prepare) -> tuple[Client, list[tuple[RolloutRequest, RolloutTicket]]]:
    from controlplane.workflows.client import request_rollout

    client = await temporal.client()
    started = [(request, await request_rollout(client, request)) for request in prepare()]
    for request, ticket in started:
        joined = " (it was in flight already)" if ticket.joined else ""
        click.echo(f"{request.service}  rolling out {request.revision} as {ticket.workflow_id}{joined}", err=True)
    return client, started


async def _roll_out(prepare: Prepare, *, colour: bool) -> Outcomes:
    client, started = await _request(prepare)
    return list(await asyncio.gather(*(_follow(client, r, t, colour=colour) for r, t in started)))


async def _follow(
    client: Client, request: RolloutRequest, ticket: RolloutTicket, *, colour: bool
) -> tuple[str, RolloutOutcome]:
    from controlplane.workflows.client import follow, outcome

    lines = RolloutLines(str(request.service), colour)
    async for progress in follow(client, ticket):
        for line in lines.lines(progress):
            click.echo(line)
    return str(request.service), await outcome(client, ticket)
