"""Ask a pod over HTTP through the API server, so that no route from this machine to the pods is needed."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from controlplane.adapters.errors import Unreachable
from controlplane.adapters.kubernetes.answers import explanation, failure
from controlplane.adapters.kubernetes.requests import Requests, joined

_OWN_REFUSALS = frozenset({401, 403, 404})


@dataclass(frozen=True, slots=True)
class PodAnswer:
    """What a pod answered, good or not."""

    status: int
    text: str

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


def proxy_get(requests: Requests, namespace: str, pod: str, port: int, path: str) -> PodAnswer:
    """GET `path` of a pod's port. Raises `Unreachable` when the API server does not reach the pod.

    The API server's own refusals (no such pod, no permission for pods/proxy) raise as everywhere; they are Status
    objects, which tells them from an answer of the pod with the same code.
    """
    asked = f"GET {path} of pod {namespace}/{pod}:{port}"
    address = joined("api", "v1", "namespaces", namespace, "pods", f"{pod}:{port}", "proxy") + quote(
        path, safe="/?=&"
    )
    answer = requests.ask_once(address, asked)
    if answer.state():
        if answer.status in _OWN_REFUSALS:
            raise failure(answer)
        raise Unreachable(f"{asked}: {explanation(answer)}", remedy="Look at the pod's events and its readiness.")
    return PodAnswer(answer.status, answer.data.decode(errors="replace"))
