"""The verbs against a real API server: plan, apply twice, drift, a saved plan that went stale, a bad revision.

Temporal and its worker are real too; the machines and pods are simulated (kwok).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controlplane.sandbox.lifecycle import Sandbox

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

Run = Callable[..., subprocess.CompletedProcess[str]]

POLICIES = """
apiVersion: controlplane.dev/v1alpha1
kind: Fleet
metadata: {name: tests}
spec:
  versions: {kubernetes: 1.36.3}
  pools:
    - name: gpus
      accelerator: {product: H100-80GB, count: 8}
      nodes: 2
      cpu: 192
      memory: 2000Gi
      labels: {pool: POOL}
      taints: [{key: pool, value: POOL}]
  namespaces: [{name: NAMESPACE}]
---
apiVersion: controlplane.dev/v1alpha1
kind: ModelService
metadata: {name: chat, namespace: NAMESPACE}
spec:
  fleet: tests
  model: {name: example/small-1b, from: {hub: {}}, weights: 2Gi}
  runtime: {kind: deployment, image: "registry.example/vllm-openai:TAG", vllm: 0.33.0}
  machine: {pool: gpus}
  memory: {maxModelLen: 4096}
  rollout: {timeouts: {machines: MACHINES}, drift: {mode: warn, interval: 1h}}
"""


class Chat:
    """One service of one namespace, with its policies in a file, and the cluster it is on."""

    def __init__(self, run: Run, sandbox: Sandbox, namespace: str, pool: str, folder: Path) -> None:
        self._run, self.sandbox, self.namespace, self._pool = run, sandbox, namespace, pool
        self.file = folder / "policies.yaml"
        self.write()

    def write(self, tag: str = "v0.33.0", machines: str = "2m", **replacements: str) -> None:
        text = POLICIES.replace("NAMESPACE", self.namespace).replace("TAG", tag).replace("MACHINES", machines)
        for old, new in replacements.items():
            text = text.replace(old, new)
        self.file.write_text(text.replace("POOL", self._pool))

    def __call__(
        self, verb: str, *arguments: str | Path, environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        where = ("--kubeconfig", self.sandbox.kubeconfig, "--context", self.sandbox.context)
        return self._run(verb, *arguments, *where, environment=environment)

    def deployment(self) -> dict[str, Any]:
        return self.sandbox.api().get(f"/apis/apps/v1/namespaces/{self.namespace}/deployments/chat")

    def patch(self, path: str, body: dict[str, Any]) -> None:
        self.sandbox.api().merge(path.replace("NAMESPACE", self.namespace), body)


@pytest.fixture
def chat(
    controlplane: Run, sandbox: Sandbox, namespace: str, own_machines: Callable[..., str], tmp_path: Path
) -> Chat:
    return Chat(controlplane, sandbox, namespace, own_machines(2, gpus=8), tmp_path)


DEPLOYMENT = "/apis/apps/v1/namespaces/NAMESPACE/deployments/chat"


def succeeded(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_second_apply_has_nothing_to_do_and_writes_nothing(chat: Chat) -> None:
    first = succeeded(chat("apply", chat.file, "--yes"))
    assert "machines  healthy 1 of 1 ready: 1 pod is simulated, no container runs" in first
    assert "memory    healthy 1 of 1 ready: 1 pod is simulated, no engine was asked" in first
    before = chat.deployment()
    second = succeeded(chat("apply", chat.file, "--yes"))
    assert "Nothing to do." in second
    assert chat.deployment()["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    assert succeeded(chat("drift", f"{chat.namespace}/chat")).strip().endswith("no drift in 3 objects")


def test_edit_by_hand_is_drift_at_exactly_its_path_and_plan_names_who_holds_it(chat: Chat) -> None:
    succeeded(chat("apply", chat.file, "--yes"))
    chat.patch(DEPLOYMENT, {"spec": {"replicas": 2}})
    drift = chat("drift", f"{chat.namespace}/chat", "--format", "json")
    assert drift.returncode == 1
    objects = json.loads(drift.stdout)["services"][f"{chat.namespace}/chat"]["objects"]
    fields = [(o["object"], f["path"], f["before"], f["after"]) for o in objects for f in o["fields"]]
    assert fields == [(f"Deployment/{chat.namespace}/chat", "spec.replicas", 2, 1)]
    refused = chat("apply", chat.file, "--yes")
    assert refused.returncode == 4
    assert "needs --force-conflicts" in refused.stdout
    succeeded(chat("apply", chat.file, "--yes", "--force-conflicts"))
    assert chat.deployment()["spec"]["replicas"] == 1


def test_foreign_field_is_nobodys_drift(chat: Chat) -> None:
    succeeded(chat("apply", chat.file, "--yes"))
    chat.patch(DEPLOYMENT, {"metadata": {"annotations": {"team.example/owner": "search"}}})
    assert chat("drift", f"{chat.namespace}/chat").returncode == 0
    assert "No changes." in succeeded(chat("plan", chat.file, "--detailed-exitcode"))


def test_plan_tells_changes_by_its_exit_code_and_saved_plan_is_what_is_applied(chat: Chat, tmp_path: Path) -> None:
    saved = tmp_path / "plan.json"
    assert chat("plan", chat.file, "--detailed-exitcode", "-o", saved).returncode == 2
    chat.write(tag="v0.33.0-another")
    succeeded(chat("apply", saved))
    image = chat.deployment()["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == "registry.example/vllm-openai:v0.33.0"


def test_saved_plan_is_refused_once_an_owned_field_changed_and_names_who_changed_it(
    chat: Chat, tmp_path: Path
) -> None:
    succeeded(chat("apply", chat.file, "--yes"))
    chat.write(tag="v0.33.0-another")
    saved = tmp_path / "plan.json"
    succeeded(chat("plan", chat.file, "-o", saved))
    chat.patch(DEPLOYMENT, {"spec": {"replicas": 3}})
    result = chat("apply", saved)
    assert result.returncode == 4
    assert "spec.replicas" in result.stderr
    assert chat.deployment()["spec"]["replicas"] == 3


def test_bad_image_returns_to_the_good_revision_and_history_says_why(chat: Chat) -> None:
    succeeded(chat("apply", chat.file, "--yes"))
    chat.write(tag="does-not-exist", machines="20s")
    failed = chat("apply", chat.file, "--yes", "--reason", "a new image")
    assert failed.returncode == 1, failed.stdout + failed.stderr
    assert "revision 1 serves again" in failed.stdout
    image = chat.deployment()["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == "registry.example/vllm-openai:v0.33.0"
    history = json.loads(succeeded(chat("history", f"{chat.namespace}/chat", "--format", "json")))
    assert [(r["number"], r["outcome"]) for r in history["revisions"]] == [(1, "good"), (2, "returned")]
    assert "ImagePull" in history["rollouts"][-1]["outcome"]["reason"]


def test_rollback_brings_the_earlier_revision_back(chat: Chat) -> None:
    succeeded(chat("apply", chat.file, "--yes"))
    chat.write(tag="v0.33.0-another")
    succeeded(chat("apply", chat.file, "--yes"))
    succeeded(chat("rollback", f"{chat.namespace}/chat", "--yes"))
    image = chat.deployment()["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == "registry.example/vllm-openai:v0.33.0"
    assert "healthy, revision 1" in succeeded(chat("status", f"{chat.namespace}/chat"))


def test_change_of_settings_alone_is_a_change_that_writes_no_object(chat: Chat) -> None:
    succeeded(chat("apply", chat.file, "--yes"))
    before = chat.deployment()["metadata"]["resourceVersion"]
    chat.write(**{"mode: warn": "mode: enforce"})
    plan = chat("plan", chat.file, "--detailed-exitcode")
    assert plan.returncode == 2
    assert "its rollout settings changed" in plan.stdout
    succeeded(chat("apply", chat.file, "--yes"))
    assert chat.deployment()["metadata"]["resourceVersion"] == before
    assert "drift (enforce)" in succeeded(chat("status", f"{chat.namespace}/chat"))


def test_object_of_the_same_name_that_others_made_is_never_replaced(chat: Chat) -> None:
    container = {"name": "web", "image": "registry.example/web:1"}
    theirs = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chat", "namespace": chat.namespace},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}},
        },
    }
    made = chat.sandbox.api().create(f"/apis/apps/v1/namespaces/{chat.namespace}/deployments", theirs)
    result = chat("apply", chat.file, "--yes", "--force-conflicts")
    assert result.returncode == 4
    assert "never applied by us" in result.stdout
    assert chat.deployment()["metadata"]["uid"] == made["metadata"]["uid"]


def test_unreachable_temporal_leaves_no_revision_behind(chat: Chat) -> None:
    failed = chat("apply", chat.file, "--yes", environment={"TEMPORAL_ADDRESS": "127.0.0.1:1"})
    assert failed.returncode == 4
    assert chat("history", f"{chat.namespace}/chat").returncode == 2


def test_unknown_service_is_told_the_nearest_one(chat: Chat) -> None:
    succeeded(chat("apply", chat.file, "--yes"))
    result = chat("history", f"{chat.namespace}/chatt")
    assert result.returncode == 2
    assert f"Did you mean {chat.namespace}/chat?" in result.stderr


@pytest.mark.parametrize("answer", ["y\n", "\n", ""])
def test_answer_other_than_yes_applies_nothing(chat: Chat, controlplane: Run, answer: str) -> None:
    where = ("--kubeconfig", chat.sandbox.kubeconfig, "--context", chat.sandbox.context)
    result = controlplane("apply", chat.file, *where, stdin=answer)
    assert result.returncode == 1
    assert "nothing was applied" in result.stderr
    assert chat("history", f"{chat.namespace}/chat").returncode == 2
