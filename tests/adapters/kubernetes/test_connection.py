from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controlplane.adapters.errors import Misconfigured
from controlplane.adapters.kubernetes.connection import connect

WriteKubeconfig = Callable[..., Path]


def plugin(tmp_path: Path, source: str) -> str:
    """An exec plugin, as cloud providers ship them, as the user entry of a kubeconfig."""
    program = tmp_path / "plugin.py"
    program.write_text(source)
    return f"{{exec: {{apiVersion: client.authentication.k8s.io/v1, command: {sys.executable}, args: [{program}]}}}}"


def test_a_static_token_needs_no_kubernetes_package(kubeconfig_for: WriteKubeconfig) -> None:
    """Importing the package costs more than planning 200 objects."""
    code = (
        "import sys; from pathlib import Path; from controlplane.adapters.kubernetes import Cluster;"
        "Cluster.connect(Path(sys.argv[1])); sys.exit('kubernetes' in sys.modules)"
    )
    kubeconfig = kubeconfig_for("https://127.0.0.1:1", user="{token: t}")
    assert subprocess.run([sys.executable, "-c", code, str(kubeconfig)], check=False).returncode == 0


def test_the_token_of_an_exec_plugin_is_used(
    tmp_path: Path, kubeconfig_for: WriteKubeconfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = plugin(
        tmp_path,
        'print(\'{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",'
        ' "status": {"token": "fresh"}}\')',
    )
    connection = connect(kubeconfig_for("http://127.0.0.1:1", user=user), None)
    headers = {name.lower(): value for name, value in connection.headers().items()}
    assert headers["authorization"] == "Bearer fresh"


def test_a_failing_exec_plugin_is_told_and_not_passed_over(
    tmp_path: Path, kubeconfig_for: WriteKubeconfig, capfd: pytest.CaptureFixture[str]
) -> None:
    user = plugin(tmp_path, "import sys; sys.exit('please log in first')")
    with pytest.raises(Misconfigured) as raised:
        connect(kubeconfig_for("http://127.0.0.1:1", user=user), None)
    assert "gave none" in raised.value.message
    assert "please log in first" in raised.value.message
    assert capfd.readouterr().err == ""


def test_without_any_kubeconfig_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "absent"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(Misconfigured, match="there is no kubeconfig at") as raised:
        connect(None, None)
    assert "controlplane sandbox up" in raised.value.remedy


def test_a_pod_talks_to_the_cluster_around_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from controlplane.adapters.kubernetes import connection as module

    (tmp_path / "token").write_text("mounted\n")
    (tmp_path / "ca.crt").write_bytes(_AUTHORITY)
    monkeypatch.setattr(module, "_ACCOUNT", tmp_path)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "absent"))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    found = connect(None, None)
    assert (found.context, found.server) == ("in-cluster", "https://[fd00::1]:443")
    assert found.headers()["Authorization"] == "Bearer mounted"


def test_a_missing_extra_is_told_with_the_command_to_install_it(
    kubeconfig_for: WriteKubeconfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    def no_such_package(name: str) -> Any:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", no_such_package)
    with pytest.raises(Misconfigured) as raised:
        connect(kubeconfig_for("https://127.0.0.1:1"), None)
    assert "controlplane[apply]" in raised.value.remedy


# A certificate that nobody uses; its key is gone.
_AUTHORITY = b"""\
-----BEGIN CERTIFICATE-----
MIIBdjCCAR2gAwIBAgIUU419pbMRZDeH+EXVnjhOOyhY58YwCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFdGVzdHMwIBcNMjYxMTI5MTYwOTIyWhgPMjEyNjExMDUxNjA5
MjJaMBAxDjAMBgNVBAMMBXRlc3RzMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
Mz6D+UxE6+AkumltuV5dbNjpq/RilDMpjcLVwCavEgukeox1OgLVbpWGFEV/GEos
nk0vlY3IM/KFe1BirpmHKKNTMFEwHQYDVR0OBBYEFEft7T1po2VDaCzb/X8bG8f3
4VQFMB8GA1UdIwQYMBaAFEft7T1po2VDaCzb/X8bG8f34VQFMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgWHrCrQwwZTkyGS79P49TvjHYKu43OROW
Le9CVEmczo4CIBWhxQG7seqKmtVO8HKc7jm3IGRGuW2odswnKWSntla+
-----END CERTIFICATE-----
"""
