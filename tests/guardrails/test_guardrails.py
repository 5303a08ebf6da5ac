from __future__ import annotations

import pytest

from controlplane.diagnostics import Severity
from tests.guardrails.guarding import DEPLOYMENT, guardrail, held, refused


def _rule(over: str, require: str, message: str = "broken", more: str = "") -> str:
    return guardrail(f"- {{id: house-rule, over: {over}, require: '{require}', message: '{message}'{more}}}")


def test_broken_rule_stands_at_the_value_it_names_with_its_values_in_the_message() -> None:
    text = _rule(
        "engine", "engine.tensor_parallel <= 2", "{engine.role} of {workload.name}: {engine.tensor_parallel} GPUs"
    )
    (found,) = held(text).findings
    assert (found.rule, found.severity) == ("guardrail/house-rule", Severity.ERROR)
    assert found.message == "engine of chat: 4 GPUs"
    assert (found.span.line, found.span.file) == (12, "manifests.yaml")


def test_rule_that_holds_says_nothing() -> None:
    assert held(_rule("engine", "engine.tensor_parallel <= 4")).findings == ()


def test_severity_is_the_rules() -> None:
    (found,) = held(_rule("engine", "engine.tensor_parallel <= 2", more=", severity: info")).findings
    assert found.severity is Severity.INFO


@pytest.mark.parametrize(
    ("over", "require", "broken"),
    [
        ("workload", 'workload.kind == "Deployment"', 0),
        ("workload", '"owner" in workload.labels', 1),
        ("workload", "workload.engines.all(e, e.tensor_parallel <= 2)", 1),
        ("workload", "workload.pods.all(p, p.replicas.max <= 3)", 0),
        ("pods", "pods.containers.all(c, c.memory_limit_bytes >= 100000000000)", 1),
        ("container", 'container.registry == "registry.example"', 0),
        ("container", 'container.image.contains(":v")', 0),
        ("container", "container.gpus < 4", 1),
        ("container", 'container.gpu_resources == ["nvidia.com/gpu"]', 0),
        ("engine", "engine.arguments.max_num_seqs < 100.0", 1),
        ("engine", "has(engine.arguments.max_model_len)", 1),
        ("engine", "has(engine.arguments.max_num_seqs)", 0),
    ],
)
def test_rule_is_asked_of_every_part(over: str, require: str, broken: int) -> None:
    assert len(held(_rule(over, require)).findings) == broken


def test_value_that_nobody_wrote_is_not_taken_for_zero() -> None:
    assert held(_rule("container", "container.cpu_limit >= 1.0")).findings == ()
    assert held(_rule("container", "container.cpu_limit == 1.0")).findings == ()
    assert held(_rule("engine", "engine.arguments.max_model_len <= 8192.0")).findings == ()


def test_value_that_is_not_known_says_nothing_even_when_asked_whether_it_is_there() -> None:
    unread = DEPLOYMENT.replace("--tensor-parallel-size=4", '"{{ .Values.arguments }}"')
    assert held(_rule("engine", "has(engine.arguments.max_model_len)"), unread).findings == ()
    templated = DEPLOYMENT.replace("registry.example/vllm-openai:v0.33.0", '"{{ .Values.image }}"')
    assert held(_rule("container", 'container.registry == "registry.example"'), templated).findings == ()


def test_when_leaves_out_what_the_rule_is_not_about() -> None:
    rule = "- {id: house-rule, over: engine, when: 'workload.kind == \"Job\"', require: 'false', message: broken}"
    assert held(guardrail(rule)).findings == ()


def test_exception_accepts_a_finding_with_its_reason_until_its_day() -> None:
    rule = "- {id: house-rule, over: engine, require: engine.tensor_parallel <= 2, message: broken}"
    exception = '- {{rule: house-rule, subject: "llm/*", reason: large, owner: search, expires: "{}"}}'
    accepted = held(guardrail(rule, exception.format("2026-11-29")))
    assert accepted.findings == ()
    assert [e.reason for e in accepted.exempted] == ["large (search, until 2026-11-29)"]
    (expired,) = refused(guardrail(rule, exception.format("2026-11-28")))
    assert expired.rule == "guardrail/exception-expired"


def test_exception_for_others_accepts_nothing() -> None:
    rule = "- {id: house-rule, over: engine, require: engine.tensor_parallel <= 2, message: broken}"
    other = '- {rule: house-rule, subject: "web/*", reason: large, owner: search, expires: "2027-01-01"}'
    assert len(held(guardrail(rule, other)).findings) == 1


@pytest.mark.parametrize(
    ("over", "require", "fact", "column"),
    [
        ("engine", "engine.tensorparallel <= 8", "undefined field 'tensorparallel'", 6),
        ("engine", "engine.role + 1 > 2", "no matching overload", 12),
        ("engine", "engine.tensor_parallel", "gives int", 0),
        ("engine", "engine.arguments.max_nun_seqs > 1.0", "max_num_seqs is the nearest", 0),
        ("pods", "engine.gpus > 1", "undeclared reference to 'engine.gpus'", 6),
        ("policy", "policy.spec.memory.maxModelLn > 1", "maxModelLen is the nearest", 0),
        ("engine", "engine.gpus >", "Syntax error", 12),
    ],
)
def test_fault_of_an_expression_is_told_where_it_stands_when_the_guardrail_is_read(
    over: str, require: str, fact: str, column: int
) -> None:
    text = guardrail(f"- id: house-rule\n  over: {over}\n  require: {require}\n  message: broken")
    (found,) = refused(text)
    line = next(n for n, line in enumerate(text.splitlines(), 1) if "require:" in line)
    start = text.splitlines()[line - 1].index(require) + 1
    assert found.rule == "guardrail/expression"
    assert fact in found.message
    assert (found.span.line, found.span.column) == (line, start + column)


def test_fault_in_a_message_stands_inside_it() -> None:
    text = guardrail(
        "- id: house-rule\n  over: engine\n  require: 'true'\n  message: '{engine.role} has {engine.gpu}'"
    )
    (found,) = refused(text)
    assert "undefined field 'gpu'" in found.message
    assert text.splitlines()[found.span.line - 1][found.span.column - 1 :].startswith(".gpu}")


def test_rule_and_exception_that_do_not_belong_together_are_told() -> None:
    rule = "- {id: house-rule, over: engine, require: 'true', message: broken}"
    twice = refused(guardrail(f"{rule}\n{rule}"))
    assert [f.rule for f in twice] == ["guardrail/duplicate-id"]
    exception = '- {rule: house-rul, subject: "*", reason: large, owner: search, expires: "2027-02-30"}'
    assert [f.rule for f in refused(guardrail(rule, exception))] == ["guardrail/unknown-rule", "guardrail/no-date"]


def test_policy_is_judged_as_it_is_written() -> None:
    policy = """
apiVersion: controlplane.dev/v1alpha1
kind: Fleet
metadata: {name: prod}
spec:
  kubernetes: 1.36.3
  pools: [{name: h100, nodes: {min: 1, max: 2}, cpu: 96, memory: 1000Gi}]
---
apiVersion: controlplane.dev/v1alpha1
kind: ModelService
metadata: {name: chat, namespace: llm}
spec:
  fleet: prod
  model: {name: meta-llama/Llama-3.1-8B-Instruct, from: {pvc: models}}
  runtime: {kind: deployment, image: registry.example/vllm-openai:v0.33.0, vllm: 0.33.0}
  machine: {pool: h100}
  memory:
    maxModelLen: 16384
"""
    (found,) = held(
        _rule("policy", "policy.spec.memory.maxModelLen <= 8192.0", "{policy.spec.memory.maxModelLen}"), policy
    ).findings
    assert (found.message, found.span.line) == ("16384", 17)
