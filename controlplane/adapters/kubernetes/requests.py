"""Raw JSON requests to the API server: one place for timeouts, retries and headers.

No typed models: a field that this program does not know must survive. Reads and dry runs are tried again for a
moment; a write is only tried again when its connection was refused, that is before anything was sent.
"""

from __future__ import annotations

import json
import re
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from controlplane.adapters.errors import Misconfigured, Unreachable
from controlplane.adapters.kubernetes.answers import Answer, retry_after
from controlplane.adapters.kubernetes.connection import Connection

CONNECT_SECONDS = 5.0
READ_SECONDS = 30.0

_PAUSES_SECONDS = (0.1, 0.4)
"""Before the second and the third try."""
_LONGEST_WAIT_SECONDS = 2.0
_AGAIN = frozenset({429, 502, 503, 504})
# go-yaml, which reads apply patches, refuses these unless escaped (they are legal in JSON); it also refuses the
# surrogate pairs of JSON's \u escapes, so that everything else goes out as UTF-8.
_NOT_PRINTABLE_IN_YAML = re.compile("[\x7f-\x9f\ufeff\ufffe\uffff]")

Query = Mapping[str, str]


class Requests:
    """Sends requests over one connection. Safe to use from several threads."""

    def __init__(self, connection: Connection, *, pause: Callable[[float], None] = time.sleep) -> None:
        self.connection = connection
        self._pause = pause

    def read(
        self, path: str, asked: str, *, query: Query | None = None, secret: bool = False, accept: str = ""
    ) -> Answer:
        """GET, tried again for a moment when the server is overloaded or does not answer."""
        return self._patiently("GET", path, asked, query, secret=secret, accept=accept)

    def ask_once(self, path: str, asked: str) -> Answer:
        """GET without a second try, for what is asked again anyway: a pod behind the proxy."""
        return self._once("GET", path, asked, None, None, "", secret=False)

    def dry_run(self, path: str, asked: str, *, query: Query, body: Any, secret: bool = False) -> Answer:
        """A server-side apply that writes nothing, so it may be tried again like a read."""
        return self._patiently("PATCH", path, asked, query, body, APPLY, secret=secret)

    def write(
        self,
        method: str,
        path: str,
        asked: str,
        *,
        query: Query | None = None,
        body: Any = None,
        content_type: str = "application/json",
        secret: bool = False,
    ) -> Answer:
        """One write. Raises `Unreachable` when no answer came, in which case it may or may not have happened."""
        from urllib3.exceptions import NewConnectionError

        for pause in _PAUSES_SECONDS:
            try:
                return self._once(method, path, asked, query, body, content_type, secret=secret)
            except Unreachable as error:
                if not isinstance(error.__cause__, NewConnectionError):
                    raise
                self._pause(pause)
        return self._once(method, path, asked, query, body, content_type, secret=secret)

    def _patiently(
        self,
        method: str,
        path: str,
        asked: str,
        query: Query | None,
        body: Any = None,
        content_type: str = "application/json",
        *,
        secret: bool,
        accept: str = "",
    ) -> Answer:
        for pause in _PAUSES_SECONDS:
            try:
                answer = self._once(method, path, asked, query, body, content_type, secret=secret, accept=accept)
            except Unreachable:
                self._pause(pause)
                continue
            if answer.status not in _AGAIN:
                return answer
            told = retry_after(answer)
            self._pause(min(told if told is not None else pause, _LONGEST_WAIT_SECONDS))
        return self._once(method, path, asked, query, body, content_type, secret=secret, accept=accept)

    def _once(
        self,
        method: str,
        path: str,
        asked: str,
        query: Query | None,
        body: Any,
        content_type: str,
        *,
        secret: bool,
        accept: str = "",
    ) -> Answer:
        import urllib3

        url = self.connection.server + path + (f"?{urlencode(query)}" if query else "")
        headers = self.connection.headers()
        data = None if body is None else encode(body)
        if data is not None:
            headers["Content-Type"] = content_type
        elif method == "GET":
            headers["Accept-Encoding"] = "gzip"
        if accept:
            headers["Accept"] = accept
        timeout = urllib3.Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS)
        try:
            response = self.connection.pool.request(
                method, url, headers=headers, body=data, timeout=timeout, retries=False, redirect=False
            )
        except urllib3.exceptions.HTTPError as error:
            raise self._no_answer(asked, error) from error
        lowered = {key.lower(): value for key, value in response.headers.items()}
        return Answer(asked, response.status, response.data, lowered, secret)

    def _no_answer(self, asked: str, error: Exception) -> Unreachable | Misconfigured:
        server = f"{self.connection.server} (context {self.connection.context!r})"
        distrust = _certificate_error(error)
        if distrust is not None:
            return Misconfigured(
                f"{asked}: the certificate of {server} is not trusted: {distrust.verify_message}",
                remedy="Give its authority in the kubeconfig (certificate-authority), and check the server's name.",
            )
        detail = str(error).rpartition(": ")[2]
        return Unreachable(
            f"{asked}: {server} does not answer: {type(error).__name__}: {detail}",
            remedy="Check that the cluster runs and that this machine reaches it (VPN, proxy, --context).",
        )


def _certificate_error(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    while error is not None:
        for each in (error, *error.args):
            if isinstance(each, ssl.SSLCertVerificationError):
                return each
        error = error.__cause__ or error.__context__
    return None


APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"


def encode(body: Any) -> bytes:
    """JSON that is also YAML for the API server's reader of apply patches."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _NOT_PRINTABLE_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def joined(*segments: str) -> str:
    """A path of segments, each quoted; empty ones are left out."""
    return "/" + "/".join(quote(segment, safe=":") for segment in segments if segment)
