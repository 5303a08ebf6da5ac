"""Pod v1, by itself."""

from __future__ import annotations

from dataclasses import replace

from controlplane.stack.facts import derived
from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Workload
from controlplane.stack.pods import Count
from controlplane.stack.readers import metadata, pod_template, workload


def read(manifest: Field) -> Workload:
    """The workload of a pod that nothing replaces: one pod set of one, with the pod's name."""
    one = derived(1, "a pod by itself")
    template = pod_template.read(manifest, metadata.reference(manifest).name, Count(one, one, one))
    return replace(workload.read(manifest, [template]), selector={})
