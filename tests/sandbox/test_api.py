from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from controlplane.sandbox.api import UNREACHABLE, ApiServer, answers, api_of
from controlplane.sandbox.errors import ApiRefused
from controlplane.sandbox.lifecycle import Sandbox
from controlplane.sandbox.preflight import free_ports

pytestmark = pytest.mark.cluster


def _authority(sandbox: Sandbox) -> str:
    return (sandbox.folder / "certificates" / "apiserver.crt").read_text()


def test_absent_object_is_none_and_deleting_it_is_no_error(sandbox: Sandbox, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps/absent"
    assert sandbox.api().find(path) is None
    assert not sandbox.api().exists(path)
    assert not sandbox.api().delete(path)


def test_refusal_carries_the_status_and_the_servers_own_words(sandbox: Sandbox, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    with pytest.raises(ApiRefused, match=rf"POST {path}: 422 .*Invalid value: \"UPPER\"") as caught:
        sandbox.api().create(path, {"metadata": {"name": "UPPER"}})
    assert caught.value.status == 422


def test_wrong_token_is_refused(sandbox: Sandbox) -> None:
    stranger = ApiServer(sandbox.server, _authority(sandbox), "wrong")
    with pytest.raises(ApiRefused, match="401"):
        stranger.get("/api/v1/namespaces")
    assert not stranger.ready()


def test_server_with_another_certificate_is_not_talked_to(sandbox: Sandbox) -> None:
    other = Path(ssl.get_default_verify_paths().cafile or "/etc/ssl/certs/ca-certificates.crt")
    stranger = ApiServer(sandbox.server, other.read_text(), "token")
    with pytest.raises(ssl.SSLCertVerificationError):
        stranger.get("/version")


def test_nobody_at_the_port_is_unreachable_and_not_ready(sandbox: Sandbox) -> None:
    (port,) = free_ports(1)
    nobody = ApiServer(f"https://127.0.0.1:{port}", _authority(sandbox), "token")
    assert not nobody.ready()
    assert not answers(port, "/healthz")
    with pytest.raises(UNREACHABLE):
        nobody.get("/version")


def test_proxy_of_the_environment_is_not_used(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
    assert api_of(sandbox.kubeconfig).ready()
