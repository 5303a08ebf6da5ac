"""Words that the API server takes and that fail later, in a kubelet or an engine."""

from __future__ import annotations

import pytest

from tests.policy.folder import FLEET, findings, one, remedy, service

DIGEST = "a" * 64


def complaints(*texts: str) -> list[str]:
    return [f.message for f in findings(*texts) if f.severity == "error"]


@pytest.mark.parametrize(
    "image",
    [
        "vllm/vllm-openai:v0.33.0",
        "registry.example:5000/vllm",
        f"registry.example/team/vllm-openai@sha256:{DIGEST}",
        f"registry.example/vllm-openai:v0.33.0@sha256:{DIGEST}",
        "registry.example/a__b/c-d.e:V1_2",
    ],
)
def test_image_references_are_taken(image: str) -> None:
    assert complaints(FLEET, service(runtime=f'{{image: "{image}", vllm: 0.33.0}}')) == []


@pytest.mark.parametrize(
    ("image", "what"),
    [
        ("https://registry.example/vllm:1", "Write registry.example/vllm:1."),
        (" registry.example/vllm:1", "Write registry.example/vllm:1."),
        ("Registry.example/VLLM:1", "only the tag may have capitals"),
        ("registry.example/vllm openai:1", "Write registry/repository:tag"),
        ("registry.example/vllm@sha256:abc", "@sha256: with 64 digits"),
        ("registry.example/vllm:1\\n", "Write registry.example/vllm:1."),
        ("x:", "Write registry/repository:tag"),
    ],
)
def test_images_that_no_kubelet_pulls_are_refused(image: str, what: str) -> None:
    found = one(findings(FLEET, service(runtime=f'{{image: "{image}", vllm: 0.33.0}}')), "policy/bad-value")
    assert found.path == ("spec", "runtime", "image")
    assert what in remedy(found)


@pytest.mark.parametrize("name", ["--trust-remote-code", "/abs", "../x", "a/../b", "foo bar", "foo\\nbar"])
def test_model_names_that_become_flags_or_leave_the_claim_are_refused(name: str) -> None:
    found = one(findings(FLEET, service(model=f'{{name: "{name}", from: {{hub: {{}}}}}}')), "policy/bad-value")
    assert found.path == ("spec", "model", "name")


@pytest.mark.parametrize(
    ("taint", "what"),
    [
        ("{key: nvidia.com/gpu=present}", "Write {key: nvidia.com/gpu, value: present, effect: NoSchedule}."),
        ("nvidia.com/gpu=present:NoExecute", "Write {key: nvidia.com/gpu, value: present, effect: NoExecute}."),
        ("nvidia.com/gpu:NoSchedule", "Write {key: nvidia.com/gpu, effect: NoSchedule}."),
        ("{key: a b}", "Write one such as nvidia.com/gpu."),
    ],
)
def test_taint_in_the_form_of_kubectl_is_translated(taint: str, what: str) -> None:
    fleet = FLEET.replace("{key: dedicated, effect: NoExecute}", f'"{taint}"' if taint[0] != "{" else taint)
    assert remedy(one(findings(fleet, service()), "policy/bad-value")) == what


@pytest.mark.parametrize("resource", ["gpu", "cpu", "nvidia.com/", "nvidia.com/gpu "])
def test_accelerators_are_extended_resources(resource: str) -> None:
    fleet = FLEET.replace("count: 8}", f'count: 8, resource: "{resource}"}}')
    assert "no extended resource" in complaints(fleet, service())[0]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{name: 1A, value: x}", "env[0].name: this is no name of a variable"),
        ('{name: "DUP=hunter2", value: x}', "env[0].name: this is no name of a variable"),
        ('{name: A, value: "x\\0y"}', "env[0].value: the value holds a NUL character, which no process can be given"),
        (
            "{name: A, secret: {name: s, key: b/c}}",
            "env[0].secret.key: 'b/c' is no key of a Secret or ConfigMap (letters, digits, -, _ and ., 253 at most)",
        ),
    ],
)
def test_variables_that_no_container_starts_with_are_refused(entry: str, message: str) -> None:
    assert complaints(FLEET, service(env=f"[{entry}]")) == [message]
