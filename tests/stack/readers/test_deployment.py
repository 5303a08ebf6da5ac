from __future__ import annotations

import pytest

from controlplane.stack.facts import ABSENT, Declared, Derived, Known, Unknown, Why
from controlplane.stack.model import Strategy
from tests.stack.manifests import DEPLOYMENT, read_text, workload
from tests.stack.strategies import WRITTEN

WRITTEN_BY_HAND = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: chat
  namespace: llm
  annotations:
    controlplane.dev/vllm-version: 0.20.0
    team: a
spec:
  replicas: 2
  strategy: {type: Recreate}
  selector: {matchLabels: {app: chat}}
  template:
    metadata:
      labels: {app: chat, controlplane.dev/role: decode}
    spec:
      containers:
      - name: engine
        image: registry.example/own:1
        command: [vllm, serve, m]
        args: ["--max-model-len", "$(LEN)"]
        env:
        - {name: LEN, value: 8k}
      - name: proxy
        image: registry.example/proxy:1
        args: [run]
"""


def test_a_deployment_is_one_pod_set_with_an_engine_for_its_vllm_container() -> None:
    found = workload(WRITTEN_BY_HAND)
    assert [pods.name for pods in found.pod_sets] == ["chat"]
    (engine,) = found.engines
    assert (engine.role, engine.pod_set, engine.container) == ("decode", "chat", "engine")
    assert engine.arguments == {"max_model_len": Known(8000, WRITTEN)}
    first, second = found.pod_sets[0].containers
    assert (first.command, first.args) == ((), ())
    assert second.args == (Known("run", WRITTEN),)


def test_the_annotated_version_is_the_engines_and_no_annotation_any_more() -> None:
    found = workload(WRITTEN_BY_HAND)
    assert found.engines[0].version == Known("0.20.0", WRITTEN)
    assert found.annotations == {"team": "a"}


def test_without_an_engine_every_annotation_stays() -> None:
    found = workload(WRITTEN_BY_HAND.replace("[vllm, serve, m]", "[other]"))
    assert found.engines == ()
    assert found.annotations == {"controlplane.dev/vllm-version": "0.20.0", "team": "a"}


def test_every_fact_knows_its_place() -> None:
    origin = workload(WRITTEN_BY_HAND).engines[0].model.origin  # type: ignore[union-attr]  # it is known here
    assert isinstance(origin, Declared)
    assert str(origin) == "manifest.yaml:20:32"
    assert origin.path == ("spec", "template", "spec", "containers", 0, "command", 2)


def test_an_image_tag_tells_the_version_where_nothing_else_does() -> None:
    assert workload(DEPLOYMENT.format("args: [m]")).engines[0].version == Known("0.33.0", WRITTEN)


@pytest.mark.parametrize("image", ["registry.example/own:v0.33.0", "vllm/vllm-openai:latest"])
def test_a_version_that_nothing_tells_is_unknown(image: str) -> None:
    text = DEPLOYMENT.format("command: [vllm, serve, m]").replace("vllm/vllm-openai:v0.33.0", image)
    assert workload(text).engines[0].version == Unknown(Why.VERSION)


def test_replicas_that_are_not_given_are_the_default_and_say_so() -> None:
    count = workload(DEPLOYMENT.format("args: [m]")).pod_sets[0].count
    assert count.desired == Known(1, WRITTEN)
    assert isinstance(count.desired, Known)
    assert isinstance(count.desired.origin, Derived)


def test_a_strategy_that_is_not_given_is_absent() -> None:
    assert workload(DEPLOYMENT.format("args: [m]")).strategy == Strategy()


def test_templates_that_were_not_rendered_are_unknown() -> None:
    text = WRITTEN_BY_HAND.replace("replicas: 2", 'replicas: "{{ .Values.replicas }}"')
    text = text.replace("registry.example/own:1", "${IMAGE}")
    found = workload(text)
    assert found.pod_sets[0].count.desired == Unknown(Why.TEMPLATED)
    assert found.pod_sets[0].containers[0].image == Unknown(Why.TEMPLATED)


def test_a_value_of_the_wrong_kind_is_a_finding_at_its_place_and_unknown() -> None:
    reading = read_text(WRITTEN_BY_HAND.replace("replicas: 2", "replicas: two").replace("args: [run]", "args: run"))
    first, second = reading.diagnostics
    assert str(first.span) == "manifest.yaml:10:13"
    assert first.message == "spec.replicas takes a whole number, not a text"
    assert second.message == "spec.template.spec.containers[1].args takes a list, not a text"
    assert reading.stack.workloads[0].pod_sets[0].count.desired == Unknown(Why.UNRESOLVED)


def test_findings_never_quote_a_value() -> None:
    text = WRITTEN_BY_HAND.replace("value: 8k", "value: [s3cret]")
    (finding,) = read_text(text).diagnostics
    assert "s3cret" not in str(finding)


def test_an_empty_deployment_is_read() -> None:
    found = workload("apiVersion: apps/v1\nkind: Deployment\n")
    assert found.ref.name == ""
    assert found.pod_sets[0].containers == ()
    assert found.pod_sets[0].grace_seconds == ABSENT
