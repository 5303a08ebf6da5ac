"""Options that contradict each other are refused before anything is asked of a cluster."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("plan", "policies/chat-8b", "--offline", "--sandbox", "x"), "--offline asks no cluster"),
        (("plan", "policies/chat-8b", "--sandbox", "x", "--context", "y"), "--sandbox says which cluster"),
        (("drift", "chat"), "there is no kubeconfig"),
    ],
)
def test_contradiction_is_named(controlplane: Run, arguments: tuple[str, ...], said: str) -> None:
    result = controlplane(*arguments)
    assert result.returncode in (4, 64)
    assert said in result.stderr


def test_plan_file_among_other_paths_is_a_usage_error(controlplane: Run, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("{}")
    result = controlplane("apply", "policies/chat-8b", tmp_path / "plan.json", "--yes")
    assert result.returncode == 64
    assert "Give the plan file alone." in result.stderr


def test_sandbox_that_does_not_exist_is_told_with_those_that_do(controlplane: Run) -> None:
    result = controlplane("status", "--sandbox", "nowhere")
    assert result.returncode == 3
    assert "there is no sandbox 'nowhere'" in result.stderr
    assert "There are: none." in result.stderr
