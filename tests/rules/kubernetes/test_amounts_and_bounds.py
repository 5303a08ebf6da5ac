"""Amounts and bounds that stand outside of containers and autoscalers, and secrets outside of pods."""

from __future__ import annotations

import pytest

from tests.rules.judging import findings_of, marked_lines

_RAY_SERVICE = """
apiVersion: ray.io/v1
kind: RayService
metadata: {{name: chat}}
spec:
  serveConfigV2: |
    applications:
      - name: chat
        import_path: chat:app
        runtime_env:
          env_vars:
            HF_TOKEN: {token}
        deployments: [{{name: Chat, num_replicas: 1}}]
  rayClusterConfig:
    rayVersion: 2.60.0
    enableInTreeAutoscaling: true
    autoscalerOptions:
      resources:
        requests: {{cpu: {wanted}}}
        limits: {{cpu: 1}}
    headGroupSpec:
      template:
        spec:
          containers:
            - name: ray-head
              image: rayproject/ray:2.60.0
              resources: {{limits: {{cpu: 4, memory: 16Gi}}}}
"""


def _found(text: str, rule: str) -> list[int]:
    return [finding.span.line for finding in findings_of(text) if finding.rule == rule]


@pytest.mark.parametrize(("wanted", "is_told"), [("2", True), ("1", False), ("500m", False), ("${CPU}", False)])
def test_autoscaler_of_ray_that_asks_for_more_than_its_limit_is_told(wanted: str, is_told: bool) -> None:
    text = _RAY_SERVICE.format(token="x", wanted=wanted)
    assert bool(_found(text, "kubernetes/request-exceeds-limit")) == is_told


def test_secret_of_a_runtime_environment_is_told_and_not_shown() -> None:
    token = "hf_" + "q8WzT4mLr7NcV2pXs9Ea" * 2
    text = _RAY_SERVICE.format(token=token + "  # fires", wanted=1)
    assert _found(text, "kubernetes/literal-secret") == marked_lines(text)
    assert token not in "".join(finding.message for finding in findings_of(text))
    assert _found(_RAY_SERVICE.format(token="your-token", wanted=1), "kubernetes/literal-secret") == []


def test_secret_of_an_application_of_serve_llm_is_told_once() -> None:
    token = "hf_" + "q8WzT4mLr7NcV2pXs9Ea" * 2
    config = "args: {llm_configs: [{model_loading_config: {model_id: m, model_source: example/m}}]}"
    text = _RAY_SERVICE.format(token=token, wanted=1).replace("chat:app", "ray.serve.llm:build_openai_app")
    text = text.replace("deployments: [{name: Chat, num_replicas: 1}]", config)
    assert len(_found(text, "kubernetes/literal-secret")) == 1


@pytest.mark.parametrize(
    ("least", "most", "is_told"), [(3, 2, True), (2, 2, False), (3, 0, False), (3, "${MAX}", False)]
)
def test_predictor_that_keeps_more_than_it_may_have_is_told(least: int, most: object, is_told: bool) -> None:
    text = f"""
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {{name: chat}}
spec:
  predictor:
    minReplicas: {least}
    maxReplicas: {most}
    model: {{modelFormat: {{name: huggingface}}, storageUri: "hf://example/m"}}
"""
    assert bool(_found(text, "kubernetes/autoscaler-min-exceeds-max")) == is_told
