"""Policies given in part: what they refer to may be in a file that the run was not given."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from controlplane.cli.main import main

POLICIES = Path(__file__).resolve().parents[3] / "policies"
MISSPELT = "    extraArgs: {max_num_sequences: 4}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(POLICIES, "policies")


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[tuple[str, str]]:
    main(["lint", *arguments, "--format", "json"])
    return [(f["rule"], f["severity"]) for f in json.loads(capsys.readouterr().out)["findings"]]


@pytest.mark.parametrize("name", ["chat-8b/chat.yaml", "llama-70b/assistant.yaml", "shared-pool/search.yaml"])
def test_reference_to_what_was_not_given_is_no_error(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, f"policies/{name}")
    assert set(found) == {("policy/reference-not-given", "info")}
    assert main(["lint", f"policies/{name}"]) == 0


def test_fleet_of_the_flag_supplies_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "policies/chat-8b/chat.yaml", "--fleet", "policies/chat-8b/fleet.yaml") == []
    alone = Path("alone")
    alone.mkdir()
    shutil.copy("policies/chat-8b/chat.yaml", alone)
    assert told(capsys, "alone", "--fleet", "policies/chat-8b/fleet.yaml") == []


def test_fleet_of_the_flag_is_what_the_service_is_judged_on(capsys: pytest.CaptureFixture[str]) -> None:
    fleet = Path("fleet.yaml")
    fleet.write_text(Path("policies/chat-8b/fleet.yaml").read_text().replace("name: h100", "name: h200"))
    assert told(capsys, "policies/chat-8b/chat.yaml", "--fleet", "fleet.yaml") == [
        ("policy/unknown-reference", "error")
    ]


def test_in_a_folder_and_in_other_verbs_it_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("policies/chat-8b/fleet.yaml").unlink()
    assert told(capsys, "policies/chat-8b") == [("policy/unknown-reference", "error")]
    assert main(["render", "policies/chat-8b/chat.yaml"]) == 1
    assert "no Fleet is called `example`" in capsys.readouterr().err


def test_what_needs_no_machines_is_judged_without_a_fleet(capsys: pytest.CaptureFixture[str]) -> None:
    policy = Path("policies/chat-8b/chat.yaml")
    policy.write_text(policy.read_text() + MISSPELT)
    found = told(capsys, str(policy))
    assert [rule for rule, severity in found if severity == "error"] == ["policy/unknown-argument"]


def test_unknown_fleet_says_nothing_of_the_machines_of_manifests(capsys: pytest.CaptureFixture[str]) -> None:
    main(["render", "policies/chat-8b"])
    Path("rendered.yaml").write_text(capsys.readouterr().out)
    found = told(capsys, "policies/chat-8b/chat.yaml", "rendered.yaml")
    assert [rule for rule, severity in found if severity == "error"] == []


FLEET = """\
apiVersion: controlplane.dev/v1alpha1
kind: Fleet
metadata: {name: example}
spec:
  versions: {kubernetes: 1.36.3}
  pools:
    - {name: l4, accelerator: {product: L4, count: 8}, nodes: 3, cpu: 96, memory: 1Ti, labels: {pool: l4}}
"""
SERVICE = """\
apiVersion: controlplane.dev/v1alpha1
kind: ModelService
metadata: {{name: chat, namespace: llm}}
spec:
  fleet: example
  model: {{{model}, from: {{pvc: models}}}}
  runtime: {{kind: deployment, image: "registry.example/vllm-openai:v0.33.0", vllm: 0.33.0}}
  memory: {{{memory}}}
"""
TOO_LARGE = "cross/weights-exceed-gpu-memory"


@pytest.mark.parametrize(
    ("model", "memory", "expected"),
    [
        ("name: acme/own, weights: 65Gi", "tensorParallel: 2", [(TOO_LARGE, "warning")]),
        ("name: acme/own, weights: 65Gi", "tensorParallel: 4", []),
        ("name: Qwen/Qwen3-32B", "tensorParallel: 2", [(TOO_LARGE, "error")]),
        ("name: Qwen/Qwen3-32B, path: qwen-awq", "tensorParallel: 1", []),
        ("name: Qwen/Qwen3-32B, weights: 18Gi", "tensorParallel: 1", []),
        (
            "name: meta-llama/Llama-3.1-8B-Instruct",
            "maxModelLen: 262144",
            [("vllm/length-exceeds-positions", "error")],
        ),
        (
            "name: meta-llama/Llama-3.1-8B-Instruct",
            "tensorParallel: 3",
            [("policy/arguments-exclude-each-other", "error")],
        ),
        (
            "name: meta-llama/Llama-3.1-8B-Instruct",
            "tensorParallel: 2, extraArgs: {decode_context_parallel_size: 2}",
            [("vllm/context-parallel-exceeds-kv-replicas", "error")],
        ),
    ],
)
def test_model_of_a_claim_has_the_shape_that_its_name_says(
    model: str, memory: str, expected: list[tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path("claim")
    folder.mkdir()
    (folder / "fleet.yaml").write_text(FLEET)
    (folder / "chat.yaml").write_text(SERVICE.format(model=model, memory=memory))
    assert [found for found in told(capsys, "claim") if found[1] != "info"] == expected


def test_finding_about_a_policy_speaks_of_its_keys(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path("claim")
    folder.mkdir()
    (folder / "fleet.yaml").write_text(FLEET)
    long = SERVICE.format(model="name: meta-llama/Llama-3.1-8B-Instruct", memory="maxModelLen: 262144")
    (folder / "chat.yaml").write_text(long)
    main(["lint", "claim"])
    assert "claim/chat.yaml:8:25: error: maxModelLen is 262144 and" in capsys.readouterr().out
