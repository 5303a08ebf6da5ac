"""Options of the whole test run."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# A test run is to be repeatable and says nothing of time: no deadline, the same examples every time. New examples are
# the soak's to look for (`make soak`), and HYPOTHESIS_PROFILE=random looks for them here.
settings.register_profile("repeatable", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("random", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` writes the golden files instead of comparing with them: review the difference."""
    parser.addoption("--update-golden", action="store_true", help="write tests/golden from what is rendered now")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written."""
    return bool(request.config.getoption("--update-golden"))
