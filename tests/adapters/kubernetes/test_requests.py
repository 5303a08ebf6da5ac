from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from controlplane.adapters.errors import ServerFault, Throttled, Unreachable
from controlplane.adapters.kubernetes.connection import connect
from controlplane.adapters.kubernetes.requests import Requests, encode, joined


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def requests(fake_api_server: Any, kubeconfig_for: Callable[..., Any], pauses: list[float]) -> Requests:
    connection = connect(kubeconfig_for(fake_api_server.address, user="{token: sesame}"), None)
    return Requests(connection, pause=pauses.append)


def test_a_read_waits_as_long_as_an_overloaded_server_says(
    fake_api_server: Any, requests: Requests, pauses: list[float]
) -> None:
    fake_api_server.will_answer(429, retry_after="1")
    fake_api_server.will_answer(503)
    fake_api_server.will_answer(200, {"kind": "Pod"})
    assert requests.read("/api", "reading").value() == {"kind": "Pod"}
    assert pauses == [1.0, 0.4]


def test_a_read_does_not_wait_for_minutes(fake_api_server: Any, requests: Requests, pauses: list[float]) -> None:
    fake_api_server.will_answer(429, retry_after="600")
    with pytest.raises(Throttled) as raised:
        requests.read("/api", "reading").value()
    assert raised.value.retry_after == 600.0
    assert max(pauses) == 2.0


def test_a_read_is_given_up_after_three_tries(fake_api_server: Any, requests: Requests) -> None:
    fake_api_server.will_answer(503)
    with pytest.raises(ServerFault):
        requests.read("/api", "reading").value()
    assert len(fake_api_server.requests) == 3


def test_a_read_survives_a_dropped_connection(fake_api_server: Any, requests: Requests) -> None:
    fake_api_server.will_answer(0)
    fake_api_server.will_answer(200)
    assert requests.read("/api", "reading").ok


@pytest.mark.parametrize("status", [429, 503])
def test_a_refused_write_is_not_repeated(fake_api_server: Any, requests: Requests, status: int) -> None:
    fake_api_server.will_answer(status)
    assert requests.write("PATCH", "/api", "apply", body={}).status == status
    assert len(fake_api_server.requests) == 1


def test_a_write_without_an_answer_is_not_repeated(fake_api_server: Any, requests: Requests) -> None:
    fake_api_server.will_answer(0)
    with pytest.raises(Unreachable):
        requests.write("PATCH", "/api", "apply of ConfigMap/a/b", body={"data": {"password": "hunter2"}})
    assert len(fake_api_server.requests) == 1


def test_a_write_is_repeated_only_when_the_connection_is_refused(
    kubeconfig_for: Callable[..., Any], pauses: list[float]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        closed = f"http://127.0.0.1:{listener.getsockname()[1]}"
    requests = Requests(connect(kubeconfig_for(closed), None), pause=pauses.append)
    with pytest.raises(Unreachable) as raised:
        requests.write("PATCH", "/api", "apply of ConfigMap/a/b", body={"data": {"password": "hunter2"}})
    assert pauses == [0.1, 0.4]
    assert closed in raised.value.message
    assert "apply of ConfigMap/a/b" in raised.value.message
    assert "hunter2" not in raised.value.message


def test_requests_share_one_connection(fake_api_server: Any, requests: Requests) -> None:
    fake_api_server.will_answer(200)
    for _ in range(5):
        requests.read("/api", "reading")
    host, port = fake_api_server.address.removeprefix("http://").split(":")
    assert requests.connection.pool.connection_from_host(host, int(port), "http").num_connections == 1


def test_a_redirect_is_not_followed_with_our_credentials(fake_api_server: Any, requests: Requests) -> None:
    fake_api_server.will_answer(302, location="http://elsewhere.example/")
    assert requests.read("/api", "reading").status == 302
    assert len(fake_api_server.requests) == 1


def test_the_token_goes_with_every_request(fake_api_server: Any, requests: Requests) -> None:
    fake_api_server.will_answer(200)
    requests.read("/api", "reading", query={"limit": "5", "labelSelector": "a in (b,c)"})
    _, path, headers, _ = fake_api_server.requests[0]
    assert headers["Authorization"] == "Bearer sesame"
    assert path == "/api?limit=5&labelSelector=a+in+%28b%2Cc%29"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("😀 日本", id="outside the basic plane"),
        pytest.param("\x7f\x85\u2028\ufeff\x01\t\n", id="not printable in YAML"),
        pytest.param('"quoted" \\ #: {a: [1]}', id="punctuation"),
    ],
)
def test_a_body_means_the_same_to_a_json_and_to_a_yaml_reader(text: str) -> None:
    body = encode({"data": {"key": text}})
    assert json.loads(body) == {"data": {"key": text}}
    assert yaml.safe_load(body) == {"data": {"key": text}}


def test_a_name_cannot_leave_its_place_in_the_path() -> None:
    assert joined("api", "v1", "pods", "../x?y", "a:8000") == "/api/v1/pods/..%2Fx%3Fy/a:8000"
