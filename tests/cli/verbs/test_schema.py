"""Schemas are printed by the kind's own name."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.verbs.schema import command

KINDS = ("Fleet", "Guardrail", "MachinePolicy", "MemoryPolicy", "ModelService", "RolloutPolicy", "TaskPolicy")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_its_schema(kind: str) -> None:
    result = CliRunner().invoke(command, [kind], standalone_mode=False)
    assert json.loads(result.output)["properties"]["kind"]["const"] == kind


def test_without_a_kind_one_file_for_all_of_them_is_printed() -> None:
    schema = json.loads(CliRunner().invoke(command, [], standalone_mode=False).output)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert set(schema["properties"]["kind"]["enum"]) == set(KINDS)


def test_unknown_kind_is_told_the_nearest_one() -> None:
    result = CliRunner().invoke(command, ["modelservice"], standalone_mode=False)
    assert isinstance(result.exception, VerbEnd)
    assert result.exception.code is Exit.USAGE
    assert result.exception.remedy == "Did you mean ModelService?"
