"""Schema faults as findings: exact places, both values, and what to write instead."""

from __future__ import annotations

import pytest

from tests.policy.folder import FLEET, SERVICE, findings, one, remedy, service, told

CASES = [
    ("text for number", service(memory='{maxModelLen: "16384"}'), "policy/wrong-type",
     'memory.maxModelLen is the text "16384"; a whole number is needed', "Write 16384 without quotes."),
    ("thousands", service(memory="{maxModelLen: 16k}"), "policy/wrong-type",
     'memory.maxModelLen is the text "16k"; a whole number is needed', "Write 16000."),
    ("thousands of two", service(memory="{maxModelLen: 16K}"), "policy/wrong-type",
     'memory.maxModelLen is the text "16K"; a whole number is needed', "Write 16384."),
    ("float for int", service(memory="{maxModelLen: 8192.0}"), "policy/wrong-type",
     "memory.maxModelLen is the number 8192.0; a whole number is needed", "Write 8192."),
    ("number for text", service(memory="{dtype: 16}"), "policy/wrong-type",
     "memory.dtype is the number 16; a text is needed", 'Write "16" with quotes.'),
    ("word for boolean", service(memory='{enablePrefixCaching: "yes"}'), "policy/wrong-type",
     'memory.enablePrefixCaching is the text "yes"; true or false is needed', "Write true."),
    ("list for mapping", service(memory="[1]"), "policy/wrong-type",
     "memory is a list; a mapping is needed", "Write a mapping."),
    ("text for list", service(env="A=1"), "policy/wrong-type",
     "env is a text; a list is needed", "Write a list."),
    ("below the bound", service(memory="{tensorParallel: 0}"), "policy/bad-value",
     "memory.tensorParallel is 0; at least 1 is needed", "Write a number at least 1."),
    ("above the bound", service(memory="{gpuMemoryUtilization: 92}"), "policy/bad-value",
     "memory.gpuMemoryUtilization is 92; at most 1 is needed", "Write a number at most 1."),
    ("choice", service(rollout="{strategy: roling}"), "policy/bad-value",
     'rollout.strategy is the text "roling"; rolling or recreate is needed', "Write rolling."),
    ("runtime of another release", service(runtime="{kind: ray-serve-llm, image: a, vllm: 0.33.0}"),
     "policy/bad-value", 'runtime.kind is the text "ray-serve-llm"; deployment is needed', "Write deployment."),
    ("duration without unit", service(machine="{termination: {drain: 45}}"), "policy/bad-value",
     "machine.termination.drain: 45 has no unit", "Write 45s for seconds or 45m for minutes."),
    ("duration with days", service(machine="{termination: {drain: 1d}}"), "policy/bad-value",
     "machine.termination.drain: '1d' has the unknown unit 'd'; the longest is h, so write 24h",
     "Write a duration such as 30s, 10m or 1h30m."),
    ("part of a second", service(machine="{termination: {drain: 500ms}}"), "policy/bad-value",
     "machine.termination.drain: '500ms' is 0.5 s; whole seconds are counted here", "Write whole seconds."),
    ("quantity", service(machine="{memory: 64gb}"), "policy/bad-value",
     "machine.memory: '64gb' has the unknown suffix 'gb'; write '64Gi' (2^30) or '64G' (10^9)",
     "Write a number with a suffix, such as 500m or 64Gi."),
    ("thousandths of bytes", service(machine="{memory: 64m}"), "policy/bad-value",
     "machine.memory: 64m is 0.064 bytes; less than 1Mi (1048576 bytes) is a wrong suffix",
     "Write the size with Mi, Gi or Ti, such as 64Gi."),
    ("forgotten suffix", service(machine="{sharedMemory: 16}"), "policy/bad-value",
     "machine.sharedMemory: 16 is 16 bytes; less than 1Mi (1048576 bytes) is a wrong suffix",
     "Write the size with Mi, Gi or Ti, such as 64Gi."),
    ("nothing", service(machine="{cpu: 0}"), "policy/bad-value",
     "machine.cpu: 0 is not above zero", "Write an amount above zero."),
    ("version as number", service(runtime="{image: a, vllm: 0.33}"), "policy/bad-value",
     "runtime.vllm: 0.33 is a number here, and a version such as 1.30 would lose its zero", 'Write "0.33".'),
    ("version with v", service(runtime="{image: a, vllm: v0.33.0}"), "policy/bad-value",
     "runtime.vllm: 'v0.33.0' is no version", "Write 0.33.0."),
    ("name", SERVICE.replace("name: chat", "name: Chat_8B"), "policy/bad-value",
     "metadata.name: 'Chat_8B' is no name for an object (lower-case letters, digits, -, a letter first; 63 at most)",
     "Name it 'chat-8b'."),
    ("no source", service(model="{name: a, from: {}}"), "policy/bad-value",
     "model.from: 0 sources are given; a model comes from one", "Keep one of pvc, image and hub."),
    ("two sources", service(model="{name: a, from: {pvc: a, hub: {}}}"), "policy/bad-value",
     "model.from: 2 sources are given; a model comes from one", "Keep one of pvc, image and hub."),
    ("path outside", service(model="{name: a, from: {pvc: a}, path: ../b}"), "policy/bad-value",
     "model.path: '../b' leaves the claim or image", "Write a path relative to its root, without '..'."),
    ("value and secret", service(env="[{name: A, value: b, secret: {name: c, key: d}}]"), "policy/bad-value",
     "env[0]: A has secret and value", "Give exactly one of value, secret and config."),
    ("empty section", service(machine=""), "policy/empty-value",
     "machine is empty", "Give machine a value, or leave the key out."),
    ("missing key", service(runtime="{image: a}"), "policy/missing-key",
     "runtime has no `vllm`", "Add `vllm: …` to runtime."),
    ("empty image", service(runtime='{image: "", vllm: 0.33.0}'), "policy/bad-value",
     "runtime.image is empty; at least one character is needed", "Write one, or leave the key out."),
    ("label", SERVICE.replace("namespace: llm", "labels: {team: a b}"), "policy/bad-value",
     "metadata.labels.team: 'a b' is no value of a label (letters, digits, -, _ and . inside, 63 at most)",
     "Write one such as a-b."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rule", "message", "what"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_fault_states_both_values_and_the_remedy(text: str, rule: str, message: str, what: str) -> None:
    found = one(findings(FLEET, text), rule)
    assert found.message == message
    assert remedy(found) == what


def test_wrong_value_is_shown_at_the_value() -> None:
    found = told("policy/wrong-type", service(memory="{maxModelLen: many}"))
    assert (found.span.line, found.span.column, found.span.end_column) == (9, 25, 29)


def test_missing_key_is_shown_at_its_parent() -> None:
    found = told("policy/missing-key", service(runtime="{image: a}"))
    assert (found.span.line, found.span.column) == (7, 3)
    assert found.path == ("spec", "runtime", "vllm")


def test_tag_of_a_union_is_not_in_the_path() -> None:
    text = FLEET.replace("nodes: 2", "nodes: {min: a, max: 2}")
    assert one(findings(text), "policy/wrong-type").path == ("spec", "pools", 0, "nodes", "min")


def test_values_of_the_environment_are_never_shown() -> None:
    for text in (service(env="[{name: A, value: [5up3r]}]"), service(env="[{name: A, value: 12345}]")):
        found = told("policy/wrong-type", text)
        assert "5up3r" not in repr(found)
        assert "12345" not in repr(found)


def test_null_inside_an_extra_argument_is_a_value() -> None:
    rules = [d.rule for d in findings(FLEET, service(memory="{extraArgs: {compilation_config: {mode: null}}}"))]
    assert "policy/empty-value" not in rules


def test_control_characters_are_not_printed_raw() -> None:
    found = told("policy/wrong-type", service(memory='{maxModelLen: "\\e[31m"}'))
    assert "\x1b" not in found.message


def test_long_value_is_cut() -> None:
    found = told("policy/wrong-type", service(memory=f"{{maxModelLen: {'x' * 5000}}}"))
    assert len(found.message) < 200


def test_mistakes_of_one_document_do_not_hide_each_other() -> None:
    found = findings(FLEET, service(memory="{maxModelLen: a, tensorParallel: b}", task="{replicas: c}", servce="{}"))
    assert [d.rule for d in found] == ["policy/wrong-type"] * 3 + ["policy/unknown-key"]


def test_refused_entry_does_not_make_its_list_empty() -> None:
    found = findings(FLEET.replace("count: 8", "count: 0"), service())
    assert [f.message for f in found] == ["pools[0].accelerator.count is 0; at least 1 is needed"]


def test_empty_source_is_one_mistake() -> None:
    found = findings(FLEET, service(model="{name: a/b, weights: 1Gi, from: {hub: }}"))
    assert [f.rule for f in found] == ["policy/empty-value"]


def test_wrong_entry_does_not_hide_what_others_hold() -> None:
    entries = "[A=b, {name: X, vlaue: y}, {name: HF_TOKEN, value: hunter2}, {name: Z, value: 5}]"
    found = findings(FLEET, service(env=entries))
    assert one(found, "policy/literal-secret").path == ("spec", "env", 2, "value")
    assert len(found) == 4
