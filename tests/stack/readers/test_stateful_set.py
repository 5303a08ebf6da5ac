from __future__ import annotations

from controlplane.source import parse_quantity
from controlplane.stack.facts import Known, value_of
from controlplane.stack.pods import OtherVolume
from controlplane.stack.references import VolumeClaim
from tests.stack.manifests import at, read_text

STATEFUL_SET = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: chat, namespace: llm}
spec:
  serviceName: chat-pods
  replicas: 3
  updateStrategy: {type: OnDelete}
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
      - name: main
        image: vllm/vllm-openai:v0.33.0
        args: [m]
        volumeMounts: [{name: cache, mountPath: /cache}]
  volumeClaimTemplates:
  - metadata: {name: cache}
    spec:
      accessModes: [ReadWriteOnce]
      storageClassName: fast
      resources: {requests: {storage: 100Gi}}
"""


def test_its_pods_engines_and_service_are_read() -> None:
    (workload,) = read_text(STATEFUL_SET).stack.workloads
    assert (value_of(workload.service_name), workload.claim_templates) == ("chat-pods", ("cache",))
    assert value_of(workload.pod_sets[0].count.desired) == 3
    assert value_of(workload.strategy.type) == "OnDelete"
    assert workload.selector == {"app": "chat"}
    assert [engine.pod_set for engine in workload.engines] == ["chat"]


def test_a_claim_template_is_a_volume_and_a_claim_of_the_set_s_own() -> None:
    stack = read_text(STATEFUL_SET).stack
    (volume,) = stack.workloads[0].pod_sets[0].volumes
    assert (volume.name, value_of(volume.source)) == ("cache", OtherVolume("volumeClaimTemplate"))
    (claim,) = stack.references
    assert isinstance(claim, VolumeClaim)
    assert (claim.ref.name, claim.ref.namespace, claim.owner) == ("cache", "llm", "chat")
    assert claim.access_modes == Known(("ReadWriteOnce",), None)  # type: ignore[arg-type]  # not compared
    assert value_of(claim.size) == parse_quantity("100Gi")
    assert at(STATEFUL_SET, claim.origin) == "cache"
