"""What a probe asks of vLLM's server: the port behind a name, the path and the scheme."""

from __future__ import annotations

import pytest

from controlplane.rules.vllm._example import engine
from tests.rules.judging import findings_of

PORT = "kubernetes/probe-port-not-served"
PATH = "kubernetes/probe-path-not-served"
SCHEME = "kubernetes/probe-scheme-differs"
TLS = "- --ssl-keyfile=/tls/tls.key\n- --ssl-certfile=/tls/tls.crt"


def _rules(args: str, http: str, more: str = "", *, kinds: tuple[str, ...] = ("readiness",)) -> list[str]:
    text = engine(args).rstrip("\n")
    text += "\n          ports: [{name: http, containerPort: 8000}]"
    for kind in kinds:
        text += f"\n          {kind}Probe: {{httpGet: {{{http}}}, failureThreshold: 360}}"
    return [finding.rule for finding in findings_of(text + more)]


def test_name_of_a_port_where_vllm_does_not_listen_is_one_fault_for_all_probes() -> None:
    kinds = ("startup", "readiness", "liveness")
    assert _rules("- --port=9000", "path: /health, port: http", kinds=kinds) == [PORT]
    assert _rules("- --port=8000", "path: /health, port: http", kinds=kinds) == []


@pytest.mark.parametrize("path", ["/healthz", "/", "/livez", "/v2/health/ready", "/healthz/", "/healthz?a=1"])
def test_path_of_another_server_is_found(path: str) -> None:
    assert _rules("", f"path: '{path}', port: http") == [PATH]
    assert _rules("", f"path: '{path}', port: 8000") == [PATH]


@pytest.mark.parametrize("path", ["/health", "/ping", "/v1/models", "/version", "/ready", "/readyz", "/own/health"])
def test_path_that_vllm_may_have_is_let_be(path: str) -> None:
    assert _rules("", f"path: {path}, port: http") == []


@pytest.mark.parametrize("args", ["- --middleware=a.B", "- --root-path=/chat", "- --config=/etc/vllm/c.yaml"])
def test_what_may_bring_in_more_paths_keeps_the_rule_silent(args: str) -> None:
    assert PATH not in _rules(args, "path: /healthz, port: 8000")


def test_second_container_may_answer_the_probe() -> None:
    beside = "\n        - {name: proxy, image: registry.example/proxy:1}"
    assert _rules("", "path: /healthz, port: 8000", beside) == []


def test_scheme_of_a_probe_is_that_of_the_server() -> None:
    assert _rules(TLS, "path: /health, port: 8000") == [SCHEME]
    assert _rules(TLS, "path: /health, port: 8000, scheme: HTTPS") == []
    assert _rules("", "path: /health, port: 8000, scheme: HTTPS") == [SCHEME]
