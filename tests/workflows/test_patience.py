"""How often activities are tried."""

from __future__ import annotations

import pytest
from temporalio.common import RetryPolicy

from controlplane.workflows.patience import read_options, wait_options, write_options


def pauses_s(policy: RetryPolicy) -> list[float]:
    """The pauses between attempts, in seconds."""
    assert policy.maximum_interval is not None
    first, longest = policy.initial_interval.total_seconds(), policy.maximum_interval.total_seconds()
    return [min(first * policy.backoff_coefficient**n, longest) for n in range(policy.maximum_attempts - 1)]


@pytest.mark.parametrize("api_s", [1, 60, 600, 3600])
def test_attempts_span_the_time_that_the_api_server_may_be_away(api_s: float) -> None:
    for options in (read_options(api_s), write_options(api_s)):
        policy = options["retry_policy"]
        assert policy is not None
        assert api_s <= sum(pauses_s(policy)) <= api_s + 30


def test_waiting_for_a_layer_ends_with_its_time_alone() -> None:
    options = wait_options(900)
    assert options["schedule_to_close_timeout"] is not None
    assert options["schedule_to_close_timeout"].total_seconds() == 900
    assert options["retry_policy"] is not None
    assert options["retry_policy"].maximum_attempts == 0
