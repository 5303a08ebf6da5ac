"""Writes a corpus of manifests as people have them, the same bytes for the same seed.

Folders of one application each, with what such folders hold: workloads that serve models, what watches them, RBAC,
configuration, CustomResourceDefinitions, rendered charts in one file, values and other YAML that is no manifest.

    python benchmarks/lint_corpus.py FOLDER [FILES] [SEED]
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

_LARGEST_BYTES = 20 * 1024
_MODELS = ("example/chat-8b", "example/coder-32b", "example/reasoner-70b", "example/embedder-1b")
_VLLM = ("0.11.2", "0.14.0", "0.20.0", "0.33.0")


def write_corpus(folder: Path, files: int = 1000, seed: int = 1) -> list[Path]:
    """Write the files and return them; each has at most 20 KB."""
    chance = random.Random(seed)  # noqa: S311 - the same corpus each time
    written: list[Path] = []
    while len(written) < files:
        application = f"app-{len(written):04d}"
        names = ("chat", application)[chance.random() < 0.7], chance.choice(("llm", "serving"))
        place = folder / f"team-{len(written) % 7}" / application
        place.mkdir(parents=True)
        for file, make in _application(chance):
            if len(written) < files:
                path = place / file
                text = make(chance, *names)
                path.write_text(text[: text.rindex("\n", 0, _LARGEST_BYTES) + 1], encoding="utf-8")
                written.append(path)
    return written


def _application(chance: random.Random) -> list[tuple[str, Callable[[random.Random, str, str], str]]]:
    found = [("deployment.yaml", _deployment), ("service.yaml", _service)]
    optional = [
        (0.5, "rayservice.yaml", _ray_service),
        (0.6, "hpa.yaml", _autoscaler),
        (0.5, "config.yaml", _config_map),
        (0.5, "rbac.yaml", _rbac),
        (0.3, "crd.yaml", _crd),
        (0.3, "values.yaml", _values),
        (0.4, "rendered.yaml", _rendered),
        (0.3, "pvc.yaml", _claim),
        (0.3, "budget.yaml", _budget),
    ]
    return found + [(name, make) for share, name, make in optional if chance.random() < share]


def _labels(name: str, indent: int) -> str:
    entries = {"name": name, "instance": name, "part-of": "serving", "managed-by": "Helm", "version": "1.4.2"}
    return "".join(f"{' ' * indent}app.kubernetes.io/{key}: {value}\n" for key, value in entries.items())


def _head(api: str, kind: str, name: str, namespace: str) -> str:
    metadata = f"metadata:\n  name: {name}\n  namespace: {namespace}\n  labels:\n{_labels(name, 4)}"
    return f"apiVersion: {api}\nkind: {kind}\n{metadata}"


def _container(chance: random.Random, indent: int) -> str:
    gpus, version = chance.choice((1, 2, 4, 8)), chance.choice(_VLLM)
    variables = "".join(f'  - name: SETTING_{n}\n    value: "value {n}"\n' for n in range(chance.randint(2, 12)))
    text = f"""\
- name: vllm
  image: vllm/vllm-openai:v{version}
  imagePullPolicy: IfNotPresent
  command: ["vllm", "serve", "{chance.choice(_MODELS)}"]
  args:
  - --tensor-parallel-size={gpus}
  - --max-model-len=8192
  - --gpu-memory-utilization=0.9
  - --served-model-name=chat
  - --port=8000
  env:
  - name: HF_TOKEN
    valueFrom:
      secretKeyRef:
        name: hub
        key: token
{variables}\
  ports:
  - name: http
    containerPort: 8000
    protocol: TCP
  resources:
    requests:
      cpu: "{gpus * 8}"
      memory: {gpus * 64}Gi
      nvidia.com/gpu: "{gpus}"
    limits:
      memory: {gpus * 64}Gi
      nvidia.com/gpu: "{gpus}"
  startupProbe:
    httpGet:
      path: /health
      port: http
    periodSeconds: 10
    failureThreshold: 180
  readinessProbe:
    httpGet:
      path: /health
      port: http
    periodSeconds: 5
  volumeMounts:
  - name: models
    mountPath: /models
  - name: shm
    mountPath: /dev/shm
"""
    return "".join(" " * indent + line + "\n" for line in text.splitlines())


_VOLUMES = """\
volumes:
- name: models
  persistentVolumeClaim:
    claimName: models
- name: shm
  emptyDir:
    medium: Memory
    sizeLimit: 16Gi
tolerations:
- key: nvidia.com/gpu
  operator: Exists
  effect: NoSchedule
terminationGracePeriodSeconds: 120
"""


def _indented(text: str, indent: int) -> str:
    return "".join(" " * indent + line + "\n" for line in text.splitlines())


def _deployment(chance: random.Random, name: str, namespace: str) -> str:
    return (
        _head("apps/v1", "Deployment", name, namespace)
        + f"spec:\n  replicas: {chance.randint(1, 4)}\n  selector:\n    matchLabels:\n      app: {name}\n"
        + f"  template:\n    metadata:\n      labels:\n        app: {name}\n{_labels(name, 8)}    spec:\n"
        + "      containers:\n" + _container(chance, 6) + _indented(_VOLUMES, 6)
    )  # fmt: skip


def _service(_: random.Random, name: str, namespace: str) -> str:
    ports = "  - name: http\n    port: 80\n    targetPort: http\n    protocol: TCP\n"
    return _head("v1", "Service", name, namespace) + f"spec:\n  selector:\n    app: {name}\n  ports:\n{ports}"


def _ray_service(chance: random.Random, name: str, namespace: str) -> str:
    group = (
        "    rayVersion: 2.52.0\n    headGroupSpec:\n      rayStartParams:\n        num-cpus: \"0\"\n"
        "      template:\n"
        "        spec:\n          containers:\n          - name: ray-head\n"
        "            image: rayproject/ray-llm:2.52.0-py311-cu128\n            resources:\n              limits:\n"
        "                cpu: \"8\"\n                memory: 32Gi\n    workerGroupSpecs:\n    - groupName: gpu\n"
        "      replicas: 2\n      minReplicas: 2\n      maxReplicas: 4\n      rayStartParams: {}\n      template:\n"
        "        spec:\n          containers:\n          - name: ray-worker\n"
        "            image: rayproject/ray-llm:2.52.0-py311-cu128\n            resources:\n              limits:\n"
        "                cpu: \"32\"\n                memory: 256Gi\n                nvidia.com/gpu: \"4\"\n"
    )  # fmt: skip
    applications = "".join(
        f"    - name: app-{n}\n      route_prefix: /{n}\n      import_path: ray.serve.llm:build_openai_app\n"
        f"      args:\n        llm_configs:\n        - model_loading_config:\n            model_id: m{n}\n"
        f"            model_source: {chance.choice(_MODELS)}\n          deployment_config:\n"
        "            autoscaling_config:\n              min_replicas: 1\n              max_replicas: 2\n"
        "          engine_kwargs:\n            tensor_parallel_size: 4\n            max_model_len: 8192\n"
        for n in range(chance.randint(1, 3))
    )
    serve = f"  serveConfigV2: |\n    applications:\n{applications}"
    return _head("ray.io/v1", "RayService", name, namespace) + f"spec:\n{serve}  rayClusterConfig:\n{group}"


def _autoscaler(_: random.Random, name: str, namespace: str) -> str:
    target = f"  scaleTargetRef:\n    apiVersion: apps/v1\n    kind: Deployment\n    name: {name}\n"
    metric = (
        "  metrics:\n  - type: Pods\n    pods:\n      metric:\n        name: vllm_num_requests_waiting\n"
        "      target:\n        type: AverageValue\n        averageValue: \"5\"\n"
    )  # fmt: skip
    head = _head("autoscaling/v2", "HorizontalPodAutoscaler", name, namespace)
    return head + f"spec:\n{target}  minReplicas: 1\n  maxReplicas: 8\n{metric}"


def _config_map(chance: random.Random, name: str, namespace: str) -> str:
    lines = "".join(f"    option_{n}: {chance.random():.6f} # {'x' * 40}\n" for n in range(chance.randint(20, 260)))
    return _head("v1", "ConfigMap", f"{name}-config", namespace) + f"data:\n  settings.yaml: |\n{lines}"


def _rbac(chance: random.Random, name: str, namespace: str) -> str:
    rules = "".join(
        f'- apiGroups: [""]\n  resources: [pods, services, resource{n}]\n  verbs: [get, list, watch]\n'
        for n in range(chance.randint(3, 60))
    )
    role = _head("rbac.authorization.k8s.io/v1", "Role", name, namespace) + f"rules:\n{rules}"
    return f"{_head('v1', 'ServiceAccount', name, namespace)}---\n{role}"


def _crd(_: random.Random, name: str, namespace: str) -> str:
    fields = "".join(
        f"              field{n}:\n                description: |\n                  {'What it does. ' * 8}\n"
        "                type: string\n                maxLength: 253\n"
        for n in range(200)
    )
    within = "type: object\n        properties:\n          spec:\n            properties:"
    schema = f"      openAPIV3Schema:\n        {within}\n{fields}"
    spec = f"spec:\n  group: example.dev\n  scope: Namespaced\n  versions:\n  - name: v1\n    schema:\n{schema}"
    return _head("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"{name}s.example.dev", namespace) + spec


def _values(_: random.Random, name: str, _namespace: str) -> str:
    return f'name: {name}\nimage:\n  tag: "1.0"\n' + "".join(f"key{n}:\n  nested: {n}\n" for n in range(80))


def _claim(_: random.Random, _name: str, namespace: str) -> str:
    spec = "spec:\n  accessModes: [ReadWriteMany]\n  resources:\n    requests:\n      storage: 500Gi\n"
    return _head("v1", "PersistentVolumeClaim", "models", namespace) + spec


def _budget(_: random.Random, name: str, namespace: str) -> str:
    spec = f"spec:\n  maxUnavailable: 1\n  selector:\n    matchLabels:\n      app: {name}\n"
    return _head("policy/v1", "PodDisruptionBudget", name, namespace) + spec


def _rendered(chance: random.Random, name: str, namespace: str) -> str:
    name = f"{name}-r"
    parts = (_rbac, _config_map, _service, _deployment)
    return "".join(f"---\n# Source: chart/templates/{p.__name__}.yaml\n{p(chance, name, namespace)}" for p in parts)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    paths = write_corpus(Path(arguments[0]), *map(int, arguments[1:3]))
    size = sum(path.stat().st_size for path in paths)
    print(f"{len(paths)} files, {size:,} bytes, {size // len(paths):,} on average")
