"""A command line of its own for each test: the real program in a process, with its own state folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def state_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="module")
def controlplane(state_home: Path) -> Iterator[Run]:
    """Runs the program; a local Temporal service that it starts is stopped when the module's tests are done."""
    base = {k: v for k, v in os.environ.items() if not k.startswith("TEMPORAL_") and k != "KUBECONFIG"}
    base |= {"XDG_STATE_HOME": str(state_home), "HOME": str(state_home), "NO_COLOR": "1"}

    def run(
        *arguments: str | Path, stdin: str = "", environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "controlplane.cli.main", *map(str, arguments)]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            env=base | (environment or {}),
            input=stdin,
            timeout=280,
        )

    yield run
    run("service", "stop")
