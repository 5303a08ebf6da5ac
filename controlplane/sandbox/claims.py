"""Simulated storage: PersistentVolumeClaims that are bound at once, since no driver runs to provision them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

from controlplane.sandbox.api import ApiServer, Object
from controlplane.sandbox.errors import ApiRefused

SIMULATED_LABEL = "sandbox.controlplane.dev/simulated"
_SIZE = "1Ti"


@dataclass(frozen=True, slots=True, order=True)
class SimulatedClaim:
    """A claim that services expect to find in their namespace."""

    namespace: str
    name: str


def apply_claims(api: ApiServer, claims: Iterable[SimulatedClaim]) -> int:
    """Make the claims exist, with a volume that holds nothing and the namespace they stand in; returns how many.

    What exists is left as it is.
    """
    wanted = sorted(set(claims))
    for claim in wanted:
        _create(api, "/api/v1/namespaces", _namespace(claim.namespace))
        _create(api, "/api/v1/persistentvolumes", _volume(claim))
        _create(api, f"/api/v1/namespaces/{claim.namespace}/persistentvolumeclaims", _claim(claim))
    return len(wanted)


def _create(api: ApiServer, path: str, manifest: Object) -> None:
    try:
        api.create(path, manifest)
    except ApiRefused as refused:
        if refused.status != HTTPStatus.CONFLICT:
            raise


def _namespace(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _volume(claim: SimulatedClaim) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"{claim.namespace}-{claim.name}", "labels": {SIMULATED_LABEL: "true"}},
        "spec": {
            "capacity": {"storage": _SIZE},
            "accessModes": ["ReadOnlyMany", "ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
            "claimRef": {"namespace": claim.namespace, "name": claim.name},
            "hostPath": {"path": f"/simulated/{claim.namespace}/{claim.name}"},
        },
    }


def _claim(claim: SimulatedClaim) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": claim.name, "namespace": claim.namespace, "labels": {SIMULATED_LABEL: "true"}},
        "spec": {
            "accessModes": ["ReadOnlyMany", "ReadWriteMany"],
            "storageClassName": "",
            "volumeName": f"{claim.namespace}-{claim.name}",
            "resources": {"requests": {"storage": _SIZE}},
        },
    }
