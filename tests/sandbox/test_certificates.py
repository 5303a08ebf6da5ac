from __future__ import annotations

import base64
from pathlib import Path

import pytest
import yaml

from controlplane.sandbox.api import ApiServer
from controlplane.sandbox.certificates import (
    ADMIN,
    CLIENTS,
    kubeconfig,
    new_tokens,
    read_tokens,
    service_account_key,
    token_file,
    write_private,
)
from controlplane.sandbox.lifecycle import Sandbox


def test_keys_and_tokens_are_new_each_time() -> None:
    assert service_account_key() != service_account_key()
    first, second = new_tokens(), new_tokens()
    assert not set(first.values()) & set(second.values())
    assert len(set(first.values())) == len(CLIENTS)


def test_token_file_reads_as_it_was_written_and_names_users_and_groups() -> None:
    tokens = new_tokens()
    text = token_file(tokens)
    assert read_tokens(text) == tokens
    assert f'{tokens[ADMIN]},sandbox-admin,admin,"system:masters"' in text.splitlines()
    assert f'{tokens["kube-scheduler"]},system:kube-scheduler,kube-scheduler,""' in text.splitlines()


def test_kubeconfig_has_one_context_that_is_current() -> None:
    config = yaml.safe_load(kubeconfig("ctx", "https://127.0.0.1:1", b"PEM", "secret"))
    assert config["current-context"] == "ctx"
    assert [entry["name"] for entry in config["contexts"]] == ["ctx"]
    cluster = config["clusters"][0]["cluster"]
    assert base64.b64decode(cluster["certificate-authority-data"]) == b"PEM"
    assert "insecure-skip-tls-verify" not in cluster


def test_private_file_is_replaced_whole_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text("before")
    path.chmod(0o644)
    write_private(path, "after")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("after", 0o600)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.cluster
def test_service_account_token_signed_with_our_key_is_accepted(sandbox: Sandbox, namespace: str) -> None:
    account = f"/api/v1/namespaces/{namespace}/serviceaccounts/runner"
    sandbox.api().create(account.rpartition("/")[0], {"metadata": {"name": "runner"}})
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = sandbox.api().create(f"{account}/token", request)["status"]["token"]
    authority = (sandbox.folder / "certificates" / "apiserver.crt").read_text()
    runner = ApiServer(sandbox.server, authority, token)
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    who = runner.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", review)
    assert who["status"]["userInfo"]["username"] == f"system:serviceaccount:{namespace}:runner"
