"""The few requests the sandbox itself makes of its API server, with the standard library.

Not for the rest of the program, which talks to clusters through `controlplane.adapters`.
"""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import yaml

from controlplane.sandbox.errors import ApiRefused

Object = dict[str, Any]
"""One Kubernetes object, as JSON has it."""

APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
FIELD_MANAGER = "controlplane-sandbox"

UNREACHABLE = (OSError, HTTPException)
"""What a request raises while nobody, or somebody still starting, is at the other end."""

_TIMEOUT_S = 30.0
_OK = 200
_FIRST_ERROR = 400
_NOT_FOUND = 404


class ApiServer:
    """One API server and who we are to it."""

    def __init__(self, server: str, authority: str, token: str) -> None:
        self.server = server
        self._token = token
        self._tls = ssl.create_default_context(cadata=authority)

    def get(self, path: str) -> Object:
        """One object or list; raises `ApiRefused`, or one of `UNREACHABLE`."""
        return self.request("GET", path)

    def exists(self, path: str) -> bool:
        """Whether there is an object at this path."""
        return self.find(path) is not None

    def find(self, path: str) -> Object | None:
        """The object at this path, or None."""
        try:
            return self.get(path)
        except ApiRefused as refused:
            if refused.status != _NOT_FOUND:
                raise
            return None

    def create(self, path: str, body: Object) -> Object:
        """POST an object to its collection."""
        return self.request("POST", path, json.dumps(body), "application/json")

    def apply(self, path: str, body: Object | str) -> Object:
        """Server-side apply as `FIELD_MANAGER`, taking over what others own; `body` may be YAML text."""
        text = body if isinstance(body, str) else json.dumps(body)
        return self.request("PATCH", f"{path}?fieldManager={FIELD_MANAGER}&force=true", text, APPLY)

    def merge(self, path: str, body: Object) -> Object:
        """JSON merge patch: a null removes."""
        return self.request("PATCH", f"{path}?fieldManager={FIELD_MANAGER}", json.dumps(body), MERGE)

    def delete(self, path: str, options: Mapping[str, object] | None = None) -> bool:
        """Delete an object; False when there was none."""
        try:
            self.request("DELETE", path, json.dumps(options or {}), "application/json")
        except ApiRefused as refused:
            if refused.status != _NOT_FOUND:
                raise
            return False
        return True

    def ready(self) -> bool:
        """Whether the server answers and calls itself ready."""
        try:
            status, _ = self._exchange("GET", "/readyz", None, {})
        except UNREACHABLE:
            return False
        return status == _OK

    def request(self, method: str, path: str, body: str | None = None, content_type: str = "") -> Object:
        """One request; raises `ApiRefused` with the server's own message, or one of `UNREACHABLE`."""
        status, answer = self._exchange(method, path, body, {"Content-Type": content_type} if body else {})
        if status >= _FIRST_ERROR:
            raise ApiRefused(status, f"{method} {path}: {status} {_message(answer)}")
        return cast("Object", json.loads(answer))

    def _exchange(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> tuple[int, bytes]:
        address = urlsplit(self.server)
        # A connection a request: there are few, and proxies of the environment do not apply to it.
        connection = HTTPSConnection(str(address.hostname), address.port, timeout=_TIMEOUT_S, context=self._tls)
        try:
            headers = {"Authorization": f"Bearer {self._token}", **headers}
            connection.request(method, path, body.encode() if body else None, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


def api_of(kubeconfig: Path) -> ApiServer:
    """The API server of a kubeconfig written by `certificates.kubeconfig`."""
    config = yaml.safe_load(kubeconfig.read_text())
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    return ApiServer(cluster["server"], authority, user["token"])


def answers(port: int, path: str) -> bool:
    """Whether a plain HTTP health endpoint on this machine says yes."""
    connection = HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == _OK
    except UNREACHABLE:
        return False
    finally:
        connection.close()


def _message(answer: bytes) -> str:
    text = answer.decode(errors="replace")
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return text[:500]
