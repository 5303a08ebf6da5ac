"""What we derive from an LLMConfig against the recorded answers of Ray (`ray_oracle/make_llm_fixtures.py`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from controlplane.stack.facts import value_of
from controlplane.stack.read import read_live
from controlplane.stack.serve import ServeDeployment

_FIXTURE = json.loads((Path(__file__).parent.parent / "serve_llm.json").read_text())
ROWS: list[dict[str, Any]] = _FIXTURE["answers"]
each_row = pytest.mark.parametrize("row", ROWS, ids=[row["config"] for row in ROWS])


def deployment(row: dict[str, Any], builder: str) -> ServeDeployment:
    """The deployment as our reader has it."""
    args = {"llm_config": row["fields"]} if "dp" in builder else {"llm_configs": [row["fields"]]}
    config = {"applications": [{"name": "a", "import_path": f"ray.serve.llm:{builder}", "args": args}]}
    manifest = {
        "apiVersion": "ray.io/v1",
        "kind": "RayService",
        "metadata": {"name": "chat"},
        "spec": {"serveConfigV2": json.dumps(config)},
    }
    serve = read_live([manifest]).stack.workloads[0].serve
    assert serve is not None
    (found,) = serve.deployments
    return found


@each_row
def test_bundles_and_strategy_are_those_that_ray_makes(row: dict[str, Any]) -> None:
    group = deployment(row, "build_openai_app").placement_group
    assert group is not None
    bundles = value_of(group.bundles)
    assert bundles is not None
    assert [{name: value_of(amount) for name, amount in one.resources.items()} for one in bundles] == row["bundles"]
    assert value_of(group.strategy) == row["strategy"]


@each_row
@pytest.mark.parametrize(("builder", "kind"), [("build_openai_app", "plain"), ("build_dp_openai_app", "ranked")])
def test_name_and_replicas_are_those_that_ray_makes(row: dict[str, Any], builder: str, kind: str) -> None:
    found, answer = deployment(row, builder), row[kind]
    assert value_of(found.name) == answer["name"]
    least, most, initial = answer["replicas"]
    assert [value_of(found.replicas.min), value_of(found.replicas.max)] == [least, most]
    assert value_of(found.initial_replicas) == initial


def test_the_answers_are_those_of_the_version_that_is_named() -> None:
    assert _FIXTURE["source"] == {"ray": "2.60.0"}
    assert len(ROWS) > 30
