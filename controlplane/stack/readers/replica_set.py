"""ReplicaSet apps/v1 and ReplicationController v1: replicas of one template, replaced by nobody."""

from __future__ import annotations

from dataclasses import replace

from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Workload
from controlplane.stack.readers import metadata, pod_template, workload


def read(manifest: Field) -> Workload:
    """The workload of a ReplicaSet, with one pod set that has its name."""
    spec = manifest["spec"]
    name = metadata.reference(manifest).name
    version = workload.declared_version(manifest)
    template = pod_template.read(spec["template"], name, workload.count(spec["replicas"]), version)
    return workload.read(manifest, [template])


def read_controller(manifest: Field) -> Workload:
    """The workload of a ReplicationController, whose selector is a plain map of labels."""
    return replace(read(manifest), selector=manifest.at("spec", "selector").text_map())
