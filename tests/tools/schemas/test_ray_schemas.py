"""What is read from a wheel of Ray."""

from __future__ import annotations

import zipfile
from pathlib import Path
from textwrap import dedent

import pytest

from tools.schemas import ray_schemas
from tools.schemas.program import Program
from tools.schemas.pydantic_fields import fields_of, forbids_unknown, model_class, with_nested
from tools.schemas.ray_schemas import accelerator_types, read, vllm_range

FILES = {
    "ray/serve/schema.py": dedent("""
        import os
        from enum import Enum
        from typing import Dict, List, Optional, Union
        from pydantic import BaseModel, ConfigDict, Field, PositiveInt
        from ray.serve._private.utils import DEFAULT

        class Strategy(str, Enum):
            PACK = "PACK"
            SPREAD = "SPREAD"

        class Inner(BaseModel):
            model_config = ConfigDict(extra="forbid")
            rate: float = Field(default=0.5, gt=0, le=1)

        class DeploymentSchema(BaseModel):
            name: str = Field(..., description="")
            num_replicas: Optional[Union[PositiveInt, str]] = Field(default=DEFAULT.VALUE)
            strategy: Strategy = Strategy.PACK
            inner: Union[Dict, Inner] = Field(default_factory=Inner)
            many: List[Inner] = []
            limit: int = int(os.getenv("LIMIT", "7"))
            _own: int = 1
    """),
    "ray/serve/_private/utils.py": "from enum import Enum\nclass DEFAULT(Enum):\n    VALUE = 1\n",
}


def test_fields_are_kinds_defaults_bounds_and_models() -> None:
    deployment = model_class(Program(FILES), "ray.serve.schema", "DeploymentSchema")
    assert fields_of(deployment) == {
        "name": {"kind": "str", "required": True},
        "num_replicas": {"kind": ["int", "str"], "bounds": {"gt": 0}},
        "strategy": {"choices": ["PACK", "SPREAD"], "default": "PACK"},
        "inner": {"kind": "dict", "model": "Inner"},
        "many": {"kind": "list", "model": "Inner"},
        "limit": {"kind": "int", "default": 7},
    }
    inner = model_class(Program(FILES), "ray.serve.schema", "Inner")
    assert fields_of(inner) == {"rate": {"kind": "float", "bounds": {"gt": 0, "le": 1}, "default": 0.5}}


def test_model_refuses_unknown_keys_only_where_it_says_so() -> None:
    program = Program(FILES)
    assert not forbids_unknown(model_class(program, "ray.serve.schema", "DeploymentSchema"))
    assert forbids_unknown(model_class(program, "ray.serve.schema", "Inner"))


def test_nested_models_are_found() -> None:
    deployment = model_class(Program(FILES), "ray.serve.schema", "DeploymentSchema")
    assert [cls.name for cls in with_nested(deployment)] == ["DeploymentSchema", "Inner"]


def test_missing_class_is_an_error() -> None:
    with pytest.raises(LookupError, match="no class"):
        model_class(Program(FILES), "ray.serve.schema", "Nothing")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('Requires-Dist: vllm>=0.11.0; extra == "llm"', ">=0.11.0"),
        ('Requires-Dist: vllm[audio]==0.29.0; extra == "llm"', "==0.29.0"),
        ('Requires-Dist: vllm (>=0.8.5) ; extra == "llm"', ">=0.8.5"),
        ('Requires-Dist: vllm>=0.11.0; extra == "other"', ""),
    ],
)
def test_lock_is_read_from_the_metadata(line: str, expected: str) -> None:
    assert vllm_range(f"Name: ray\n{line}\nRequires-Dist: click; extra == 'llm'\n") == expected


def test_wheel_is_read_in_memory(tmp_path: Path) -> None:
    archive = tmp_path / "ray-9.0.0-py3-none-any.whl"
    with zipfile.ZipFile(archive, "w") as wheel:
        wheel.writestr("ray-9.0.0.dist-info/METADATA", "Name: ray\n")
        wheel.writestr("ray/util/accelerators/accelerators.py", 'A = "H100"\nB = "L4"\n# C = "X"\n')
        wheel.writestr("ray/data/big.py", "")
    found = read("9.0.0", archive)
    assert list(found.files) == ["ray/util/accelerators/accelerators.py"]
    assert accelerator_types(found) == ["H100", "L4"]
    assert len(found.sha256) == 64


def test_check_passes() -> None:
    assert ray_schemas.main(["--check"]) == 0
