"""Tokens and client certificates that lie in the kubeconfig or in files: most contexts, and every pod.

The official client does these too, but importing it costs 0.9 s of processor time (kubernetes 37.0), more than
planning 200 objects. Whatever needs more than reading a file (exec plugins, OIDC, proxies) is left to it.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import os
import ssl
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from controlplane.adapters.errors import Misconfigured
from controlplane.adapters.kubernetes.kubeconfig import Context, Entry

if TYPE_CHECKING:
    from urllib3 import PoolManager

_TOKEN_FILE_SECONDS = 60.0
"""How long a token read from a file is used; the kubelet renews mounted tokens well before they expire."""

_PLAIN_USER_KEYS = frozenset(
    {
        "token",
        "tokenFile",
        "client-certificate",
        "client-certificate-data",
        "client-key",
        "client-key-data",
        "extensions",
    }
)
_PLAIN_CLUSTER_KEYS = frozenset(
    {
        "server",
        "certificate-authority",
        "certificate-authority-data",
        "insecure-skip-tls-verify",
        "tls-server-name",
        "disable-compression",
        "extensions",
    }
)

Authorization = Callable[[], Mapping[str, str]]
"""The headers that say who asks, fresh for each request."""


def is_plain(context: Context) -> bool:
    """Whether reading files is all that a context needs, and no proxy stands before its server."""
    return (
        _PLAIN_USER_KEYS.issuperset(context.user.value)
        and _PLAIN_CLUSTER_KEYS.issuperset(context.cluster.value)
        and not needs_proxy(str(context.cluster.value["server"]))
    )


def needs_proxy(server: str) -> bool:
    """Whether the environment puts a proxy before a server; never before this machine itself, as in Go."""
    parts = urlsplit(server)
    host = parts.hostname or ""
    return not _is_loopback(host) and parts.scheme in urllib.request.getproxies() and not _bypassed(host)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bypassed(host: str) -> bool:
    return bool(urllib.request.proxy_bypass(host))


def plain_pool(context: Context, connections: int) -> tuple[PoolManager, Authorization]:
    """A pool of connections for a plain context, and its authorization. Raises `Misconfigured`."""
    import urllib3

    pool = urllib3.PoolManager(
        maxsize=connections,
        ssl_context=_tls(context),
        server_hostname=context.cluster.value.get("tls-server-name") or None,
    )
    return pool, _authorization(context.user)


def _authorization(user: Entry) -> Authorization:
    token, file = user.value.get("token"), user.path("tokenFile")
    if file is not None:
        # kubectl, too, prefers the file, which may be renewed.
        return TokenFile(file)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return lambda: headers


class TokenFile:
    """A token in a file that somebody renews."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._read_at = -_TOKEN_FILE_SECONDS
        self._token = ""

    def __call__(self) -> Mapping[str, str]:
        if not self._token or self._clock() - self._read_at >= _TOKEN_FILE_SECONDS:
            try:
                self._token = self._path.read_text().strip()
            except OSError as error:
                raise Misconfigured(
                    f"the token file {self._path} cannot be read: {error.strerror}", remedy="Log in again."
                ) from error
            self._read_at = self._clock()
        return {"Authorization": f"Bearer {self._token}"}


def _tls(context: Context) -> ssl.SSLContext:
    cluster, user = context.cluster, context.user
    try:
        tls = _trusting(cluster)
        if cluster.value.get("insecure-skip-tls-verify"):
            tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
            _accept_unverified_tls()
        certificate = _pem(user, "client-certificate")
        if certificate is not None:
            _load_pair(tls, certificate, _pem(user, "client-key") or certificate)
    except (OSError, ssl.SSLError, binascii.Error) as error:
        raise Misconfigured(
            f"the certificates of context {context.name!r} are not usable: {error}",
            remedy="Repair its cluster and user entries in the kubeconfig.",
        ) from error
    return tls


def _trusting(cluster: Entry) -> ssl.SSLContext:
    authority = _pem(cluster, "certificate-authority")
    tls = ssl.create_default_context(cadata=authority.decode() if authority else None)
    # As Go verifies: any given certificate may be the anchor, and authorities made by hand, which lack extensions
    # that Python insists on since 3.13, are taken.
    tls.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    tls.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return tls


def _pem(entry: Entry, key: str) -> bytes | None:
    """The bytes given as base64 data, which win as in kubectl, or in the file named."""
    data = entry.value.get(f"{key}-data")
    if data:
        return base64.b64decode(str(data), validate=False)
    path = entry.path(key)
    return None if path is None else path.read_bytes()


def _load_pair(tls: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """OpenSSL reads a client's pair from files only; they are private and gone at once."""
    with tempfile.TemporaryDirectory(prefix="controlplane-") as folder:
        paths = Path(folder, "certificate.pem"), Path(folder, "key.pem")
        for path, content in zip(paths, (certificate, key), strict=True):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
        tls.load_cert_chain(*paths)


def _accept_unverified_tls() -> None:
    """The kubeconfig says so itself; a warning with every request would only bury the rest."""
    import urllib3

    urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
