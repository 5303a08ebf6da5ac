"""A knob in the wrong section is told where it lives, and why."""

from __future__ import annotations

import pytest

from controlplane.policy.homes import OWNERS, home_of
from controlplane.policy.kinds import SECTIONS, known_keys
from tests.policy.folder import FLEET, findings, one, remedy, service, told

MISPLACED = [
    ("machine", "gpuMemoryUtilization: 0.9", "memory.gpuMemoryUtilization",
     "gpuMemoryUtilization is vLLM's (memory section): a whole-GPU request does not limit memory"),
    ("machine", "--gpu-memory-utilization: 0.9", "memory.gpuMemoryUtilization", "is vLLM's (memory section)"),
    ("machine", "tensorParallel: 2", "memory.tensorParallel", "is vLLM's"),
    ("machine", "tensor_parallel_size: 2", "memory.tensorParallel", "is vLLM's"),
    ("machine", "replicas: 2", "task.replicas", "is the task layer's"),
    ("memory", "replicas: 2", "task.replicas", "is the task layer's"),
    ("memory", "gpusPerPod: 2", "task.gpusPerPod", "is the task layer's"),
    ("memory", "memory: 64Gi", "machine.memory", "is Kubernetes' (machine section): it is the pod's memory"),
    ("task", "maxNumSeqs: 2", "memory.maxNumSeqs", "is vLLM's"),
    ("task", "pool: h100", "machine.pool", "is Kubernetes'"),
    ("task", "surge: 1", "rollout.surge", "is the rollout's"),
    ("machine", "grace: 90s", "machine.termination.grace", "stands one level away"),
    ("machine", "drain: 90s", "machine.termination.drain", "stands one level away"),
    ("memory", "image: a", "runtime.image", "is the runtime's"),
    ("memory", "servedName: a", "model.servedName", "is the model's"),
    ("machine", "port: 80", "service.port", "is the Service's"),
]  # fmt: skip


@pytest.mark.parametrize(("section", "line", "home", "words"), MISPLACED, ids=[f"{m[0]} {m[1]}" for m in MISPLACED])
def test_misplaced_key_is_told_its_home(section: str, line: str, home: str, words: str) -> None:
    found = told("policy/misplaced-key", service(**{section: f"{{{line}}}"}))
    assert words in found.message
    assert remedy(found) == f"Move it to `spec.{home}`."
    assert found.span.column == 4 + len(section) + 2


@pytest.mark.parametrize("key", ["replicas", "maxModelLen", "pool", "surge", "image"])
def test_key_at_the_top_is_told_its_section(key: str) -> None:
    found = told("policy/misplaced-key", service(f"  {key}: 3\n"))
    assert f".{key}`" in remedy(found)


def test_misplaced_key_in_a_named_policy_is_told_both_homes() -> None:
    policy = (
        "apiVersion: controlplane.dev/v1alpha1\nkind: MachinePolicy\nmetadata: {name: m}\nspec: {maxModelLen: 1}\n"
    )
    found = told("policy/misplaced-key", policy)
    assert remedy(found) == (
        "Move it to `spec.memory.maxModelLen` of the ModelService, or to `spec.maxModelLen` of a MemoryPolicy."
    )


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("nodeSelector", "`selector` of the pool"),
        ("tolerations", "`taints` of the pool"),
        ("resources", "`machine.cpu`"),
        ("terminationGracePeriodSeconds", "`machine.termination.grace`"),
        ("maxSurge", "`rollout.surge`"),
        ("gpus", "`memory.tensorParallel`"),
    ],
)
def test_key_of_a_manifest_is_told_what_decides_it_here(key: str, what: str) -> None:
    found = told("policy/misplaced-key", service(machine=f"{{{key}: 1}}"))
    assert what in remedy(found)


def test_misspelling_of_a_known_key_is_not_taken_for_a_misplaced_one() -> None:
    found = told("policy/unknown-key", service(memory="{maxModelLength: 1}"))
    assert "maxModelLen" in remedy(found)


def test_other_spelling_of_a_known_key_has_a_safe_edit() -> None:
    found = told("policy/unknown-key", service(memory="{max_model_len: 1}"))
    assert found.remedy is not None
    (edit,) = found.remedy.edits
    assert (edit.new_text, found.remedy.applicability) == ("maxModelLen", "safe")
    assert (edit.span.column, edit.span.end_column) == (12, 25)


def test_other_spelling_beside_the_right_one_is_to_be_removed() -> None:
    found = told("policy/unknown-key", service(memory="{maxModelLen: 1, max_model_len: 1}"))
    assert remedy(found) == "Remove it; `maxModelLen` is already there."


@pytest.mark.parametrize(
    ("section", "key", "argument"),
    [
        ("memory", "enforceEager", "enforce_eager"),
        ("machine", "--enable-lora", "enable_lora"),
        ("task", "seed", "seed"),
    ],
)
def test_argument_without_a_key_goes_to_the_extra_arguments(section: str, key: str, argument: str) -> None:
    found = told("policy/misplaced-key", service(**{section: f"{{{key}: 1}}"}))
    assert f"vLLM has an argument {argument}" in found.message
    assert remedy(found) == f"Write it as `spec.memory.extraArgs.{argument}`."


def test_namespace_of_anything_but_a_service_is_refused_with_the_reason() -> None:
    found = one(findings(FLEET.replace("{name: prod}", "{name: prod, namespace: a}")), "policy/unknown-key")
    assert found.message == "a Fleet has no namespace: policies are found by name in their folder"


def test_misspelling_behind_an_alias_is_shown_at_its_use_and_not_edited() -> None:
    found = findings(FLEET, service(machine="&shared {maxModelLenn: 1}", memory="*shared"))
    used = [d for d in found if d.path == ("spec", "memory", "maxModelLenn")]
    assert [(d.span.line, d.span.column) for d in used] == [(9, 11)]
    assert all(d.remedy is not None and d.remedy.edits == () for d in used)
    assert "`maxModelLen` where the alias points" in remedy(used[0])


def test_key_like_nothing_lists_what_is_known() -> None:
    found = told("policy/unknown-key", service(task="{zzzzzz: 1}"))
    assert remedy(found) == "Remove it; known here are gpusPerPod, policy, replicas."


def test_every_knob_of_a_section_is_found_from_every_other_section() -> None:
    for section in SECTIONS:
        for key in known_keys("ModelService", ("spec", section)):
            if key == "policy":
                continue
            home = home_of(key, ("elsewhere",))
            assert home is not None, key
            assert home.section in OWNERS
