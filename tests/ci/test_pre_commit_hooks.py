"""The hooks for pre-commit: their commands are ones that the program takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from controlplane.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
BY_ID = {hook["id"]: hook for hook in HOOKS}

BAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: trainer}
spec:
  selector: {matchLabels: {app: trainer}}
  template:
    metadata: {labels: {app: trainer}}
    spec:
      containers:
        - name: trainer
          image: registry.example/trainer:1.0
          resources: {requests: {nvidia.com/gpu: 1}}
"""


def run(hook: dict[str, Any], *files: str) -> int:
    program, *arguments = shlex.split(hook["entry"])
    assert program == "controlplane"
    return main([*arguments, *hook.get("args", []), *files])


def test_hooks_are_for_changed_files_for_all_and_for_repairs() -> None:
    assert list(BY_ID) == ["controlplane-lint", "controlplane-lint-all", "controlplane-fix"]
    assert all(hook["types_or"] == ["yaml"] for hook in HOOKS)
    assert BY_ID["controlplane-lint-all"]["pass_filenames"] is False


def test_hooks_see_all_their_files_in_one_process_and_can_evaluate_guardrails() -> None:
    assert all(hook["require_serial"] is True for hook in HOOKS)
    assert all(hook["additional_dependencies"] == [".[guardrails]"] for hook in HOOKS)


@pytest.mark.parametrize("name", BY_ID)
def test_yaml_that_is_no_manifest_passes_every_hook(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other.yaml").write_text("a: 1\n")
    assert run(BY_ID[name], *(["other.yaml"] if BY_ID[name].get("pass_filenames", True) else [])) == 0


def test_faulty_manifest_fails_the_hooks_that_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.yaml").write_text(BAD)
    assert run(BY_ID["controlplane-lint"], "bad.yaml") == 1
    assert run(BY_ID["controlplane-lint-all"]) == 1
    assert run(BY_ID["controlplane-fix"], "bad.yaml") == 0


def test_repairing_hook_repairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    differs = BAD.replace(
        "{requests: {nvidia.com/gpu: 1}}", "{requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}}"
    )
    Path("bad.yaml").write_text(differs)
    assert run(BY_ID["controlplane-fix"], "bad.yaml") == 0
    assert Path("bad.yaml").read_text() == differs.replace("{nvidia.com/gpu: 1}", "{nvidia.com/gpu: 2}")


@pytest.mark.parametrize("name", ["controlplane-lint", "controlplane-fix"])
def test_comment_that_other_files_may_need_is_left_alone(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "# controlplane: ignore[kubernetes/quota-exceeded] the quota is raised at night\n" + BAD
    Path("bad.yaml").write_text(text)
    run(BY_ID[name], "bad.yaml")
    assert Path("bad.yaml").read_text() == text
    assert "suppression/unused" not in capsys.readouterr().out
    run(BY_ID["controlplane-lint-all"])
    assert "suppression/unused" in capsys.readouterr().out


def test_page_names_hooks_inputs_and_flags_that_exist() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    blocks = [list(yaml.safe_load_all(text)) for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    documents = [document for block in blocks for document in block]
    [hooks] = [repo["hooks"] for d in documents if isinstance(d, dict) for repo in d.get("repos", [])]
    assert {hook["id"] for hook in hooks} == set(BY_ID)
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    workflow = next(d for d in documents if "jobs" in d)
    used = workflow["jobs"]["controlplane"]["steps"][-1]["with"]
    assert used.keys() <= action["inputs"].keys()
    for name in action["inputs"]:
        assert f"`{name}`" in page


def test_flags_in_the_pages_are_those_of_lint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--help"]) == 0
    help_text = capsys.readouterr().out
    for name in ("lint.md", "ci.md"):
        page = (ROOT / "docs" / name).read_text(encoding="utf-8")
        lines = [line for line in page.splitlines() if "controlplane lint" in line]
        flags = {flag for line in lines for flag in re.findall(r"(?<=\s)--[a-z-]+", line)}
        assert flags
        assert {flag for flag in flags if flag not in help_text} == set()
