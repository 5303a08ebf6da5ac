"""Files that verbs write."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.output import write_output
from controlplane.cli.verbs import plan, render, schema
from tests.policy.folder import FLEET, service


def test_text_is_written(tmp_path: Path) -> None:
    write_output(str(tmp_path / "a.yaml"), "ü\n")
    assert (tmp_path / "a.yaml").read_text(encoding="utf-8") == "ü\n"


@pytest.mark.parametrize("where", ["missing/a.yaml", ""])
def test_path_that_cannot_be_written_is_usage(tmp_path: Path, where: str) -> None:
    with pytest.raises(VerbEnd) as ended:
        write_output(str(tmp_path / where), "")
    assert ended.value.code == Exit.USAGE


@pytest.mark.parametrize("verb", ["render", "plan", "schema"])
def test_no_verb_takes_it_for_a_fault_of_ours(tmp_path: Path, verb: str) -> None:
    (tmp_path / "a.yaml").write_text(f"{FLEET}---\n{service()}", encoding="utf-8")
    command = {"render": render.command, "plan": plan.command, "schema": schema.command}[verb]
    source = [] if verb == "schema" else [str(tmp_path / "a.yaml"), *(["--offline"] if verb == "plan" else [])]
    result = CliRunner().invoke(command, [*source, "-o", str(tmp_path)])
    assert isinstance(result.exception, VerbEnd)
    assert "cannot be written: Is a directory" in str(result.exception)
