"""The comparison of a table with an installed vLLM, seen with a stand-in for its configuration classes."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from pydantic import Field
from pydantic.dataclasses import dataclass

from tools.schemas.compare_with_vllm import bounds_difference


@dataclass
class CacheConfig:
    utilization: float = Field(default=0.9, gt=0, le=1)
    blocks: int = 0


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("vllm.config")
    module.CacheConfig = CacheConfig  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vllm", ModuleType("vllm"))
    monkeypatch.setitem(sys.modules, "vllm.config", module)


def test_same_bounds_are_no_difference() -> None:
    entry = {"where": "CacheConfig.utilization", "bounds": {"gt": 0, "le": 1}}
    assert list(bounds_difference("utilization", entry)) == []
    assert list(bounds_difference("blocks", {"where": "CacheConfig.blocks"})) == []


def test_missing_and_invented_bounds_are_named() -> None:
    (missing,) = bounds_difference("utilization", {"where": "CacheConfig.utilization"})
    assert missing == "utilization: bounds {} in the table, {'gt': 0, 'le': 1} in vLLM"
    (invented,) = bounds_difference("blocks", {"where": "CacheConfig.blocks", "bounds": {"ge": 0}})
    assert invented == "blocks: bounds {'ge': 0} in the table, {} in vLLM"


@pytest.mark.parametrize("where", ["", "Unknown.key", "CacheConfig.unknown"])
def test_argument_of_no_known_field_is_passed_over(where: str) -> None:
    assert list(bounds_difference("other", {"where": where, "bounds": {"ge": 0}})) == []
