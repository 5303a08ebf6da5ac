from __future__ import annotations

import pytest

from controlplane.diagnostics import Applicability
from tests.rules.judging import findings_of, marked_lines

_RAY_CLUSTER = """
apiVersion: {version}
kind: RayCluster
metadata: {{name: batch}}
spec:
  rayVersion: 2.52.0
  {line}
  headGroupSpec:
    rayStartParams: {{num-cpus: "0"}}
    template:
      spec:
        containers:
          - name: head
            image: rayproject/ray:2.52.0
            resources: {{limits: {{cpu: 4, memory: 16Gi}}}}
"""


def _unknown(text: str) -> list[tuple[int, str]]:
    return [
        (finding.span.line, finding.remedy.text.partition(":")[0])
        for finding in findings_of(text)
        if finding.rule == "kubernetes/field-unknown" and finding.remedy is not None
    ]


def _cluster(line: str, version: str = "ray.io/v1") -> str:
    return _RAY_CLUSTER.format(version=version, line=line)


def test_misspelt_key_of_a_custom_resource_is_told_at_the_key() -> None:
    text = _cluster("enableIntreeAutoscaling: true  # fires")
    assert _unknown(text) == [(marked_lines(text)[0], "Write enableInTreeAutoscaling")]


def test_misspelt_key_is_found_in_the_items_of_a_list() -> None:
    text = """
        apiVersion: keda.sh/v1alpha1
        kind: ScaledObject
        metadata: {name: chat}
        spec:
          scaleTargetRef: {name: chat}
          triggers:
            - type: cpu
              metricTyp: Utilization  # fires
              metadata: {value: "60"}
        """
    assert _unknown(text) == [(marked_lines(text)[0], "Write metricType")]


@pytest.mark.parametrize(
    "text",
    [
        _cluster("enableInTreeAutoscaling: true"),
        # A key like no other may belong to a release that nobody has read yet.
        _cluster("tenancy: shared"),
        # A map that takes any keys.
        _cluster("headServiceAnnotations: {anotation: x}"),
        # Another version of the API has other keys.
        _cluster("enableIntreeAutoscaling: true", version="ray.io/v1alpha1"),
    ],
)
def test_keys_that_may_be_right_are_left_alone(text: str) -> None:
    assert _unknown(text) == []


def test_key_of_an_embedded_cluster_is_judged_like_the_clusters_own() -> None:
    text = """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          rayClusterConfig:
            rayVersion: 2.52.0
            workerGroupSpec: []  # fires
            headGroupSpec:
              rayStartParams: {}
              template: {spec: {containers: [{name: head, image: "rayproject/ray:2.52.0"}]}}
        """
    assert _unknown(text) == [(marked_lines(text)[0], "Write workerGroupSpecs")]


_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat, labels: {{lable: x}}}}
spec:
  selector: {{matchLabels: {{app: chat}}}}
  strategy: {{type: Recreate}}
  template:
    metadata: {{labels: {{app: chat}}}}
    spec:
      {pod}
      containers:
        - name: main
          image: registry.example/app:1.0
          {container}
"""


def _deployment(container: str = "tty: true", pod: str = "hostNetwork: true") -> str:
    return _DEPLOYMENT.format(container=container, pod=pod)


def _of_fields(text: str) -> list[tuple[str, str]]:
    rules = ("kubernetes/field-unknown", "kubernetes/field-value", "kubernetes/field-type")
    return [
        (finding.rule.removeprefix("kubernetes/field-"), finding.message)
        for finding in findings_of(text)
        if finding.rule in rules
    ]


@pytest.mark.parametrize(
    ("container", "meant"),
    [
        ("livenesProbe: {tcpSocket: {port: 8000}}", "livenessProbe"),
        ("resource: {limits: {cpu: 1}}", "resources"),
        ("resources: {limit: {cpu: 1}}", "limits"),
        ("readinessprobe: {tcpSocket: {port: 8000}}", "readinessProbe"),
        ("livenessProbe: {httpGet: {port: 8000}, failureTreshold: 3}", "failureThreshold"),
        ("volumeMount: [{name: x, mountPath: /x}]", "volumeMounts"),
        ("env: [{name: X, valeu: y}]", "value"),
    ],
)
def test_misspelt_field_of_a_container_is_told(container: str, meant: str) -> None:
    assert [remedy for _, remedy in _unknown(_deployment(container))] == [f"Write {meant}"]


@pytest.mark.parametrize(
    "text",
    [
        _deployment(),
        # Newer than any table, and like nothing that is known.
        _deployment("acceleratorPlan: {tier: gold}"),
        # The field that is meant is there already: this is something else.
        _deployment("resource: {x: 1}\n          resources: {limits: {cpu: 1}}"),
        # Maps that take any keys.
        _deployment("resources: {limits: {cpus: 1}}", "nodeSelector: {kubernetes.io/hostnam: a}"),
        # A patch is no object yet.
        _deployment("tt: true").replace("          image: registry.example/app:1.0\n", ""),
        _deployment("tt: true\n          $patch: merge"),
        # Another version of the API.
        _deployment("tt: true").replace("apps/v1", "apps/v1beta1"),
    ],
)
def test_field_that_may_be_right_is_left_alone(text: str) -> None:
    assert _unknown(text) == []


def test_misspelt_image_makes_no_patch_of_a_deployment() -> None:
    text = _deployment().replace("image:", "imgae:")
    assert [remedy for _, remedy in _unknown(text)] == ["Write image"]


def test_remedy_renames_the_key_where_it_stands() -> None:
    text = _deployment("livenesProbe: {tcpSocket: {port: 8000}}")
    (found,) = [finding for finding in findings_of(text) if finding.rule == "kubernetes/field-unknown"]
    assert found.remedy is not None
    assert found.remedy.applicability is Applicability.NEEDS_DECISION
    (edit,) = found.remedy.edits
    line = text.splitlines()[edit.span.line - 1]
    assert line[edit.span.column - 1 : edit.span.end_column - 1] == "livenesProbe"
    assert edit.new_text == "livenessProbe"


def test_words_that_a_field_does_not_take_are_told() -> None:
    ((rule, message),) = _of_fields(_deployment("imagePullPolicy: Allways"))
    assert rule == "value"
    assert message.startswith("spec.template.spec.containers[0].imagePullPolicy is Allways, which is none of ")
    assert message.endswith(": Always, IfNotPresent, Never")
    assert _of_fields(_deployment("imagePullPolicy: $POLICY")) == []
    cluster = _cluster("autoscalerOptions: {version: v3, upscalingMode: Fast, idleTimeoutSeconds: 60}")
    assert [rule for rule, _ in _of_fields(cluster)] == ["value", "value"]


def test_values_of_another_kind_are_told_wherever_the_table_says_the_kind() -> None:
    assert _of_fields(_deployment(pod='hostIPC: "true"')) == [
        ("type", "spec.template.spec.hostIPC takes true or false, not a text")
    ]
    assert _of_fields(_deployment(pod="hostIPC: ${SHARED}")) == []
    scaled = """
        apiVersion: keda.sh/v1alpha1
        kind: ScaledObject
        metadata: {name: chat}
        spec:
          scaleTargetRef: {name: chat}
          pollingInterval: "30"
          triggers:
            - type: prometheus
              metadata: {serverAddress: "http://p:9090", query: x, threshold: 5}
        """
    assert [message for _, message in _of_fields(scaled)] == [
        "spec.pollingInterval takes a whole number, not a text",
        "spec.triggers[0].metadata.threshold takes a text, not a number",
    ]


def test_data_of_a_config_map_is_text() -> None:
    text = """
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
        data: {PORT: 8000, HOST: 0.0.0.0}
        """
    assert [message for _, message in _of_fields(text)] == ["data.PORT takes a text, not a number"]


def test_pod_below_a_custom_resource_is_judged_like_any_other() -> None:
    text = """
        apiVersion: serving.kserve.io/v1alpha1
        kind: LLMInferenceService
        metadata: {name: chat}
        spec:
          model: {uri: "hf://Qwen/Qwen3-8B", name: chat}
          replica: 2  # fires
          template:
            containers:
              - name: main
                resource: {limits: {nvidia.com/gpu: 1}}  # fires
        """
    assert [line for line, _ in _unknown(text)] == marked_lines(text)


@pytest.mark.parametrize(
    "text",
    [
        """
        apiVersion: serving.kserve.io/v1beta1
        kind: InferenceService
        metadata: {name: chat}
        spec:
          predictor:
            minReplicaz: 1
            containers:
              - name: kserve-container
                livenesProbe: {tcpSocket: {port: 8080}}  # fires
        """,
        """
        apiVersion: serving.knative.dev/v1
        kind: Service
        metadata: {name: chat}
        spec:
          template:
            spec:
              containerConcurency: 4
              containers:
                - image: registry.example/app:1.0
                  resource: {limits: {cpu: 1}}  # fires
        """,
        """
        apiVersion: argoproj.io/v1alpha1
        kind: Rollout
        metadata: {name: chat}
        spec:
          selectors: {}
          template:
            spec:
              containers:
                - {name: main, image: "registry.example/app:1.0", tyt: true}  # fires
        """,
    ],
)
def test_kinds_without_a_table_are_judged_below_their_pods_alone(text: str) -> None:
    assert [line for line, _ in _unknown(text)] == marked_lines(text)
