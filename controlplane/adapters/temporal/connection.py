"""Connecting to a Temporal server: address, namespace, TLS and API key, all given as arguments.

`settings_from` reads the same variables as Temporal's own tools, from a mapping that the caller passes.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.adapters.errors import Misconfigured, Unreachable

if TYPE_CHECKING:
    from temporalio.client import Client
    from temporalio.service import TLSConfig

_NEEDS_EXTRA = "Install controlplane[apply]."


@dataclass(frozen=True, slots=True)
class TemporalSettings:
    """Where Temporal is. `api_key` is a secret: it is not shown by repr, and never logged.

    With `tls`, `ca`, `certificate` and `key` are PEM files; certificate and key come together (mutual TLS).
    """

    address: str
    namespace: str = "default"
    tls: bool = False
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    server_name: str = ""
    api_key: str = ""

    def __repr__(self) -> str:
        return f"TemporalSettings(address={self.address!r}, namespace={self.namespace!r}, tls={self.tls})"


def settings_from(environment: Mapping[str, str]) -> TemporalSettings | None:
    """The configured server, or None when TEMPORAL_ADDRESS is not set.

    Names as in Temporal's CLI 1.9: TEMPORAL_ADDRESS, _NAMESPACE, _API_KEY, _TLS, _TLS_SERVER_CA_CERT_PATH,
    _TLS_CLIENT_CERT_PATH, _TLS_CLIENT_KEY_PATH, _TLS_SERVER_NAME. An API key or a certificate turns TLS on.
    """
    address = environment.get("TEMPORAL_ADDRESS", "")
    if not address:
        return None
    ca = _path(environment, "TEMPORAL_TLS_SERVER_CA_CERT_PATH")
    certificate = _path(environment, "TEMPORAL_TLS_CLIENT_CERT_PATH")
    api_key = environment.get("TEMPORAL_API_KEY", "")
    implied = bool(api_key or ca or certificate)
    return TemporalSettings(
        address=address,
        namespace=environment.get("TEMPORAL_NAMESPACE") or "default",
        tls=_boolean(environment, "TEMPORAL_TLS", implied),
        ca=ca,
        certificate=certificate,
        key=_path(environment, "TEMPORAL_TLS_CLIENT_KEY_PATH"),
        server_name=environment.get("TEMPORAL_TLS_SERVER_NAME", ""),
        api_key=api_key,
    )


async def connect(settings: TemporalSettings, *, identity: str = "") -> Client:
    """A connected client. `identity` appears in histories next to what it did.

    Raises:
        Misconfigured: the extra or a TLS file is missing.
        Unreachable: nobody answers at the address, or it refuses us.
    """
    try:
        from temporalio.client import Client
    except ImportError as error:
        raise Misconfigured("the Temporal client is not installed", remedy=_NEEDS_EXTRA) from error
    try:
        return await Client.connect(
            settings.address,
            namespace=settings.namespace,
            api_key=settings.api_key or None,
            tls=_tls(settings),
            identity=identity or None,
        )
    except RuntimeError as error:
        # temporalio 1.35 raises a bare RuntimeError for everything that goes wrong while connecting.
        raise Unreachable(
            f"Temporal does not answer at {settings.address}: {_plainly(error)}",
            remedy="Check TEMPORAL_ADDRESS and that the server runs; without it, the local service is used.",
        ) from error


def _plainly(error: RuntimeError) -> str:
    """The innermost reason of an error that the native client prints with all the types around it."""
    reasons = re.findall(r'message: "([^"]+)"', str(error))
    return reasons[-1] if reasons else str(error)


@functools.cache
def quiet_client() -> None:
    """Keep the native client's own log lines away: it writes them to standard output, which belongs to the verb.

    What goes wrong is raised, so nothing is lost. To be called before the first connection of a process.
    """
    from temporalio.runtime import Runtime, TelemetryConfig

    Runtime.set_default(Runtime(telemetry=TelemetryConfig(logging=None)), error_if_already_set=False)


def _tls(settings: TemporalSettings) -> TLSConfig | bool:
    if not settings.tls:
        return False
    if bool(settings.certificate) != bool(settings.key):
        raise Misconfigured(
            "a client certificate needs its key, and the key its certificate",
            remedy="Set both TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or neither.",
        )
    from temporalio.service import TLSConfig

    return TLSConfig(
        server_root_ca_cert=_pem(settings.ca),
        domain=settings.server_name or None,
        client_cert=_pem(settings.certificate),
        client_private_key=_pem(settings.key),
    )


def _pem(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return path.read_bytes()
    except OSError as error:
        raise Misconfigured(
            f"cannot read the TLS file {path}: {error.strerror}",
            remedy="Check the TEMPORAL_TLS_* variable that names it.",
        ) from error


def _path(environment: Mapping[str, str], name: str) -> Path | None:
    value = environment.get(name, "")
    return Path(value) if value else None


def _boolean(environment: Mapping[str, str], name: str, otherwise: bool) -> bool:
    value = environment.get(name, "").lower()
    if value in ("1", "true", "yes", "on"):
        return True
    if value in ("0", "false", "no", "off"):
        return False
    if value:
        raise Misconfigured(
            f"{name} is {value!r}, which is neither true nor false", remedy="Set it to true or false."
        )
    return otherwise
