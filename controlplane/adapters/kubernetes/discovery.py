"""Which resource serves a kind: its plural name and whether it lives in namespaces, asked of the API server once."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.adapters.errors import NotFound
from controlplane.adapters.kubernetes.requests import Requests, joined
from controlplane.stack.references import ObjectRef


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind as the API server serves it. `plural` is the name in addresses."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool

    def collection(self, namespace: str) -> str:
        """The path of the objects of this kind: in one namespace, or in all when `namespace` is empty."""
        spaced = ("namespaces", namespace) if self.namespaced and namespace else ()
        return joined(*_root(self.api_version), *spaced, self.plural)

    def path(self, namespace: str, name: str) -> str:
        """The path of one object."""
        return self.collection(namespace) + joined(name)


class Discovery:
    """Remembers what the API server serves; asks again once before it calls a kind unknown. Thread-safe."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self._served: dict[str, Mapping[str, Resource]] = {}
        self._lock = threading.Lock()

    def resource(self, api_version: str, kind: str) -> Resource:
        """The resource of a kind. Raises `NotFound` when the cluster does not serve it."""
        with self._lock:
            known = self._served.get(api_version, {}).get(kind)
            if known is None:
                # Not remembered, or its definition was installed since.
                self._served[api_version] = self._ask(api_version)
                known = self._served[api_version].get(kind)
            if known is None:
                raise self._unknown(api_version, kind)
            return known

    def path(self, ref: ObjectRef) -> str:
        """The path of one object. Raises `NotFound` when the cluster does not serve its kind."""
        return self.resource(ref.api_version, ref.kind).path(ref.namespace, ref.name)

    def _ask(self, api_version: str) -> Mapping[str, Resource]:
        answer = self._requests.read(joined(*_root(api_version)), f"discovery of {api_version}")
        if answer.status == 404:
            return {}
        return {
            each["kind"]: Resource(api_version, each["kind"], each["name"], bool(each["namespaced"]))
            for each in answer.value().get("resources", ())
            if "/" not in each["name"]
        }

    def _unknown(self, api_version: str, kind: str) -> NotFound:
        served = self._served[api_version]
        near = difflib.get_close_matches(kind, served, n=1)
        if near:
            remedy = f"Did you mean {near[0]}?"
        elif "." in api_version and not api_version.partition("/")[0].endswith(".k8s.io"):
            remedy = (
                f"Install the operator and the CustomResourceDefinition of {kind} first, or choose another context."
            )
        else:
            remedy = "Check apiVersion and kind, and that the cluster is new enough to serve them."
        return NotFound(f"the cluster does not serve {kind} in {api_version}", remedy=remedy)


def _root(api_version: str) -> tuple[str, ...]:
    group, _, version = api_version.rpartition("/")
    return ("apis", group, version) if group else ("api", version)
