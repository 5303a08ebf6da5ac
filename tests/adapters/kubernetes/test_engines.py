from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from controlplane.adapters.errors import Forbidden, NotFound, Unreachable
from controlplane.adapters.kubernetes import Cluster, PodAnswer
from controlplane.adapters.kubernetes.engines import kv_blocks, port_of, served_models
from controlplane.emit.bundle import Manifest
from controlplane.plan.engine_health import EngineState
from controlplane.plan.health import Related
from controlplane.sandbox.lifecycle import Sandbox

METRICS = """\
# HELP vllm:cache_config_info Information of the LLMEngine CacheConfig
# TYPE vllm:cache_config_info gauge
vllm:cache_config_info{block_size="16",cache_dtype="auto",num_gpu_blocks="27742",sliding_window="None"} 1.0
vllm:num_requests_running{model_name="chat"} 0.0
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(METRICS, (27742, 16), id="told"),
        pytest.param(METRICS.replace('"27742"', '"None"'), (None, 16), id="not yet known"),
        pytest.param("up 1.0\n", (None, None), id="no such metric"),
    ],
)
def test_kv_blocks_are_read_from_the_labels(text: str, expected: tuple[int | None, int | None]) -> None:
    assert kv_blocks(PodAnswer(200, text)) == expected
    assert kv_blocks(PodAnswer(500, text)) == (None, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"object": "list", "data": [{"id": "chat"}, {"id": "lora"}]}', ("chat", "lora")),
        ('{"data": []}', ()),
        ("<html>", ()),
        ("[1]", ()),
    ],
)
def test_the_served_models_are_read(text: str, expected: tuple[str, ...]) -> None:
    assert served_models(PodAnswer(200, text)) == expected


@pytest.mark.parametrize(
    ("ports", "expected"),
    [
        ([], 8000),
        ([{"containerPort": 9000}], 9000),
        ([{"name": "metrics", "containerPort": 9000}, {"name": "http", "containerPort": 8080}], 8080),
    ],
)
def test_the_engines_port_is_the_one_called_http(ports: list[dict[str, Any]], expected: int) -> None:
    assert port_of({"spec": {"containers": [{"ports": ports}]}}) == expected


ENGINE_ANSWERS = {"/health": (200, ""), "/v1/models": (200, '{"data": [{"id": "chat"}]}'), "/metrics": (200, METRICS)}


@pytest.fixture
def stand_in() -> Iterator[tuple[int, dict[str, tuple[int, str]]]]:
    """The port and the answers of a stand-in for an engine, on all addresses of this machine."""
    answers = dict(ENGINE_ANSWERS)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, text = answers.get(self.path.partition("?")[0], (404, "no such path"))
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *arguments: Any) -> None:
            """Nothing: it would be written to stderr."""

    server = ThreadingHTTPServer(("", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server.server_address[1], answers
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def pod_here(sandbox: Sandbox, namespace: str, machine_address: str) -> Callable[[int], Manifest]:
    """A function that makes a ready Pod whose address is this machine's: what answers at its port is the stand-in."""

    def make(port: int) -> Manifest:
        api, path = sandbox.api(), f"/api/v1/namespaces/{namespace}/pods"
        container = {
            "name": "vllm",
            "image": "registry.example/vllm:1",
            "ports": [{"name": "http", "containerPort": port}],
        }
        manifest = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "engine"},
            "spec": {"containers": [container], "nodeName": "not-simulated", "tolerations": [{"operator": "Exists"}]},
        }
        api.create(path, manifest)
        status = {
            "phase": "Running",
            "podIP": machine_address,
            "podIPs": [{"ip": machine_address}],
            "conditions": [{"type": "Ready", "status": "True"}],
        }
        return api.merge(f"{path}/engine/status", {"status": status})

    return make


@pytest.fixture
def machine_address() -> str:
    """An address of this machine that is not loopback, which the API server refuses to proxy to."""
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.254", 9))  # sends nothing; chooses the address that traffic would leave by
        address: str = probe.getsockname()[0]
    return address


@pytest.mark.cluster
def test_an_engine_is_asked_through_the_api_server(
    cluster: Cluster, stand_in: tuple[int, dict[str, tuple[int, str]]], pod_here: Callable[[int], Manifest]
) -> None:
    port, answers = stand_in
    pod = pod_here(port)
    [answer] = cluster.ask_engines(Related(pods=(pod,)))
    assert (answer.state, answer.models) == (EngineState.ANSWERS, ("chat",))
    assert (answer.kv_blocks, answer.block_tokens) == (27742, 16)
    answers["/health"] = (503, "loading")
    [answer] = cluster.ask_engines(Related(pods=(pod,)))
    assert (answer.state, answer.message) == (
        EngineState.REFUSES,
        "/health answered 503; a ready engine answers 200",
    )


@pytest.mark.cluster
def test_an_answer_of_the_pod_is_told_from_one_of_the_api_server(
    cluster: Cluster,
    namespace: str,
    stand_in: tuple[int, dict[str, tuple[int, str]]],
    pod_here: Callable[[int], Manifest],
) -> None:
    port, _ = stand_in
    pod_here(port)
    assert cluster.proxy_get(namespace, "engine", port, "/absent?a=1&b=2") == PodAnswer(404, "no such path")
    with pytest.raises(NotFound, match='pods "nobody" not found'):
        cluster.proxy_get(namespace, "nobody", port, "/health")
    with pytest.raises(Unreachable, match="connection refused"):
        cluster.proxy_get(namespace, "engine", 1, "/health")


def test_a_missing_permission_is_not_taken_for_an_engine_that_refuses(
    fake_api_server: Any, kubeconfig_for: Callable[..., Any]
) -> None:
    fake_api_server.will_answer(403, {"kind": "Status", "reason": "Forbidden", "message": "no pods/proxy"})
    with pytest.raises(Forbidden, match="no pods/proxy"):
        Cluster.connect(kubeconfig_for(fake_api_server.address)).proxy_get("llm", "a", 8000, "/health")
