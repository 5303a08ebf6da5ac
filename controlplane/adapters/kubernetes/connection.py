"""A connection to one API server: where it is, a pool of kept-alive connections, and who we are to it."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.adapters.errors import Misconfigured
from controlplane.adapters.kubernetes.kubeconfig import Context, Entry, default_location, files_of, read_context
from controlplane.adapters.kubernetes.library_credentials import library_pool
from controlplane.adapters.kubernetes.plain_credentials import Authorization, is_plain, plain_pool

if TYPE_CHECKING:
    from urllib3 import PoolManager

CONNECTIONS = 32
"""Connections kept open at most; requests from more threads at once would open and drop further ones."""

_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class Connection:
    """Safe to use from several threads."""

    def __init__(self, server: str, pool: PoolManager, authorization: Authorization, context: str) -> None:
        self.server = server.rstrip("/")
        self.pool = pool
        self.context = context
        self._authorization = authorization

    def headers(self) -> dict[str, str]:
        """The headers of a request; renews expired credentials on the way."""
        return {"User-Agent": "controlplane", "Accept": "application/json", **self._authorization()}

    def close(self) -> None:
        """Drop all connections; the next request opens new ones."""
        self.pool.clear()


def connect(kubeconfig: Path | None, context: str | None) -> Connection:
    """Connect to the cluster of a context: the named one, else the current one; without a kubeconfig, in-cluster.

    `kubeconfig` None means what kubectl would read: KUBECONFIG, else ~/.kube/config. Raises `Misconfigured`. No
    request is sent, but an exec plugin of the context runs.
    """
    if importlib.util.find_spec("urllib3") is None:
        raise Misconfigured(
            "the Kubernetes client is not installed", remedy="Install it: pip install 'controlplane[apply]'."
        )
    found = _context(kubeconfig, context, os.environ)
    pool, authorization = (plain_pool if is_plain(found) else library_pool)(found, CONNECTIONS)
    return Connection(str(found.cluster.value["server"]), pool, authorization, found.name)


def _context(kubeconfig: Path | None, context: str | None, environment: Mapping[str, str]) -> Context:
    files = files_of(kubeconfig, environment)
    if files:
        return read_context(files, context)
    if kubeconfig is None and context is None:
        around_us = _in_cluster(environment, _ACCOUNT)
        if around_us is not None:
            return around_us
    raise Misconfigured(
        f"there is no kubeconfig at {kubeconfig or default_location(environment)}",
        remedy="Give one with --kubeconfig or KUBECONFIG, or start a local cluster: controlplane sandbox up.",
    )


def _in_cluster(environment: Mapping[str, str], account: Path) -> Context | None:
    """The cluster that this process is a pod of, by its mounted service account."""
    host, port = environment.get("KUBERNETES_SERVICE_HOST"), environment.get("KUBERNETES_SERVICE_PORT", "443")
    if not host or not (account / "token").exists():
        return None
    address = f"[{host}]" if ":" in host else host
    cluster = {"server": f"https://{address}:{port}", "certificate-authority": "ca.crt"}
    return Context("in-cluster", (), Entry(cluster, account), Entry({"tokenFile": "token"}, account))
