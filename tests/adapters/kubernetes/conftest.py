"""A fake API server for what a real one does not answer on demand: overload, garbage, dropped connections."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from controlplane.adapters.kubernetes import Cluster
from controlplane.sandbox.lifecycle import Sandbox


@dataclass
class FakeApiServer:
    """Gives its replies in order, the last one again and again, and remembers the requests.

    A reply is status, headers, body; status 0 drops the connection without an answer.
    """

    address: str = ""
    replies: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    requests: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)

    def will_answer(self, status: int, value: Any = None, **headers: str) -> None:
        """Add a reply; `value` is sent as JSON, `retry_after="1"` as the header Retry-After."""
        body = value if isinstance(value, bytes) else json.dumps(value or {}).encode()
        self.replies.append((status, {name.replace("_", "-"): text for name, text in headers.items()}, body))

    def next(self) -> tuple[int, dict[str, str], bytes]:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@pytest.fixture
def fake_api_server() -> Iterator[FakeApiServer]:
    fake = FakeApiServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            fake.requests.append((self.command, self.path, dict(self.headers), body))
            status, headers, content = fake.next()
            if status == 0:
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_PATCH = do_POST = do_DELETE = answer  # noqa: N815 - the names http.server calls

        def log_message(self, *arguments: Any) -> None:
            """Nothing: it would be written to stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield fake
    server.shutdown()
    thread.join()
    server.server_close()


WriteKubeconfig = Callable[..., Path]


@pytest.fixture
def kubeconfig_for(tmp_path: Path) -> WriteKubeconfig:
    """A function that writes a kubeconfig with one context `here`: `kubeconfig_for(server, user={...})`."""

    def write(server: str, *, user: str = "{}", cluster: str = "", name: str = "kubeconfig") -> Path:
        path = tmp_path / name
        path.write_text(
            "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
            f"clusters: [{{name: c, cluster: {{server: '{server}'{cluster}}}}}]\n"
            f"users: [{{name: u, user: {user}}}]\n"
            "contexts: [{name: here, context: {cluster: c, user: u}}, {name: there, context: {cluster: c}}]\n"
        )
        return path

    return write


@pytest.fixture
def cluster(sandbox: Sandbox) -> Iterator[Cluster]:
    """The sandbox through our own client."""
    connected = Cluster.connect(sandbox.kubeconfig, sandbox.context)
    yield connected
    connected.close()
