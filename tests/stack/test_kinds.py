"""Whatever stands under the keys that readers look at, a kind is read."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from controlplane.source import Dialect, read_yaml
from controlplane.stack.kinds import LIST, NODE, REFERENCES, WORKLOADS, Kind, reads
from controlplane.stack.read import read, read_live

NAMES = (
    "spec template metadata labels annotations name namespace containers initContainers image command args env "
    "envFrom value valueFrom configMapKeyRef configMapRef key resources limits requests claims ports containerPort "
    "volumeMounts mountPath volumes configMap emptyDir persistentVolumeClaim affinity podAntiAffinity nodeAffinity "
    "requiredDuringSchedulingIgnoredDuringExecution nodeSelectorTerms matchExpressions matchLabels labelSelector "
    "topologyKey operator values tolerations replicas size leaderWorkerTemplate leaderTemplate workerTemplate "
    "predictor model workerSpec minReplicas maxReplicas prefill worker parallelism tensor data dataLocal scaling "
    "uri scaleTargetRef kind apiVersion metrics type resource target triggers query threshold hard scopes limits "
    "resourceGroups flavors nominalQuota jobTemplate parallelism serviceName volumeClaimTemplates accessModes items "
    "data selector strategy rollingUpdate maxSurge livenessProbe httpGet port path lifecycle preStop exec sleep"
)
KEYS = NAMES.split()
TEXTS = (
    "main",
    "vllm",
    "serve",
    "sh",
    "bash",
    "-c",
    "-m",
    "python3",
    "vllm serve m --port 80",
    "vllm serve $A ${B:-c} <<EOF\nx",
    "--config=/a/b.yaml",
    "/a/b.yaml",
    "{{ .Values.x }}",
    "--x={{ .y }}",
    "$(A)",
    "vllm/vllm-openai:v0.33.0",
    "hf://m",
    "1Gi",
    "In",
    "Memory",
    "VLLM_ADDITIONAL_ARGS",
    "\x00",
    "",
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-2, 10**20), st.floats(), st.sampled_from(TEXTS), st.text())
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=40,
)
CONTAINER = st.fixed_dictionaries(
    {"name": st.just("main")},
    optional={
        "image": st.sampled_from(TEXTS),
        "command": st.lists(st.sampled_from(TEXTS) | SCALARS, max_size=4),
        "args": st.lists(st.sampled_from(TEXTS) | SCALARS, max_size=4),
        "env": st.lists(st.fixed_dictionaries({"name": st.sampled_from(TEXTS), "value": TREES}), max_size=2) | TREES,
        "volumeMounts": TREES,
    },
)
ANY = settings(
    max_examples=150,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
KINDS = st.sampled_from(sorted((*WORKLOADS, *REFERENCES, NODE, LIST)))


def manifest(kind: Kind, body: dict[str, Any]) -> dict[str, Any]:
    group, name = kind
    return {**body, "apiVersion": f"{group}/v1" if group else "v1", "kind": name}


@ANY
@given(KINDS, st.dictionaries(st.sampled_from(KEYS), TREES, max_size=5))
def test_no_value_anywhere_stops_a_reader(kind: Kind, body: dict[str, Any]) -> None:
    read_live([manifest(kind, body)])


@ANY
@given(st.sampled_from(sorted(WORKLOADS)), st.lists(CONTAINER, min_size=1, max_size=2))
def test_no_container_stops_a_reader(kind: Kind, containers: list[dict[str, Any]]) -> None:
    pods: dict[str, Any] = {"containers": containers, "volumes": [{"name": "a", "configMap": {"name": "c"}}]}
    spec = pods | {"template": {"spec": pods, **pods}, "leaderWorkerTemplate": {"workerTemplate": {"spec": pods}}}
    spec |= {"predictor": pods, "worker": pods, "jobTemplate": {"spec": {"template": {"spec": pods}}}}
    text = yaml.safe_dump(manifest(kind, {"spec": spec}), allow_unicode=True)
    result = read_yaml(text.encode("utf-8", "replace"), "any.yaml", Dialect.KUBERNETES)
    first, second = read(result.documents), read(result.documents)
    assert first.stack == second.stack
    assert first.diagnostics == second.diagnostics


@pytest.mark.parametrize("kind", sorted((*WORKLOADS, *REFERENCES, NODE, LIST)))
def test_a_kind_of_the_table_is_read_even_when_it_is_empty(kind: Kind) -> None:
    assert reads(*kind)
    assert read_live([manifest(kind, {})]).skipped == ()


def test_other_kinds_are_not_read() -> None:
    assert not reads("", "Secret")
    assert not reads("example.com", "Deployment")
