"""One Kubernetes cluster as the rest of the program uses it: observe, apply, read, ask pods. Thread-safe."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from controlplane.adapters.errors import NotFound
from controlplane.adapters.kubernetes import apply as writing
from controlplane.adapters.kubernetes import connection, engines, observe, proxy, reading, related
from controlplane.adapters.kubernetes.discovery import Discovery
from controlplane.adapters.kubernetes.requests import Requests
from controlplane.emit.bundle import Manifest
from controlplane.plan.changes import Observed
from controlplane.plan.engine_health import EngineAnswer
from controlplane.plan.health import Related
from controlplane.stack.references import ObjectRef

_IDENTITY = ObjectRef("v1", "Namespace", "", "kube-system")


class Cluster:
    """Every method raises `AdapterError` when the cluster refuses or does not answer."""

    def __init__(self, requests: Requests) -> None:
        self.requests = requests
        self.discovery = Discovery(requests)
        self._uid = ""
        self._lock = threading.Lock()

    @classmethod
    def connect(cls, kubeconfig: Path | None = None, context: str | None = None) -> Cluster:
        """The cluster of a kubeconfig context; without both, what kubectl would talk to, or the cluster around us.

        Sends nothing yet. Raises `Misconfigured`.
        """
        return cls(Requests(connection.connect(kubeconfig, context)))

    @property
    def context(self) -> str:
        """The name of the kubeconfig context, or `in-cluster`."""
        return self.requests.connection.context

    @property
    def server(self) -> str:
        """The API server's address."""
        return self.requests.connection.server

    def close(self) -> None:
        """Close the connections."""
        self.requests.connection.close()

    def observe(self, manifests: Sequence[Manifest]) -> tuple[Observed, ...]:
        """What is live and what an apply would make of it, for each manifest; writes nothing."""
        return observe.observe(self.requests, self.discovery, manifests)

    def apply(
        self,
        manifest: Manifest,
        *,
        force: bool = False,
        resource_version: str | None = None,
        uid: str | None = None,
    ) -> Manifest:
        """Server-side apply as our field manager; returns the object as it is afterwards. See `apply.apply`."""
        return writing.apply(
            self.requests, self.discovery, manifest, force=force, resource_version=resource_version, uid=uid
        )

    def create(self, manifest: Manifest) -> Manifest:
        """Create an object that must not exist yet; raises `answers.AlreadyExists`."""
        return writing.create(self.requests, self.discovery, manifest)

    def get(self, ref: ObjectRef) -> Manifest | None:
        """The live object, None when there is none. Raises `NotFound` when the kind is not served."""
        return reading.get(self.requests, self.discovery, ref)

    def list(
        self, api_version: str, kind: str, namespace: str | None = None, label_selector: str | None = None
    ) -> tuple[Manifest, ...]:
        """All objects of a kind, in one namespace or everywhere, in order of namespace and name."""
        resource = self.discovery.resource(api_version, kind)
        return tuple(reading.listed(self.requests, resource, namespace or "", label_selector=label_selector))

    def list_metadata(
        self, api_version: str, kind: str, namespace: str | None = None, label_selector: str | None = None
    ) -> tuple[Manifest, ...]:
        """As `list`, with nothing of each object but its metadata."""
        resource = self.discovery.resource(api_version, kind)
        found = reading.listed(
            self.requests, resource, namespace or "", label_selector=label_selector, metadata_only=True
        )
        return tuple(found)

    def delete(self, ref: ObjectRef, uid: str | None, *, resource_version: str | None = None) -> bool:
        """Delete exactly the object with this uid; False when it was gone already. Raises `Stale`."""
        return writing.delete(self.requests, self.discovery, ref, uid=uid, resource_version=resource_version)

    def patch_labels(
        self,
        ref: ObjectRef,
        labels: Mapping[str, str | None],
        annotations: Mapping[str, str | None] | None = None,
    ) -> Manifest:
        """Set or (None) remove labels and annotations, and nothing else."""
        return writing.patch_metadata(self.requests, self.discovery, ref, labels=labels, annotations=annotations)

    def events(self, namespace: str, involved: ObjectRef, uid: str | None = None) -> tuple[Manifest, ...]:
        """The Events about an object, oldest first; with `uid` only about that very object."""
        fields = {"involvedObject.kind": involved.kind, "involvedObject.name": involved.name}
        if uid is not None:
            fields["involvedObject.uid"] = uid
        found = reading.listed(
            self.requests,
            self.discovery.resource("v1", "Event"),
            namespace,
            field_selector=",".join(f"{key}={value}" for key, value in fields.items()),
        )
        return tuple(sorted(found, key=_event_time))

    def pods_of(self, workload: Manifest) -> tuple[Manifest, ...]:
        """The pods that a live workload controls."""
        return related.pods_of(self.requests, self.discovery, workload)

    def related(self, workload: Manifest) -> Related:
        """The ReplicaSets, pods and nodes of a live workload, for `plan.health.assess`."""
        return related.related(self.requests, self.discovery, workload)

    def ask_engines(self, around: Related) -> tuple[EngineAnswer, ...]:
        """What the engine of each ready pod says, for `plan.engine_health.assess_engines`."""
        return engines.ask_engines(self.requests, around.pods, around.nodes)

    def proxy_get(self, namespace: str, pod: str, port: int, path: str) -> proxy.PodAnswer:
        """GET from a pod through the API server; raises `Unreachable` when that does not reach the pod."""
        return proxy.proxy_get(self.requests, namespace, pod, port, path)

    def uid(self) -> str:
        """The identity of the cluster: the uid of kube-system, which lives as long as the cluster."""
        with self._lock:
            if not self._uid:
                namespace = self.get(_IDENTITY)
                if namespace is None:
                    raise NotFound("the cluster has no namespace kube-system, so it cannot be told from others")
                self._uid = namespace["metadata"]["uid"]
            return self._uid

    def version(self) -> str:
        """The API server's version, for instance `v1.36.3`."""
        return str(self.requests.read("/version", "asking for the version").value()["gitVersion"])


def _event_time(event: Manifest) -> tuple[str, str]:
    """Events of the old and the new form keep their times in different fields."""
    moment = event.get("lastTimestamp") or event.get("eventTime") or event["metadata"].get("creationTimestamp") or ""
    return (moment, event["metadata"]["name"])
