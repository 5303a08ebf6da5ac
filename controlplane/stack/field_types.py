"""What the objects of an API are made of: the fields of every type that manifests are written in.

Kubernetes' own from the generated `schemas/kubernetes/fields.json`, custom resources from
`schemas/custom-resources/`: what any release that was read has is known, so that no release's field is taken for a
misspelling. A type is named as Kubernetes' models are (`V1Container`) or by kind and path
(`RayCluster.spec.workerGroupSpecs[]`). What a field takes is a type, `[type]` for a list, `{string}` for a map of
texts, `integer`, `boolean`, `string`, or nothing that is told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from controlplane.stack.kuberay_tables import COMPONENT_OF
from controlplane.stack.schema_files import read_schema

_GROUPS: Final = MappingProxyType(
    {
        "kuberay": ("ray.io/v1",),
        "leaderworkerset": ("leaderworkerset.x-k8s.io/v1",),
        "keda": ("keda.sh/v1alpha1",),
        "kueue": ("kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"),
        "kserve": ("serving.kserve.io/v1alpha1", "serving.kserve.io/v1alpha2"),
    }
)
"""API versions whose fields the tables tell."""

_OF_KUBERNETES: Final = MappingProxyType(
    {
        "env": "[V1EnvVar]",
        "envFrom": "[V1EnvFromSource]",
        "headService": "V1Service",
        "leaderTemplate": "V1PodTemplateSpec",
        "resources": "V1ResourceRequirements",
        "securityContext": "V1SecurityContext",
        "serveService": "V1Service",
        "submitterPodTemplate": "V1PodTemplateSpec",
        "template": "V1PodTemplateSpec",
        "valueFrom": "V1EnvVarSource",
        "volumeClaimTemplates": "[V1PersistentVolumeClaim]",
        "volumeMounts": "[V1VolumeMount]",
        "workerTemplate": "V1PodTemplateSpec",
    }
)
"""Fields of custom resources below which Kubernetes' own types begin."""

_OF_POD_SPECS: Final = ("template", "worker")
"""Fields of an LLMInferenceService that are the spec of a pod."""

_TEXT_MAPS: Final = ("ScaledObject.spec.triggers[].metadata",)
"""Maps of texts whose tables say only that they take any keys (KEDA 2.19, apis/keda/v1alpha1: map[string]string)."""

_CHOICES: Final[Mapping[tuple[str, str], frozenset[str]]] = MappingProxyType(
    {
        ("V1Container", "imagePullPolicy"): frozenset({"Always", "IfNotPresent", "Never"}),
        ("V1ContainerPort", "protocol"): frozenset({"TCP", "UDP", "SCTP"}),
        ("V1DeploymentStrategy", "type"): frozenset({"Recreate", "RollingUpdate"}),
        ("V1StatefulSetUpdateStrategy", "type"): frozenset({"OnDelete", "RollingUpdate"}),
        ("V1StatefulSetSpec", "podManagementPolicy"): frozenset({"OrderedReady", "Parallel"}),
        ("V1CronJobSpec", "concurrencyPolicy"): frozenset({"Allow", "Forbid", "Replace"}),
        ("V1ServicePort", "protocol"): frozenset({"TCP", "UDP", "SCTP"}),
        ("V1ServiceSpec", "type"): frozenset({"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}),
        ("V1Toleration", "operator"): frozenset({"", "Equal", "Exists", "Gt", "Lt"}),
        ("V1TopologySpreadConstraint", "whenUnsatisfiable"): frozenset({"DoNotSchedule", "ScheduleAnyway"}),
        ("V2MetricTarget", "type"): frozenset({"AverageValue", "Utilization", "Value"}),
    }
)
"""Words that Kubernetes 1.36 takes (pkg/apis/*/types.go, validation); its models do not tell them."""


_PODS: Final = {
    "affinity": "V1Affinity",
    "containers": "[V1Container]",
    "initContainers": "[V1Container]",
    "tolerations": "[V1Toleration]",
    "volumes": "[V1Volume]",
}
_PARTLY_KNOWN: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "InferenceService": {"metadata": "V1ObjectMeta", "spec": "InferenceServiceSpec"},
        "InferenceServiceSpec": {"predictor": "Predictor"},
        "Predictor": {
            **_PODS,
            "maxReplicas": "integer",
            "minReplicas": "integer",
            "model": "PredictorModel",
            "workerSpec": "Predictor",
        },
        "PredictorModel": {"env": "[V1EnvVar]", "resources": "V1ResourceRequirements", "args": ""},
        "ServingRuntime": {"metadata": "V1ObjectMeta", "spec": "Predictor"},
        "KnativeService": {"metadata": "V1ObjectMeta", "spec": "KnativeSpec"},
        "KnativeSpec": {"template": "KnativeTemplate"},
        "KnativeTemplate": {"metadata": "V1ObjectMeta", "spec": "KnativePods"},
        "KnativePods": _PODS,
        "Rollout": {"metadata": "V1ObjectMeta", "spec": "RolloutSpec"},
        "RolloutSpec": {"replicas": "integer", "selector": "V1LabelSelector", "template": "V1PodTemplateSpec"},
        "ScaledJob": {"metadata": "V1ObjectMeta", "spec": "ScaledJobSpec"},
        "ScaledJobSpec": {"jobTargetRef": "V1JobSpec"},
    }
)
"""Types of which no table tells all fields: only what is below those named here is judged."""

_PARTLY_KNOWN_ROOTS: Final = MappingProxyType(
    {
        "argoproj.io/v1alpha1 Rollout": "Rollout",
        "keda.sh/v1alpha1 ScaledJob": "ScaledJob",
        "serving.knative.dev/v1 Service": "KnativeService",
        "serving.kserve.io/v1alpha1 ClusterServingRuntime": "ServingRuntime",
        "serving.kserve.io/v1alpha1 ServingRuntime": "ServingRuntime",
        "serving.kserve.io/v1beta1 InferenceService": "InferenceService",
    }
)


@cache
def root_type(api_version: str, kind: str) -> str:
    """The type of a manifest; empty where no table tells what is in it."""
    if kind in COMPONENT_OF and api_version in _GROUPS[COMPONENT_OF[kind]]:
        return kind
    name = f"{api_version} {kind}"
    return str(_PARTLY_KNOWN_ROOTS.get(name) or _kubernetes()["roots"].get(name, ""))


def is_whole(type_name: str) -> bool:
    """Whether all fields of a type are told, so that another key is no field of it."""
    return type_name not in _PARTLY_KNOWN


@cache
def fields_of(type_name: str) -> Mapping[str, str]:
    """What each field of a type takes; empty where no table tells its fields."""
    if type_name in _PARTLY_KNOWN:
        return _PARTLY_KNOWN[type_name]
    kind, _, path = type_name.partition(".")
    if kind not in COMPONENT_OF:
        own: Mapping[str, str] = _kubernetes()["types"].get(type_name, {})
        return own
    if not path:
        top = {"apiVersion": "", "kind": "", "metadata": "V1ObjectMeta", "status": ""}
        return {**top, "spec": f"{kind}.spec"}
    return {name: _takes(f"{type_name}.{name}") for name in _children(COMPONENT_OF[kind]).get(type_name, ())}


@cache
def choices(type_name: str, field: str) -> frozenset[str]:
    """The words that a field takes in one release or another; empty where one takes any, or no table tells."""
    kind = type_name.partition(".")[0]
    if kind not in COMPONENT_OF:
        return _CHOICES.get((type_name, field), frozenset())
    told = [
        said.get("enum") for _, said in _entries(COMPONENT_OF[kind]).get(f"{type_name}.{field}", {}).get("says", ())
    ]
    return frozenset(word for words in told for word in words) if told and all(told) else frozenset()


def source_of(type_name: str) -> str:
    """Where the fields of a type were read, with the version."""
    kind = type_name.partition(".")[0]
    if kind not in COMPONENT_OF:
        return f"Kubernetes {_kubernetes()['version']}"
    releases = read_schema("custom-resources", f"{COMPONENT_OF[kind]}.json")["versions"]
    return f"{COMPONENT_OF[kind]} {releases[0]} to {releases[-1]}"


def _takes(path: str) -> str:
    """What a field of a custom resource takes, of the newest release that has it."""
    kind, name = path.partition(".")[0], path.rpartition(".")[2]
    said = _entries(COMPONENT_OF[kind])[path]["says"][-1][1]
    if path in _TEXT_MAPS:
        return "{string}"
    if said.get("open"):
        return ""
    if said.get("same_as"):
        return str(said["same_as"])
    if said["type"] not in ("array", "object"):
        return said["type"] if said["type"] in ("integer", "boolean", "string") else ""
    inner = f"{path}[]" if said["type"] == "array" else path
    if inner in _children(COMPONENT_OF[kind]):
        return f"[{inner}]" if said["type"] == "array" else inner
    if kind == "LLMInferenceService":
        return "V1PodSpec" if name in _OF_POD_SPECS else ""
    return _OF_KUBERNETES.get(name, "")


@cache
def _children(component: str) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in _entries(component):
        parent, _, name = path.rpartition(".")
        found[parent].append(name)
    return {parent: tuple(names) for parent, names in found.items()}


def _entries(component: str) -> Mapping[str, Any]:
    entries: Mapping[str, Any] = read_schema("custom-resources", f"{component}.json")["fields"]
    return entries


def _kubernetes() -> Mapping[str, Any]:
    return read_schema("kubernetes", "fields.json")
