from __future__ import annotations

import pytest

from controlplane.source import parse_quantity
from controlplane.stack.facts import value_of
from controlplane.stack.references import ClusterQueue, LocalQueue, ResourceFlavor
from tests.stack.manifests import read_text

QUEUES = """\
apiVersion: kueue.x-k8s.io/VERSION
kind: ClusterQueue
metadata: {name: shared}
spec:
  COHORT: all
  resourceGroups:
  - coveredResources: [cpu, nvidia.com/gpu]
    flavors:
    - name: h100
      resources:
      - {name: cpu, nominalQuota: 64}
      - {name: nvidia.com/gpu, nominalQuota: 8, borrowingLimit: 4}
---
apiVersion: kueue.x-k8s.io/VERSION
kind: LocalQueue
metadata: {name: team, namespace: llm}
spec: {clusterQueue: shared}
---
apiVersion: kueue.x-k8s.io/VERSION
kind: ResourceFlavor
metadata: {name: h100}
spec: {nodeLabels: {pool: h100}}
"""


@pytest.mark.parametrize(("version", "cohort"), [("v1beta1", "cohort"), ("v1beta2", "cohortName")])
def test_queues_and_flavors_of_both_versions_are_read(version: str, cohort: str) -> None:
    cluster, local, flavor = read_text(QUEUES.replace("VERSION", version).replace("COHORT", cohort)).stack.references
    assert isinstance(cluster, ClusterQueue)
    assert isinstance(local, LocalQueue)
    assert isinstance(flavor, ResourceFlavor)
    assert [(q.flavor, q.resource, value_of(q.nominal), value_of(q.borrowing_limit)) for q in cluster.quotas] == [
        ("h100", "cpu", parse_quantity("64"), None),
        ("h100", "nvidia.com/gpu", parse_quantity("8"), parse_quantity("4")),
    ]
    assert value_of(cluster.cohort) == "all"
    assert value_of(local.cluster_queue) == "shared"
    assert flavor.node_labels == {"pool": "h100"}
