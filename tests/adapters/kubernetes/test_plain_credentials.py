from __future__ import annotations

import base64
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from controlplane.adapters.errors import Forbidden, Misconfigured
from controlplane.adapters.kubernetes import Cluster
from controlplane.adapters.kubernetes.kubeconfig import Context, Entry, read_context
from controlplane.adapters.kubernetes.plain_credentials import TokenFile, is_plain, needs_proxy, plain_pool
from controlplane.sandbox.lifecycle import Sandbox


def context(user: Mapping[str, Any] | None = None, **cluster: Any) -> Context:
    server = {"server": "https://127.0.0.1:6443"}
    return Context("here", (), Entry({**server, **cluster}, Path()), Entry(user or {}, Path()))


@pytest.mark.parametrize(
    ("found", "plain"),
    [
        pytest.param(context({"token": "t"}), True, id="token"),
        pytest.param(context({"client-certificate-data": "x", "client-key-data": "y"}), True, id="certificate"),
        pytest.param(context(), True, id="nobody"),
        pytest.param(context({"exec": {"command": "aws"}}), False, id="exec plugin"),
        pytest.param(context({"auth-provider": {"name": "oidc"}}), False, id="oidc"),
        pytest.param(context({"username": "u", "password": "p"}), False, id="password"),
        pytest.param(context({"token": "t"}, **{"proxy-url": "http://10.0.0.9:3128"}), False, id="proxy"),
    ],
)
def test_only_what_needs_no_more_than_reading_files_is_plain(found: Context, plain: bool) -> None:
    assert is_plain(found) is plain


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("https://10.0.0.1:6443", True),
        ("https://inside.example", False),
        ("http://10.0.0.1", False),
        ("https://127.0.0.1:6443", False),
        ("https://[::1]:6443", False),
        ("https://localhost:6443", False),
    ],
)
def test_the_environments_proxy_stands_before_other_machines_only(
    monkeypatch: pytest.MonkeyPatch, server: str, expected: bool
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", "http://10.0.0.9:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert needs_proxy(server) is expected


def test_a_token_file_is_read_again_after_a_minute(tmp_path: Path) -> None:
    time = [0.0]
    (tmp_path / "token").write_text("first\n")
    token = TokenFile(tmp_path / "token", clock=lambda: time[0])
    assert token() == {"Authorization": "Bearer first"}
    (tmp_path / "token").write_text("second\n")
    time[0] = 59.0
    assert token() == {"Authorization": "Bearer first"}
    time[0] = 60.0
    assert token() == {"Authorization": "Bearer second"}


def test_a_token_file_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="cannot be read: No such file"):
        TokenFile(tmp_path / "token")()


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(context(**{"certificate-authority": "/absent/ca.crt"}), id="no such file"),
        pytest.param(context(**{"certificate-authority-data": "bm90IFBFTQ=="}), id="not PEM"),
        pytest.param(context({"client-certificate-data": "bm90IFBFTQ=="}), id="client certificate is not PEM"),
    ],
)
def test_unusable_certificates_name_the_context(found: Context) -> None:
    with pytest.raises(Misconfigured, match="the certificates of context 'here' are not usable"):
        plain_pool(found, 1)


def test_insecure_skip_tls_verify_is_obeyed() -> None:
    pool, _ = plain_pool(context(**{"insecure-skip-tls-verify": True}), 1)
    assert pool.connection_pool_kw["ssl_context"].verify_mode == ssl.CERT_NONE


def authority_of(sandbox: Sandbox) -> bytes:
    return base64.b64decode(
        str(read_context((sandbox.kubeconfig,), sandbox.context).cluster.value["certificate-authority-data"])
    )


@pytest.mark.cluster
def test_the_authority_may_be_a_file_beside_the_kubeconfig(
    sandbox: Sandbox, kubeconfig_for: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "ca.crt").write_bytes(authority_of(sandbox))
    kubeconfig = kubeconfig_for(sandbox.server, cluster=", certificate-authority: ca.crt")
    with pytest.raises(Forbidden):
        Cluster.connect(kubeconfig).list("v1", "Secret", "default")


@pytest.mark.cluster
def test_a_server_with_another_authority_is_not_believed(
    sandbox: Sandbox, kubeconfig_for: Callable[..., Path]
) -> None:
    with pytest.raises(Misconfigured, match="is not trusted: self-signed certificate"):
        Cluster.connect(kubeconfig_for(sandbox.server, user="{token: t}")).version()


@pytest.mark.cluster
def test_tls_server_name_is_the_name_that_the_certificate_must_bear(
    sandbox: Sandbox, kubeconfig_for: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "ca.crt").write_bytes(authority_of(sandbox))
    trusted = ", certificate-authority: ca.crt, tls-server-name: "
    named = Cluster.connect(kubeconfig_for(sandbox.server, cluster=f"{trusted}kubernetes.default.svc"))
    with pytest.raises(Forbidden):
        named.list("v1", "Secret", "default")
    with pytest.raises(Misconfigured, match="is not trusted"):
        Cluster.connect(kubeconfig_for(sandbox.server, cluster=f"{trusted}elsewhere.example")).version()


@pytest.mark.cluster
def test_a_client_certificate_is_read_and_leaves_no_file(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The API server's own pair will do: it is loaded here, not believed there."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    certificates = next(sandbox.folder.rglob("apiserver.crt")).parent
    data = {
        "client-certificate-data": base64.b64encode((certificates / "apiserver.crt").read_bytes()).decode(),
        "client-key-data": base64.b64encode((certificates / "apiserver.key").read_bytes()).decode(),
    }
    _, authorization = plain_pool(context(data), 1)
    assert authorization() == {}
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Misconfigured, match="not usable"):
        plain_pool(context({**data, "client-key-data": data["client-certificate-data"]}), 1)
