from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.guardrails.guarding import DEPLOYMENT, guardrail

_RULE = "- {id: two-gpus, over: engine, require: engine.tensor_parallel <= 2, message: too many GPUs}"


def _write(folder: Path, expect: str) -> Path:
    given = "\n".join(f"    {line}" for line in DEPLOYMENT.strip().splitlines())
    tests = f"- name: four GPUs\n  expect: {expect}\n  given: |\n{given}"
    path = folder / "guardrail.yaml"
    path.write_text(guardrail(_RULE, tests=tests))
    return path


def test_tests_that_go_as_expected_end_with_zero(controlplane: Run, tmp_path: Path) -> None:
    ran = controlplane("test", _write(tmp_path, "[two-gpus]"))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "ok     house: four GPUs" in ran.stdout
    assert ran.stdout.endswith("1 tests, 0 failed\n")


def test_test_that_fails_says_what_was_found(controlplane: Run, tmp_path: Path) -> None:
    ran = controlplane("test", _write(tmp_path, "[]"))
    assert ran.returncode == 1
    assert "not expected: two-gpus: too many GPUs" in ran.stdout


def test_folder_without_a_test_ends_with_two(controlplane: Run, tmp_path: Path) -> None:
    (tmp_path / "guardrail.yaml").write_text(guardrail(_RULE))
    ran = controlplane("test", tmp_path)
    assert ran.returncode == 2
    assert "no test of a Guardrail" in ran.stderr
