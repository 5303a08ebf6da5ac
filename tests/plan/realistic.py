"""Objects like those that are rolled out, for tests: a model server with all that belongs to it, and a RayCluster."""

from __future__ import annotations

import copy
from typing import Any

from controlplane.diagnostics import KeyPath
from controlplane.emit.bundle import Bundle, EmittedObject, Manifest
from controlplane.plan.plan import ref_of
from controlplane.stack.facts import Derived

_LABELS = {"controlplane.dev/service": "chat", "app.kubernetes.io/name": "chat"}
_SELECTOR = {"app.kubernetes.io/name": "chat"}


def emitted(manifest: Manifest) -> EmittedObject:
    """A manifest as the compiler gives it out, each leaf with an origin."""
    provenance = {path: Derived(f"test {path}") for path in leaf_paths(manifest)}
    namespace = manifest["metadata"].get("namespace", "")
    return EmittedObject(ref_of(manifest), manifest, provenance, f"{namespace}/chat")


def bundle(*manifests: Manifest) -> Bundle:
    """A bundle of these manifests."""
    return Bundle(tuple(emitted(manifest) for manifest in manifests))


def leaf_paths(node: Any, path: KeyPath = ()) -> list[KeyPath]:
    """The paths of all scalars, empty maps and empty lists."""
    if isinstance(node, dict) and node:
        return [found for key, value in node.items() for found in leaf_paths(value, (*path, key))]
    if isinstance(node, list) and node:
        return [found for index, value in enumerate(node) for found in leaf_paths(value, (*path, index))]
    return [path]


def at(node: Any, path: KeyPath) -> Any:
    """The value at a path."""
    for step in path:
        node = node[step]
    return node


def without(manifest: Manifest, path: KeyPath) -> Manifest:
    """A copy without the field at `path`, and without what is empty then."""
    copied = copy.deepcopy(manifest)
    while path:
        parent = at(copied, path[:-1])
        del parent[path[-1]]
        if parent:
            break
        path = path[:-1]
    return copied


def with_value(manifest: Manifest, path: KeyPath, value: Any) -> Manifest:
    """A copy with another value at `path`."""
    copied = copy.deepcopy(manifest)
    at(copied, path[:-1])[path[-1]] = value
    return copied


def deployment(namespace: str = "llm") -> Manifest:
    """A model server; paused, so that a test can edit its template without pods coming and going."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "chat",
            "namespace": namespace,
            "labels": dict(_LABELS),
            "annotations": {"controlplane.dev/vllm-version": "0.33.0"},
        },
        "spec": {
            "paused": True,
            "replicas": 2,
            "revisionHistoryLimit": 5,
            "progressDeadlineSeconds": 1800,
            "selector": {"matchLabels": dict(_SELECTOR)},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
            "template": {
                "metadata": {
                    "labels": dict(_LABELS),
                    "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "8000"},
                },
                "spec": _pod_spec(),
            },
        },
    }


def _pod_spec() -> dict[str, Any]:
    return {
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": 150,
        "nodeSelector": {"pool": "h100"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "affinity": {
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "weight": 100,
                        "podAffinityTerm": {
                            "topologyKey": "kubernetes.io/hostname",
                            "labelSelector": {"matchLabels": dict(_SELECTOR)},
                        },
                    }
                ]
            }
        },
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": dict(_SELECTOR)},
            }
        ],
        "initContainers": [
            {"name": "fetch", "image": "registry.example/fetch:1", "command": ["fetch", "--to", "/models"]},
            {"name": "check", "image": "registry.example/check:1"},
        ],
        "containers": [_server()],
        "volumes": [
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "16Gi"}},
            {"name": "models", "persistentVolumeClaim": {"claimName": "models", "readOnly": True}},
            {"name": "scratch", "emptyDir": {}},
        ],
    }


def _server() -> dict[str, Any]:
    return {
        "name": "vllm",
        "image": "registry.example/vllm-openai:v0.33.0",
        "command": ["vllm", "serve"],
        "args": ["/models/chat", "--port", "8000", "--max-model-len", "16384"],
        "env": [
            {"name": "HF_HUB_OFFLINE", "value": "1"},
            {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}},
            {"name": "VLLM_LOGGING_LEVEL", "value": "INFO"},
        ],
        "ports": [{"name": "http", "containerPort": 8000}, {"name": "metrics", "containerPort": 9000}],
        "resources": {
            "requests": {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "1"},
            "limits": {"memory": "80Gi", "nvidia.com/gpu": "1"},
        },
        "startupProbe": {
            "httpGet": {"path": "/health", "port": "http"},
            "periodSeconds": 10,
            "failureThreshold": 90,
        },
        "readinessProbe": {"httpGet": {"path": "/v1/models", "port": 8000}, "timeoutSeconds": 5},
        "lifecycle": {"preStop": {"exec": {"command": ["sleep", "15"]}}},
        "volumeMounts": [
            {"name": "shm", "mountPath": "/dev/shm"},  # noqa: S108 - a path in a container
            {"name": "models", "mountPath": "/models", "readOnly": True},
        ],
    }


def service(namespace: str = "llm") -> Manifest:
    """The Service of the model server; one port leaves out its protocol."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "chat", "namespace": namespace, "labels": dict(_LABELS)},
        "spec": {
            "selector": dict(_SELECTOR),
            "ports": [
                {"name": "http", "port": 80, "targetPort": "http"},
                {"name": "metrics", "port": 9000, "targetPort": 9000, "protocol": "TCP"},
            ],
        },
    }


def disruption_budget(namespace: str = "llm") -> Manifest:
    """At most one of the pods goes at a time."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "chat", "namespace": namespace, "labels": dict(_LABELS)},
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": dict(_SELECTOR)}},
    }


def config_map(namespace: str = "llm") -> Manifest:
    """A chat template and a setting."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "chat", "namespace": namespace, "labels": dict(_LABELS)},
        "data": {"template.jinja": "{% for message in messages %}\n{{ message }}\n{% endfor %}\n", "length": "16384"},
    }


def ray_cluster(namespace: str = "llm") -> Manifest:
    """A Ray cluster; its list of worker groups is atomic in the CRD. Suspended, so that it makes no pods."""

    def pod(name: str, image: str) -> dict[str, Any]:
        resources = {"requests": {"cpu": "500m", "memory": "1024Mi"}, "limits": {"cpu": 1, "memory": "1Gi"}}
        return {"spec": {"containers": [{"name": name, "image": image, "resources": resources}]}}

    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": "tasks", "namespace": namespace, "labels": dict(_LABELS)},
        "spec": {
            "rayVersion": "2.60.0",
            "suspend": True,
            "headGroupSpec": {
                "rayStartParams": {"num-cpus": "0"},
                "template": pod("ray-head", "registry.example/ray:2.60.0"),
            },
            "workerGroupSpecs": [
                {
                    "groupName": name,
                    "replicas": 1,
                    "minReplicas": 1,
                    "maxReplicas": 4,
                    "rayStartParams": {},
                    "template": pod("ray-worker", "registry.example/ray:2.60.0"),
                }
                for name in ("large", "small")
            ],
        },
    }


def all_objects(namespace: str) -> tuple[Manifest, ...]:
    """One of each."""
    kinds = (deployment, service, disruption_budget, config_map, ray_cluster)
    return tuple(make(namespace) for make in kinds)
