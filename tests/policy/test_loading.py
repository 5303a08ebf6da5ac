"""Documents of a folder to a PolicySet: kinds, versions, names, references, and ten mistakes in one run."""

from __future__ import annotations

import pytest

from controlplane.policy import resolve
from tests.policy.folder import FLEET, SERVICE, findings, load, one, remedy, service, stack, told


def test_small_service_loads_without_a_finding() -> None:
    policy_set, found = load(FLEET, SERVICE)
    assert found == ()
    assert [s.key for s in policy_set.services] == ["llm/chat"]
    assert list(policy_set.fleets) == ["prod"]


def test_order_of_the_files_does_not_matter() -> None:
    assert stack(FLEET, SERVICE) == stack(SERVICE, FLEET)


def test_documents_of_other_groups_are_counted_and_left_alone() -> None:
    policy_set, found = load(FLEET, "apiVersion: v1\nkind: Pod\n---\n- a list\n---\njust: a mapping\n")
    assert policy_set.foreign == 3
    assert found == ()


def test_editor_key_is_tolerated() -> None:
    assert findings(FLEET, "$schema: ../schemas/policy/policy.json\n" + SERVICE) == []


def test_unknown_kind_gets_the_nearest_known_one() -> None:
    found = one(findings(FLEET.replace("kind: Fleet", "kind: Flet")), "policy/unknown-kind")
    assert (found.span.line, found.span.column) == (2, 7)
    assert remedy(found) == "Write Fleet."


def test_kind_that_is_no_text_is_a_finding() -> None:
    found = one(findings("apiVersion: controlplane.dev/v1alpha1\nkind: [Fleet]\n"), "policy/unknown-kind")
    assert "a list" in found.message


def test_unknown_version_is_named_beside_the_known_one() -> None:
    found = one(findings(FLEET.replace("v1alpha1", "v1")), "policy/unknown-version")
    assert "controlplane.dev/v1 " in found.message
    assert "controlplane.dev/v1alpha1" in found.message


def test_kind_of_ours_without_a_version_is_told_so() -> None:
    text = FLEET.replace("apiVersion: controlplane.dev/v1alpha1\n", "")
    found = one(findings(text), "policy/missing-key")
    assert found.message == "the Fleet has no `apiVersion`"


def test_same_policy_twice_word_for_word_is_one() -> None:
    assert findings(FLEET, FLEET, SERVICE, SERVICE) == []
    assert len(stack(FLEET, FLEET, SERVICE, SERVICE).workloads) == 1


def test_same_name_twice_points_at_the_second_and_at_the_first() -> None:
    found = told("policy/duplicate-name", SERVICE, service(task="{replicas: 2}"))
    assert found.span.file == "2.yaml"
    assert [r.span.file for r in found.related] == ["1.yaml"]


def test_same_name_in_another_namespace_is_another_service() -> None:
    policy_set, found = load(FLEET, SERVICE, SERVICE.replace("namespace: llm", "namespace: other"))
    assert found == ()
    assert [s.key for s in policy_set.services] == ["llm/chat", "other/chat"]


def test_unknown_fleet_gets_the_nearest_name() -> None:
    found = told("policy/unknown-reference", service(fleet="prd"))
    assert (found.span.file, found.span.line, found.span.column) == ("1.yaml", 5, 10)
    assert remedy(found) == "Write `prod`."


def test_reference_to_a_broken_policy_is_not_reported_again() -> None:
    broken = FLEET.replace("  versions: {kubernetes: 1.36.3}\n", "")
    assert [d.rule for d in findings(broken, SERVICE)] == ["policy/missing-key"]


def test_services_of_two_fleets_are_refused() -> None:
    other = FLEET.replace("name: prod", "name: test")
    found = told("policy/two-fleets", other, SERVICE, service(name="other", fleet="test"))
    assert "`test`" in found.message
    assert "`prod`" in found.message


def test_no_fleet_at_all_is_a_finding() -> None:
    found = one(findings(SERVICE), "policy/unknown-reference")
    assert "there is none here" in found.message


TEN_MISTAKES = """\
apiVersion: controlplane.dev/v1alpha1
kind: MachinePolicy
metadata: {name: standard}
spec:
  pool: h100
  termination: {preStop: 20s, drain: 60s, grace: 30s}
  locked: [pool]
---
apiVersion: controlplane.dev/v1alpha1
kind: ModelService
metadata: {name: big, namespace: llm}
spec:
  fleet: prod
  model: {name: meta-llama/Llama-3.1-8B-Instruct, from: {pvc: models}}
  runtime: {image: registry.example/vllm-openai:v0.33.0, vllm: 0.33.0}
  machine:
    policy: standard
    pool: a100
    gpuMemoryUtilization: 0.9
  task: {replicas: "2"}
  memory:
    tensorParallel: 16
    max_model_len: 8192
    extraArgs: {enabel_lora: true}
  rollout: {policy: carefull, drift: {mode: enforc}}
  env:
    - {name: HF_TOKEN, value: hf_abcdefghijklmnopqrstuvwxyz}
---
apiVersion: controlplane.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: careful}
spec: {}
"""

TEN_FINDINGS = [
    (6, 50, "policy/grace-shorter-than-drain", ("30 s", "80 s"), "95s"),
    (18, 5, "policy/locked-key", ('"a100"', '"h100"'), "Remove `pool`"),
    (19, 5, "policy/misplaced-key", ("vLLM's (memory section)", "whole-GPU request"), "spec.memory.gpuMemory"),
    (20, 20, "policy/wrong-type", ('the text "2"', "a whole number"), "Write 2 without quotes."),
    (22, 21, "policy/engine-larger-than-node", ("16 GPUs", "has 8"), "to 8 or less"),
    (23, 5, "policy/unknown-key", ("max_model_len", "`maxModelLen`"), "Write `maxModelLen`."),
    (24, 17, "policy/unknown-argument", ("enabel_lora", "enable_lora", "0.33.0"), "Write `enable_lora`."),
    (25, 21, "policy/unknown-reference", ("`carefull`", "careful"), "Write `careful`."),
    (25, 45, "policy/bad-value", ('"enforc"', "enforce"), "Write enforce."),
    (27, 31, "policy/literal-secret", ("29 characters", "not shown"), "secret:"),
]


def test_ten_mistakes_give_ten_findings_in_one_run() -> None:
    found = findings(FLEET, TEN_MISTAKES)
    assert [(d.span.line, d.span.column, d.rule) for d in found] == [(f[0], f[1], f[2]) for f in TEN_FINDINGS]
    for diagnostic, (_, _, _, facts, what) in zip(found, TEN_FINDINGS, strict=True):
        assert diagnostic.span.file == "1.yaml"
        assert all(fact in diagnostic.message for fact in facts), diagnostic.message
        assert what in remedy(diagnostic)
        assert remedy(diagnostic).endswith(".")


def test_secret_is_in_no_finding() -> None:
    for diagnostic in findings(FLEET, TEN_MISTAKES):
        assert "hf_abc" not in repr(diagnostic)


def test_service_with_a_refused_value_is_judged_but_not_in_the_stack() -> None:
    policy_set, loading = load(FLEET, service(task='{replicas: "2"}'))
    resolved, resolving = resolve(policy_set)
    assert len(loading) == 1
    assert resolving == ()
    assert resolved.workloads == ()


@pytest.mark.parametrize("text", ["", "null\n", "a text\n", "[]\n", "kind: Fleet\n", "apiVersion: 3\nkind: 4\n"])
def test_odd_documents_are_no_traceback(text: str) -> None:
    policies, _ = load(text)
    assert policies.services == ()


def test_duplicate_of_a_shared_finding_is_told_once() -> None:
    policy = (
        "apiVersion: controlplane.dev/v1alpha1\nkind: MachinePolicy\nmetadata: {name: m}\n"
        "spec: {pool: h100, termination: {grace: 5s}}\n"
    )
    one_service, other = service(machine="m1").replace("machine: m1", "machine: {policy: m}"), None
    other = one_service.replace("name: chat", "name: search")
    told("policy/grace-shorter-than-drain", policy, one_service, other)


@pytest.mark.parametrize(
    ("right", "wrong", "rule"),
    [
        ("kind: Fleet", "kind: Fleat", "policy/unknown-kind"),
        ("controlplane.dev/v1alpha1", "controlplane.dev/v2", "policy/unknown-version"),
    ],
)
def test_misspelled_head_of_a_policy_is_one_mistake(right: str, wrong: str, rule: str) -> None:
    assert [f.rule for f in findings(FLEET.replace(right, wrong), service())] == [rule]
