"""Contexts whose credentials must be fetched (exec plugins, OIDC, Google) or whose server is behind a proxy.

The official `kubernetes` package does these. It is imported here and nowhere else, on the first such connection.
"""

from __future__ import annotations

import importlib
import logging
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from controlplane.adapters.errors import Misconfigured
from controlplane.adapters.kubernetes.kubeconfig import Context
from controlplane.adapters.kubernetes.plain_credentials import Authorization, needs_proxy


def library_pool(context: Context, connections: int) -> tuple[Any, Authorization]:
    """A pool of connections, and the authorization, which renews what expires. Raises `Misconfigured`."""
    library = _library()
    configuration = library.client.Configuration()
    with _collected_errors() as said:
        try:
            library.config.load_kube_config(
                config_file=os.pathsep.join(str(path) for path in context.files),
                context=context.name,
                client_configuration=configuration,
                persist_config=False,  # the file is the user's
            )
        except (library.config.ConfigException, OSError, ValueError, TypeError, KeyError) as error:
            raise Misconfigured(
                f"context {context.name!r} is not usable: {error}", remedy="Repair its cluster and user entries."
            ) from error
    _require_credentials(configuration, context, said)
    configuration.connection_pool_maxsize = connections
    configuration.retries = False
    if not needs_proxy(configuration.host) and "proxy-url" not in context.cluster.value:
        configuration.proxy = None  # the library puts the environment's proxy before loopback addresses too
    pool = library.client.ApiClient(configuration).rest_client.pool_manager
    return pool, _Renewing(configuration)


class _Renewing:
    """The library's authorization; its renewal of tokens is not made for several threads."""

    def __init__(self, configuration: Any) -> None:
        self._configuration = configuration
        self._lock = threading.Lock()

    def __call__(self) -> Mapping[str, str]:
        with self._lock:
            settings = self._configuration.auth_settings()
        return {each["key"]: each["value"] for each in settings.values() if each["in"] == "header"}


def _library() -> Any:
    try:
        return importlib.import_module("kubernetes")
    except ImportError as error:
        raise Misconfigured(
            "the Kubernetes client is not installed", remedy="Install it: pip install 'controlplane[apply]'."
        ) from error


def _require_credentials(configuration: Any, context: Context, said: list[str]) -> None:
    """The library only logs when an exec plugin fails, and would go on without credentials (kubernetes 37.0)."""
    plugin = context.user.value.get("exec")
    if not plugin or configuration.api_key or configuration.cert_file:
        return
    command = " ".join([str(plugin.get("command", "")), *map(str, plugin.get("args") or ())])
    reason = f": {said[-1]}" if said else ""
    raise Misconfigured(
        f"context {context.name!r} has no credentials: `{command}` gave none{reason}",
        remedy="Run that command by hand, log in where it asks to, then try again.",
    )


@contextmanager
def _collected_errors() -> Iterator[list[str]]:
    """Collect what the library logs to the root logger instead of letting it reach the terminal."""
    said: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage().strip())

    collector = Collector(level=logging.ERROR)
    logging.getLogger().addHandler(collector)
    try:
        yield said
    finally:
        logging.getLogger().removeHandler(collector)
