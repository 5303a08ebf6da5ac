"""Service serving.knative.dev/v1: pods of one template, as many as requests in flight ask for."""

from __future__ import annotations

from dataclasses import replace

from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Workload
from controlplane.stack.readers import metadata, pod_template, workload


def read(manifest: Field) -> Workload:
    """The workload of a Knative Service, with one pod set that has its name."""
    name = metadata.reference(manifest).name
    count = workload.uncounted("what Knative's autoscaler decides")
    template = pod_template.read(manifest.at("spec", "template"), name, count, workload.declared_version(manifest))
    return replace(workload.read(manifest, [template]), selector={})
