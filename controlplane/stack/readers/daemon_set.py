"""DaemonSet apps/v1: a pod on every node that takes it."""

from __future__ import annotations

from dataclasses import replace

from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Workload
from controlplane.stack.readers import metadata, pod_template, workload


def read(manifest: Field) -> Workload:
    """The workload of a DaemonSet, with one pod set that has its name."""
    spec = manifest["spec"]
    name = metadata.reference(manifest).name
    count = workload.uncounted("the nodes that take a pod of the DaemonSet")
    template = pod_template.read(spec["template"], name, count, workload.declared_version(manifest))
    return replace(workload.read(manifest, [template]), strategy=workload.strategy(spec["updateStrategy"]))
