"""ClusterQueue, LocalQueue and ResourceFlavor kueue.x-k8s.io/v1beta1 and v1beta2."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.stack.manifest_fields import Field
from controlplane.stack.readers import metadata
from controlplane.stack.references import ClusterQueue, FlavorQuota, LocalQueue, ResourceFlavor


def read_cluster_queue(manifest: Field) -> ClusterQueue:
    """A ClusterQueue with the quota of every resource in every flavor. v1beta2 calls the cohort cohortName."""
    spec = manifest["spec"]
    return ClusterQueue(
        ref=metadata.reference(manifest),
        quotas=tuple(_quotas(spec)),
        cohort=spec["cohortName"].text() if spec["cohortName"].is_set else spec["cohort"].text(),
        origin=metadata.name_origin(manifest),
    )


def read_local_queue(manifest: Field) -> LocalQueue:
    """A LocalQueue and the ClusterQueue it feeds."""
    queue = manifest.at("spec", "clusterQueue").text()
    return LocalQueue(metadata.reference(manifest), queue, metadata.name_origin(manifest))


def read_flavor(manifest: Field) -> ResourceFlavor:
    """A ResourceFlavor and the labels of its nodes."""
    labels = manifest.at("spec", "nodeLabels").text_map()
    return ResourceFlavor(metadata.reference(manifest), labels, metadata.name_origin(manifest))


def _quotas(spec: Field) -> Iterator[FlavorQuota]:
    for group in spec["resourceGroups"].items():
        for flavor in group["flavors"].items():
            name = flavor["name"].plain_text()
            for resource in flavor["resources"].items():
                yield FlavorQuota(
                    flavor=name,
                    resource=resource["name"].plain_text(),
                    nominal=resource["nominalQuota"].quantity(),
                    borrowing_limit=resource["borrowingLimit"].quantity(),
                    origin=resource.origin,
                )
