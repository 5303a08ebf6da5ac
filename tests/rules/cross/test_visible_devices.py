from __future__ import annotations

import pytest

from controlplane.diagnostics import Severity
from controlplane.rules.vllm._example import engine
from tests.rules.judging import findings_of

RULE = "cross/visible-devices-exceed-gpus"


def _found(value: str, gpus: int = 1) -> list[Severity]:
    args = f"- --tensor-parallel-size={gpus}" if gpus > 1 else ""
    text = engine(args, gpus=gpus, env=f"- {{name: CUDA_VISIBLE_DEVICES, value: '{value}'}}")
    return [finding.severity for finding in findings_of(text) if finding.rule == RULE]


@pytest.mark.parametrize(
    ("value", "gpus", "severity"),
    [
        ("0,1", 1, Severity.WARNING),
        ("1", 1, Severity.ERROR),
        ("4,5", 2, Severity.ERROR),
        ("0, 1, 2", 2, Severity.WARNING),
    ],
)
def test_numbers_beyond_the_gpus_of_the_container_are_found(value: str, gpus: int, severity: Severity) -> None:
    assert _found(value, gpus) == [severity]


@pytest.mark.parametrize(("value", "gpus"), [("0", 1), ("0,1", 2), ("1", 2), ("", 1), ("GPU-0a1b", 1), ("all", 1)])
def test_numbers_that_are_there_and_other_names_are_let_be(value: str, gpus: int) -> None:
    assert _found(value, gpus) == []


def test_container_without_gpus_of_its_own_may_see_the_whole_node() -> None:
    text = engine("", env="- {name: CUDA_VISIBLE_DEVICES, value: '0,1'}").replace("nvidia.com/gpu: 1", "cpu: 8")
    assert RULE not in [finding.rule for finding in findings_of(text)]
