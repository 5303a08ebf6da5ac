"""StatefulSet apps/v1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from controlplane.stack.facts import Known
from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Workload
from controlplane.stack.pods import OtherVolume, Volume
from controlplane.stack.readers import metadata, pod_template, volume_claim, workload
from controlplane.stack.references import VolumeClaim


def read(manifest: Field) -> Workload:
    """The workload of a StatefulSet, with one pod set that has its name.

    A claim template is a volume of every pod by its name: each pod has a claim of its own.
    """
    spec = manifest["spec"]
    name = metadata.reference(manifest).name
    version = workload.declared_version(manifest)
    template = pod_template.read(spec["template"], name, workload.count(spec["replicas"]), version)
    names = [item.at("metadata", "name") for item in spec["volumeClaimTemplates"].items()]
    own = [
        Volume(item.plain_text(), Known(OtherVolume("volumeClaimTemplate"), item.origin), item.origin)
        for item in names
    ]
    pods = replace(template.pods, volumes=(*template.pods.volumes, *own))
    return replace(
        workload.read(manifest, [replace(template, pods=pods)]),
        strategy=workload.strategy(spec["updateStrategy"]),
        service_name=spec["serviceName"].text(),
        claim_templates=tuple(item.plain_text() for item in names),
    )


def claims(manifest: Field) -> Iterator[VolumeClaim]:
    """The claims that its templates make: one for each pod, so that none of them is shared."""
    ref = metadata.reference(manifest)
    for item in manifest.at("spec", "volumeClaimTemplates").items():
        yield volume_claim.of_template(item, ref)
