"""Deployment apps/v1."""

from __future__ import annotations

from dataclasses import replace

from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Workload
from controlplane.stack.readers import metadata, pod_template, workload


def read(manifest: Field) -> Workload:
    """The workload of a Deployment, with one pod set that has its name, and the engines of its containers."""
    spec = manifest["spec"]
    name = metadata.reference(manifest).name
    version = workload.declared_version(manifest)
    template = pod_template.read(spec["template"], name, workload.count(spec["replicas"]), version)
    strategy = workload.strategy(spec["strategy"], spec["progressDeadlineSeconds"])
    return replace(workload.read(manifest, [template]), strategy=strategy)
