"""A worker process for the tests that kill it: the real workflows over a simulated cluster in a folder.

Started as `python -m tests.workflows.killable_worker ADDRESS QUEUE FOLDER`; it works until it is killed.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from controlplane.adapters.temporal.connection import TemporalSettings, connect
from controlplane.workflows.temporal_activities import TemporalActivities
from controlplane.workflows.worker import make_worker
from tests.workflows.simulated import SimulatedCluster


async def work(address: str, queue: str, folder: Path) -> None:
    """Work for ever."""
    client = await connect(TemporalSettings(address))
    cluster = SimulatedCluster(folder=folder)
    async with make_worker(client, cluster, TemporalActivities(client, queue), queue):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
