"""Weights from a claim, an image, or the hub."""

from __future__ import annotations

from controlplane.stack.facts import Known, value_of
from controlplane.stack.pods import Claim, EmptyDir, ImageVolume, SecretKey
from tests.policy.folder import FLEET, findings, one, service, told, workload

LLAMA = "meta-llama/Llama-3.1-8B-Instruct"


def volumes(*texts: str) -> dict[str, object]:
    return {v.name: value_of(v.source) for v in workload(*texts).pod_sets[0].volumes}


def mounts(*texts: str) -> dict[str, tuple[str, bool]]:
    return {m.volume: (m.path, m.read_only) for m in workload(*texts).pod_sets[0].containers[0].mounts}


def model(*texts: str) -> str | None:
    return value_of(workload(*texts).engines[0].model)


def env(*texts: str) -> dict[str, object]:
    return {e.name: value_of(e.value) for e in workload(*texts).pod_sets[0].containers[0].env}


def test_claim_is_mounted_read_only_and_the_model_is_a_folder_in_it() -> None:
    assert volumes(service())["model"] == Claim("models", read_only=True)
    assert mounts(service())["model"] == ("/models", True)
    assert model(service()) == f"/models/{LLAMA}"
    assert env(service()) == {"HF_HUB_OFFLINE": "1"}


def test_folder_of_the_policy_is_taken() -> None:
    assert model(service(model="{name: a, from: {pvc: models}, path: b/c, weights: 1Gi}")) == "/models/b/c"


def test_image_is_mounted_and_the_model_is_its_root() -> None:
    text = service(model=f"{{name: {LLAMA}, from: {{image: registry.example/llama:1}}}}")
    assert volumes(text)["model"] == ImageVolume("registry.example/llama:1")
    assert model(text) == "/models"


def test_image_needs_a_cluster_that_mounts_images() -> None:
    text = service(model=f"{{name: {LLAMA}, from: {{image: registry.example/llama:1}}}}")
    found = one(findings(FLEET.replace("1.36.3", "1.34.1"), text), "policy/feature-off")
    assert "from Kubernetes 1.35" in found.message
    assert "1.34.1" in found.message
    assert findings(FLEET.replace("1.36.3", "1.35.0"), text) == []


HUB = f"{{name: {LLAMA}, from: {{hub: {{secret: {{name: hf, key: token}}}}}}, revision: main, cache: {{pvc: cache}}}}"


def test_hub_gets_its_token_by_reference_and_a_cache() -> None:
    text = service(model=HUB)
    assert env(text) == {"HF_HOME": "/cache/huggingface", "HF_TOKEN": SecretKey("hf", "token")}
    assert volumes(text)["cache"] == Claim("cache")
    assert mounts(text)["cache"] == ("/cache", False)
    assert model(text) == LLAMA
    assert value_of(workload(text).engines[0].arguments["revision"]) == "main"


def test_hub_without_a_cache_downloads_to_the_pods_own_disk() -> None:
    text = service(model=f"{{name: {LLAMA}, from: {{hub: {{}}}}}}")
    assert volumes(text)["cache"] == EmptyDir()
    assert env(text) == {"HF_HOME": "/cache/huggingface"}
    assert "revision" not in workload(text).engines[0].arguments


def test_key_that_only_the_hub_reads_is_a_warning_elsewhere() -> None:
    text = service(model=f"{{name: {LLAMA}, from: {{pvc: models}}, revision: main, cache: {{pvc: c}}}}")
    found = findings(FLEET, text)
    assert [(d.rule, d.severity, d.path[-1]) for d in found] == [
        ("policy/key-without-effect", "warning", "revision"),
        ("policy/key-without-effect", "warning", "cache"),
    ]


def test_folder_on_the_hub_is_a_warning() -> None:
    text = service(model=f"{{name: {LLAMA}, from: {{hub: {{}}}}, path: a}}")
    assert told("policy/key-without-effect", text).path[-1] == "path"


def test_clients_ask_for_the_models_name_wherever_it_lies() -> None:
    assert value_of(workload(service()).engines[0].served_model_name) == LLAMA
    named = workload(service(model=f"{{name: {LLAMA}, from: {{pvc: models}}, servedName: chat}}")).engines[0]
    assert isinstance(named.served_model_name, Known)
    assert named.served_model_name.value == "chat"
