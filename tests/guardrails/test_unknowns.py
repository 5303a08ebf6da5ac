"""What a Guardrail must not guess, must not show, and must end soon."""

from __future__ import annotations

import json

import pytest

from controlplane.guardrails.subjects import without_secret_values
from tests.guardrails.guarding import DEPLOYMENT, guardrail, held, refused


def _said(require: str, over: str, manifests: str = DEPLOYMENT, message: str = "no") -> list[str]:
    return [finding.message for finding in held(_rule(require, over, message), manifests).findings]


def _rule(require: str, over: str = "engine", message: str = "no") -> str:
    return guardrail(f"- id: r\n  over: {over}\n  require: {json.dumps(require)}\n  message: {json.dumps(message)}\n")


_UNKNOWN_VERSION = DEPLOYMENT.replace("v0.33.0", "latest")
_UNKNOWN_RANKS = DEPLOYMENT.replace("size=4", "size=${TP}")
_UNREAD_ARGUMENTS = DEPLOYMENT.replace("- --max-num-seqs=128", '- "{{ .Values.extra }}"')
_ENVIRONMENT_FROM_ELSEWHERE = DEPLOYMENT.replace(
    "          resources", "          envFrom: [{secretRef: {name: a}}]\n          resources"
)
_TEMPLATED_LABEL = DEPLOYMENT.replace("team: search", 'team: "{{ .Values.team }}"')
_TEMPLATED_NAME = DEPLOYMENT.replace("name: chat,", 'name: "{{ .Values.name }}",')


@pytest.mark.parametrize(
    ("require", "over", "manifests"),
    [
        ('workload.engines[0].version == "0.33.0"', "workload", _UNKNOWN_VERSION),
        ('workload.engines.map(e, e)[0].version == "0.33.0"', "workload", _UNKNOWN_VERSION),
        ("has(workload.engines[0].version)", "workload", _UNKNOWN_VERSION),
        ('(engine).version == "0.33.0"', "engine", _UNKNOWN_VERSION),
        ('(true ? engine : engine).version == "0.33.0"', "engine", _UNKNOWN_VERSION),
        ("[engine][0].tensor_parallel == 4", "engine", _UNKNOWN_RANKS),
        ("workload.engines.exists(engine, engine.tensor_parallel == 4)", "engine", _UNKNOWN_RANKS),
        ('"max_model_len" in engine.arguments', "engine", _UNREAD_ARGUMENTS),
        ("size(engine.arguments) > 9", "engine", _UNREAD_ARGUMENTS),
        ('engine.arguments["max_model_len"] == 1.0', "engine", _UNREAD_ARGUMENTS),
        ('workload.engines.map(e, e.arguments).all(a, "x" in a)', "workload", _UNREAD_ARGUMENTS),
        ('"HF_TOKEN" in container.environment', "container", _ENVIRONMENT_FROM_ELSEWHERE),
        ('workload.labels.team == "search"', "workload", _TEMPLATED_LABEL),
        ('workload.labels["team"] == "search"', "workload", _TEMPLATED_LABEL),
        ('workload.name == "chat"', "workload", _TEMPLATED_NAME),
    ],
)
def test_what_is_not_known_breaks_no_rule_however_it_is_named(require: str, over: str, manifests: str) -> None:
    assert _said(require, over, manifests) == []


@pytest.mark.parametrize(
    ("require", "over"),
    [
        ("workload.engines[0].tensor_parallel <= 2", "workload"),
        ("workload.engines.all(e, e.tensor_parallel <= 2)", "workload"),
        ('engine.arguments["max_num_seqs"] <= 64.0', "engine"),
        ("has(workload.engines[0].served_model_name)", "workload"),
        ('"max_model_len" in engine.arguments', "engine"),
        ('"HF_TOKEN" in container.environment', "container"),
    ],
)
def test_what_is_known_breaks_the_same_rules(require: str, over: str) -> None:
    assert _said(require, over) == ["no"]


@pytest.mark.parametrize(
    ("over", "require", "old", "new"),
    [
        ("pods", "pods.replicas.max <= 4", "  template:", "  replicas: 99999999999999999999\n  template:"),
        ("engine", "engine.arguments.max_num_seqs <= 1.0", "128", "99999999999999999999999"),
        ("workload", 'workload.labels.team == "a"', "team: search", 'team: "a\\uD800b"'),
    ],
)
def test_values_that_cel_cannot_hold_break_no_rule(over: str, require: str, old: str, new: str) -> None:
    assert _said(require, over, DEPLOYMENT.replace(old, new)) == []


def test_keywords_and_limits_of_any_sort_are_taken() -> None:
    service = """
apiVersion: ray.io/v1
kind: RayService
metadata: {name: chat, namespace: llm}
spec:
  serveConfigV2: |
    applications:
      - name: chat
        import_path: ray.serve.llm:build_openai_app
        args:
          llm_configs:
            - model_loading_config: {model_id: chat}
              engine_kwargs: {hf_overrides: {1: 2, .inf: .nan}, max_num_seqs: .inf}
              deployment_config:
                max_ongoing_requests: 1e30
                autoscaling_config: {max_replicas: 99999999999999999999}
  rayClusterConfig:
    rayVersion: 2.52.0
    headGroupSpec: {template: {spec: {containers: [{name: head, image: rayproject/ray:2.52.0}]}}}
"""
    assert _said("deployment.replicas.max <= 1", "deployment", service) == []


def test_messages_show_no_secret() -> None:
    manifests = DEPLOYMENT.replace("- --max-num-seqs=128", "- --api-key=hunter2").replace(
        "labels: {team: search}", "annotations: {db-password: hunter2}"
    )
    (said,) = _said(
        "false", "engine", manifests, "{engine.arguments} {engine.arguments.api_key} {workload.annotations}"
    )
    assert "hunter2" not in said
    assert said.count("(redacted)") == 3


def test_variables_of_a_policy_are_hidden_by_the_name_beside_them() -> None:
    spec = {"env": [{"name": "HF_TOKEN", "value": "hunter2"}, {"name": "LEVEL", "value": "info"}]}
    shown = {"env": [{"name": "HF_TOKEN", "value": "(redacted)"}, {"name": "LEVEL", "value": "info"}]}
    assert without_secret_values("", spec) == shown


def test_whole_parts_are_refused_in_a_message() -> None:
    (finding,) = refused(_rule("true", message="of {engine}"))
    assert "a whole part cannot be put into a message" in finding.message


def test_loops_over_long_lists_end() -> None:
    require = "true"
    for depth in range(8):
        require = f"[0,1,2,3,4,5,6,7,8,9].all(x{depth}, {require})"
    assert _said(f"{require} && false", "engine") == []


@pytest.mark.parametrize(
    "require", ["(" * 2000 + "true" + ")" * 2000, "[" * 1000 + "]" * 1000 + " == []", "x" * 5000]
)
def test_expressions_without_measure_are_refused(require: str) -> None:
    (finding,) = refused(_rule(require))
    assert finding.rule == "guardrail/expression"


def test_message_tells_what_nobody_wrote_from_what_is_not_known() -> None:
    said = "priority class is {pods.priority_class}, {pods.name}"
    (message,) = _said("has(pods.priority_class)", "pods", message=said)
    assert message.startswith("priority class is not set, ")
    unread = DEPLOYMENT.replace(
        "      containers:", '      priorityClassName: "{{ .Values.priority }}"\n      containers:'
    )
    (message,) = _said('pods.name == "x"', "pods", unread, said)
    assert message.startswith("priority class is unknown, ")
