"""What messages say of a value, beside that it is wrong."""

from __future__ import annotations

import pytest

from controlplane.diagnostics import Diagnostic
from controlplane.rules.vllm._example import engine
from tests.rules.judging import findings_of


def _only(text: str) -> Diagnostic:
    (found,) = findings_of(text)
    return found


def _remedy(text: str) -> str:
    remedy = _only(text).remedy
    return remedy.text if remedy is not None else ""


def test_no_type_of_another_width_is_proposed() -> None:
    assert _remedy(engine("- --dtype=float8")) == "Write one of the known values."
    assert _remedy(engine("- --dtype=floaat16")) == "Write float16."


@pytest.mark.parametrize("flag", ["--tensor-parallel-size", "--gpu-memory-utilization"])
def test_variable_for_a_shell_is_said_to_need_the_form_of_kubernetes(flag: str) -> None:
    assert _remedy(engine(f"- {flag}=$TP")).endswith("or $(TP): no shell is there to replace $TP.")
    assert "shell" not in _remedy(engine(f"- {flag}=many"))


@pytest.mark.parametrize("size", ["0", "-1"])
def test_impossible_degree_of_parallelism_is_one_fault_and_no_count_of_gpus(size: str) -> None:
    assert _only(engine(f"- --tensor-parallel-size={size}")).rule == "vllm/value-out-of-bounds"


def test_host_cache_and_limit_are_told_in_gibibytes() -> None:
    text = engine("- --kv-offloading-size=200").replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 1, memory: 64Gi")
    found = _only(text)
    assert "200 GiB" in found.message
    assert "64Gi" in found.message
    assert "bytes" not in found.message
