"""How long each kind of activity may take, and how often it is tried: the options that workflows pass.

Patience with the API server is counted in attempts, not in time: a laptop that slept for an hour wakes up with its
attempts left. Errors that trying again cannot cure are marked so where they are raised (`activities`).
"""

from __future__ import annotations

import math
from datetime import timedelta

from temporalio.common import RetryPolicy
from temporalio.workflow import ActivityCancellationType, ActivityConfig

HEARTBEAT_TIMEOUT = timedelta(seconds=10)
"""After this long without a sign of life an activity is given to another worker (or to the same, restarted)."""

_LONGEST_PAUSE_S = 15.0
_FIRST_PAUSES = 4
"""Retries at 1, 2, 4 and 8 s come before those at the longest pause."""
_ONE_ATTEMPT = timedelta(minutes=5)


def write_options(api_s: float) -> ActivityConfig:
    """For activities that write: a cancellation waits until the write in hand is finished, so that none overlap."""
    return ActivityConfig(
        start_to_close_timeout=_ONE_ATTEMPT,
        heartbeat_timeout=HEARTBEAT_TIMEOUT,
        retry_policy=_retries(api_s),
        cancellation_type=ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    )


def read_options(api_s: float) -> ActivityConfig:
    """For activities that only look."""
    return ActivityConfig(
        start_to_close_timeout=_ONE_ATTEMPT,
        heartbeat_timeout=HEARTBEAT_TIMEOUT,
        retry_policy=_retries(api_s),
    )


def wait_options(timeout_s: float) -> ActivityConfig:
    """For activities that wait for the world: as often as it takes until the time-out of `timeout_s` seconds."""
    return ActivityConfig(
        schedule_to_close_timeout=timedelta(seconds=timeout_s),
        heartbeat_timeout=HEARTBEAT_TIMEOUT,
        retry_policy=RetryPolicy(maximum_interval=timedelta(seconds=_LONGEST_PAUSE_S)),
    )


def _retries(api_s: float) -> RetryPolicy:
    attempts = _FIRST_PAUSES + max(1, math.ceil(api_s / _LONGEST_PAUSE_S))
    return RetryPolicy(maximum_attempts=attempts, maximum_interval=timedelta(seconds=_LONGEST_PAUSE_S))
