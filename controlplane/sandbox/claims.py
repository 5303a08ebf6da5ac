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
        _drop_released(api, claim)
        _create(api, "/api/v1/persistentvolumes", _volume(claim))
        _create(api, f"/api/v1/namespaces/{claim.namespace}/persistentvolumeclaims", _claim(claim))
    return len(wanted)


def _drop_released(api: ApiServer, claim: SimulatedClaim) -> None:
    """A volume whose claim was deleted stays bound to it for good, so a claim of that name would wait for ever."""
    path = f"/api/v1/persistentvolumes/{claim.namespace}-{claim.name}"
    live = api.find(path)
    if live is not None and live.get("status", {}).get("phase") == "Released":
        api.delete(path)


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
