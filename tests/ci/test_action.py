"""The GitHub Action: its own script, run by bash as a runner runs it, with this checkout's program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}

GOOD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: trainer}
spec:
  strategy: {type: Recreate}
  selector: {matchLabels: {app: trainer}}
  template:
    metadata: {labels: {app: trainer}}
    spec:
      containers:
        - name: trainer
          image: registry.example/trainer:1.0
          resources: {limits: {nvidia.com/gpu: 1}}
"""
BAD = GOOD.replace("limits:", "requests:")


@dataclass(frozen=True)
class Ran:
    code: int
    log: str
    outputs: dict[str, str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout beside a runner's temporary folder, where the program is installed."""
    program = tmp_path / "temp" / "controlplane" / "bin" / "controlplane"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m controlplane.cli.main "$@"\n')
    program.chmod(0o755)
    checkout = tmp_path / "checkout"
    (checkout / "my manifests").mkdir(parents=True)
    (checkout / "my manifests" / "good.yaml").write_text(GOOD)
    (checkout / "bad.yaml").write_text(BAD)
    return checkout


def lint(folder: Path, paths: str, args: str = "", sarif: str = "", upload: str = "false") -> Ran:
    temp = folder.parent / "temp"
    output = temp / "output"
    output.write_text("")
    environment = {**os.environ, "RUNNER_TEMP": str(temp), "GITHUB_OUTPUT": str(output), "PYTHONPATH": str(ROOT)}
    environment |= {"PATHS": paths, "ARGUMENTS": args, "SARIF_FILE": sarif, "UPLOAD": upload}
    script = STEPS["Lint"]["run"]
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
    return Ran(ran.returncode, ran.stdout + ran.stderr, outputs)


def test_findings_become_annotations_and_the_exit_code(folder: Path) -> None:
    ran = lint(folder, ".")
    assert ran.code == 1
    assert "::error " in ran.log
    assert "file=bad.yaml" in ran.log
    assert ran.outputs == {"exit-code": "1"}


def test_paths_are_lines_and_may_hold_blanks(folder: Path) -> None:
    ran = lint(folder, "  my manifests/good.yaml  \n\n")
    assert ran.code == 0
    assert "::error" not in ran.log
    assert ran.outputs == {"exit-code": "0"}


def test_arguments_are_passed_on(folder: Path) -> None:
    assert lint(folder, "bad.yaml", "--exit-zero").code == 0
    assert lint(folder, "bad.yaml", "--no-such-flag").code == 64


def test_input_of_a_workflow_is_never_run(folder: Path) -> None:
    ran = lint(folder, "bad.yaml; touch pwned\n$(touch pwned)", "--exit-zero $(touch pwned) `touch pwned`")
    assert ran.code == 64
    assert not (folder / "pwned").exists()


def test_sarif_is_written_where_it_is_wanted_and_named(folder: Path) -> None:
    ran = lint(folder, "bad.yaml", sarif="out file.sarif")
    assert ran.code == 1
    assert ran.outputs == {"sarif-file": "out file.sarif", "exit-code": "1"}
    log = json.loads((folder / "out file.sarif").read_text())
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["kubernetes/gpu-limit-missing"]


def test_upload_needs_no_name_for_the_file(folder: Path) -> None:
    ran = lint(folder, "bad.yaml", upload="true")
    assert Path(ran.outputs["sarif-file"]).is_file()


def test_scripts_take_inputs_from_the_environment_only() -> None:
    for step in STEPS.values():
        assert "${{" not in step.get("run", "")
        assert set(step.get("env", {}).values()) <= {"${{ github.action_path }}"} | {
            f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]
        }


def test_dependencies_are_installed_as_locked() -> None:
    assert '--requirement "$ACTION_PATH/requirements/$lock.txt"' in STEPS["Install controlplane"]["run"]
    for name in ("core", "guardrails"):
        assert (ROOT / "requirements" / f"{name}.txt").is_file()
    assert ACTION["inputs"]["extras"]["default"] == "guardrails"
    assert "\ncel-expr-python==" in (ROOT / "requirements" / "guardrails.txt").read_text(encoding="utf-8")


def test_extras_that_have_no_lock_are_refused_before_anything_is_installed(tmp_path: Path) -> None:
    script = STEPS["Install controlplane"]["run"]
    environment = {**os.environ, "RUNNER_TEMP": str(tmp_path), "ACTION_PATH": str(ROOT), "EXTRAS": "../core"}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 64
    assert "it can be 'guardrails' or empty" in ran.stdout
    assert list(tmp_path.iterdir()) == []
