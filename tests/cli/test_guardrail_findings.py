"""Guardrails where CEL is not installed: lint tells all else, and what would change a cluster refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controlplane.cli import guardrail_findings
from controlplane.cli.main import main

GUARDRAIL = """\
apiVersion: controlplane.dev/v1alpha1
kind: Guardrail
metadata: {name: house}
spec:
  rules:
  - id: has-team
    over: container
    require: container.name != ""
    message: a container needs a name
    remedy: Name it.
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
      - name: server
        image: registry.example/server:1
        resources: {requests: {nvidia.com/gpu: 1}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("guardrail.yaml").write_text(GUARDRAIL)
    Path("chat.yaml").write_text(DEPLOYMENT)


@pytest.fixture
def without_cel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guardrail_findings, "find_spec", lambda _: None)


@pytest.mark.usefixtures("without_cel")
def test_lint_tells_all_else_and_that_the_guardrails_were_not_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", ".", "--format", "json"]) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert [finding["rule"] for finding in findings] == ["kubernetes/gpu-limit-missing", "guardrail/not-evaluated"]
    assert "1 rules of Guardrails (house) were not asked" in findings[1]["message"]


@pytest.mark.usefixtures("without_cel")
@pytest.mark.parametrize("verb", ["render", "test"])
def test_verbs_that_need_the_answer_refuse(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "guardrail.yaml"]) == 3
    assert "nothing to evaluate CEL with" in capsys.readouterr().err


def test_with_cel_the_guardrails_are_asked(capsys: pytest.CaptureFixture[str]) -> None:
    main(["lint", ".", "--format", "json"])
    rules = [finding["rule"] for finding in json.loads(capsys.readouterr().out)["findings"]]
    assert "guardrail/not-evaluated" not in rules
