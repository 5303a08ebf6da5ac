"""Ask the vLLM engine of each pod whether it is well, what it serves and how many KV blocks it has."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from controlplane.adapters.errors import AdapterError
from controlplane.adapters.kubernetes.observe import concurrently
from controlplane.adapters.kubernetes.proxy import PodAnswer, proxy_get
from controlplane.adapters.kubernetes.requests import Requests
from controlplane.emit.bundle import Manifest
from controlplane.plan.engine_health import EngineAnswer, EngineState
from controlplane.plan.pod_health import is_ready, simulated_nodes

DEFAULT_PORT = 8000
"""vLLM's own default (`--port`, vLLM 0.33.0)."""

_CACHE_CONFIG = re.compile(r"^vllm:cache_config_info\{(?P<labels>.*)\} ", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def ask_engines(
    requests: Requests, pods: Sequence[Manifest], nodes: Sequence[Manifest] | None
) -> tuple[EngineAnswer, ...]:
    """Ask the engine of each ready pod; a pod on a simulated node is not asked and is called simulated."""
    simulated = simulated_nodes(nodes or ())

    def ask(pod: Manifest) -> EngineAnswer:
        name = pod["metadata"]["name"]
        if pod["spec"].get("nodeName") in simulated:
            return EngineAnswer(name, EngineState.SIMULATED, "simulated: no engine to ask")
        return _ask(requests, pod["metadata"]["namespace"], name, port_of(pod))

    return tuple(concurrently(ask, [pod for pod in pods if is_ready(pod)]))


def port_of(pod: Manifest) -> int:
    """The engine's port: the container port called `http`, else the first one, else vLLM's default."""
    ports = [port for container in pod["spec"].get("containers") or () for port in container.get("ports") or ()]
    named = next((port for port in ports if port.get("name") == "http"), ports[0] if ports else None)
    return int(named["containerPort"]) if named else DEFAULT_PORT


def _ask(requests: Requests, namespace: str, pod: str, port: int) -> EngineAnswer:
    try:
        health = proxy_get(requests, namespace, pod, port, "/health")
        if not health.ok:
            return EngineAnswer(
                pod, EngineState.REFUSES, f"/health answered {health.status}; a ready engine answers 200"
            )
        models = served_models(proxy_get(requests, namespace, pod, port, "/v1/models"))
        blocks, tokens = kv_blocks(proxy_get(requests, namespace, pod, port, "/metrics"))
    except AdapterError as error:
        return EngineAnswer(pod, EngineState.REFUSES, error.message)
    told = f"serves {', '.join(models) or 'no model'}; {'unknown' if blocks is None else blocks} KV blocks"
    return EngineAnswer(pod, EngineState.ANSWERS, told, models, blocks, tokens)


def served_models(answer: PodAnswer) -> tuple[str, ...]:
    """The names in an answer to /v1/models (OpenAI's list form); empty when it is not one."""
    try:
        return tuple(str(model["id"]) for model in json.loads(answer.text)["data"]) if answer.ok else ()
    except (ValueError, KeyError, TypeError):
        return ()


def kv_blocks(answer: PodAnswer) -> tuple[int | None, int | None]:
    """KV blocks and tokens a block, from the labels of `vllm:cache_config_info`; None where it does not tell."""
    found = _CACHE_CONFIG.search(answer.text) if answer.ok else None
    labels = dict(_LABEL.findall(found["labels"])) if found else {}
    return _whole(labels.get("num_gpu_blocks")), _whole(labels.get("block_size"))


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() else None
