"""Cases from public threads, retold: lint points at the cause, and is silent on the repaired manifest.

Names are invented; the facts are those of the thread that each case names.
"""

from __future__ import annotations

from controlplane.diagnostics import Diagnostic
from controlplane.rules import judge
from controlplane.source import Dialect, read_yaml
from controlplane.stack.read import read
from tests.rules.judging import FILE, findings_of

_NODES = """
apiVersion: v1
kind: Node
metadata: {{name: {name}}}
status: {{allocatable: {{cpu: 16, memory: 128Gi, nvidia.com/gpu: 8, pods: 110}}}}
---
"""


def findings(text: str, family: str = "ray/") -> list[Diagnostic]:
    return [finding for finding in findings_of(text) if finding.rule.startswith(family)]


def rules(text: str) -> list[str]:
    return [finding.rule for finding in findings(text)]


def actor_service(cpus: int) -> str:
    """ray-project/kuberay#1090: one head and two workers of 2 CPUs, one deployment."""
    return f"""
apiVersion: ray.io/v1
kind: RayService
metadata: {{name: translate}}
spec:
  serveConfigV2: |
    applications:
      - name: text
        import_path: text:app
        route_prefix: /
        deployments:
          - name: Translator
            num_replicas: 1
            ray_actor_options:
              num_cpus: {cpus}
  rayClusterConfig:
    rayVersion: 2.60.0
    headGroupSpec:
      template:
        spec:
          containers:
            - name: ray-head
              image: rayproject/ray:2.60.0
              resources: {{limits: {{cpu: 2, memory: 4Gi}}}}
    workerGroupSpecs:
      - groupName: small
        replicas: 2
        minReplicas: 2
        maxReplicas: 2
        template:
          spec:
            containers:
              - name: ray-worker
                image: rayproject/ray:2.60.0
                resources: {{limits: {{cpu: 2, memory: 4Gi}}}}
"""


def test_sum_of_cpus_is_enough_and_no_node_is() -> None:
    text = actor_service(3)
    (finding,) = findings(text)
    assert finding.rule == "ray/actor-larger-than-any-node"
    assert text.lstrip("\n").splitlines()[finding.span.line - 1].strip() == "num_cpus: 3"
    assert "3 CPU" in finding.message
    assert "2 CPU" in finding.message


def test_actor_that_fits_a_node_is_fine() -> None:
    assert rules(actor_service(2)) == []


def gpu_service(upgrade: str) -> str:
    """ray-project/kuberay#4239: three nodes, three workers, each of which fills one."""
    return (
        "".join(_NODES.format(name=f"gpu-{index}") for index in range(3))
        + f"""
apiVersion: ray.io/v1
kind: RayService
metadata:
  name: rc
spec:
{upgrade}
  rayClusterConfig:
    rayVersion: 2.60.0
    headGroupSpec:
      template:
        spec:
          containers:
            - name: ray-head
              image: rayproject/ray:2.60.0
              resources: {{limits: {{cpu: 2, memory: 8Gi}}}}
    workerGroupSpecs:
      - groupName: gpu
        replicas: 3
        minReplicas: 3
        maxReplicas: 3
        template:
          spec:
            containers:
              - name: ray-worker
                image: rayproject/ray:2.60.0
                resources: {{limits: {{cpu: 8, memory: 64Gi, nvidia.com/gpu: 8}}}}
"""
    )


def test_upgrade_needs_a_second_cluster_and_all_nodes_are_taken() -> None:
    (finding,) = findings(gpu_service("  upgradeStrategy:\n    type: NewCluster"))
    assert finding.rule == "ray/upgrade-needs-second-cluster"
    assert finding.path[-2:] == ("upgradeStrategy", "type")
    assert "3 pods of group gpu" in finding.message
    assert "the 6 of two clusters" in finding.message


def test_upgrade_by_default_is_a_second_cluster_too() -> None:
    (finding,) = findings(gpu_service("  suspend: false"))
    assert finding.path == ("metadata", "name")


def test_upgrade_in_a_window_needs_no_second_cluster() -> None:
    assert rules(gpu_service("  upgradeStrategy: {type: None}")) == []


def test_nodes_to_spare_hold_the_second_cluster() -> None:
    spare = "".join(_NODES.format(name=f"spare-{index}") for index in range(3))
    assert rules(spare + gpu_service("  upgradeStrategy: {type: NewCluster}")) == []


def autoscaled_cluster(replicas: str, annotation: str = "argocd.argoproj.io/sync-wave") -> str:
    """ray-project/kuberay#1120: Git says 0 replicas, the autoscaler 2."""
    return f"""
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: batch
  annotations: {{{annotation}: "1"}}
spec:
  rayVersion: 2.60.0
  enableInTreeAutoscaling: true
  headGroupSpec:
    template:
      spec:
        containers:
          - name: ray-head
            image: rayproject/ray:2.60.0
            resources: {{limits: {{cpu: 2, memory: 8Gi}}}}
  workerGroupSpecs:
    - groupName: workers
{replicas}
      minReplicas: 0
      maxReplicas: 2
      template:
        spec:
          containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
              resources: {{limits: {{cpu: 2, memory: 8Gi}}}}
"""


def test_git_and_the_autoscaler_both_write_replicas() -> None:
    (finding,) = findings(autoscaled_cluster("      replicas: 0"))
    assert finding.rule == "ray/replicas-owned-by-autoscaler"
    assert finding.path[-1] == "replicas"


def test_replicas_left_out_are_the_autoscalers_alone() -> None:
    assert rules(autoscaled_cluster("      numOfHosts: 1")) == []


def test_replicas_in_a_cluster_that_no_gitops_tool_keeps_are_where_it_begins() -> None:
    assert rules(autoscaled_cluster("      replicas: 0", annotation="example.org/team")) == []


def head_only_service(proxies: str) -> str:
    """ray-project/kuberay#2552: proxies on the head alone, so that a worker without a replica is not ready."""
    return f"""
apiVersion: ray.io/v1
kind: RayService
metadata: {{name: search}}
spec:
  serveConfigV2: |
    proxy_location: {proxies}
    applications:
      - name: search
        import_path: search:app
        route_prefix: /
        deployments:
          - name: Ranker
            num_replicas: 1
            ray_actor_options: {{num_cpus: 1}}
  rayClusterConfig:
    rayVersion: 2.54.0
    headGroupSpec:
      rayStartParams: {{num-cpus: "0"}}
      template:
        spec:
          containers:
            - name: ray-head
              image: rayproject/ray:2.54.0
              resources: {{limits: {{cpu: 2, memory: 8Gi}}}}
    workerGroupSpecs:
      - groupName: workers
        replicas: 60
        minReplicas: 60
        maxReplicas: 60
        template:
          spec:
            containers:
              - name: ray-worker
                image: rayproject/ray:2.54.0
                resources: {{limits: {{cpu: 2, memory: 8Gi}}}}
"""


def test_workers_without_a_replica_are_not_blamed() -> None:
    assert findings(head_only_service("HeadOnly"), family="") == []
    assert findings(head_only_service("EveryNode"), family="") == []


def test_entrypoint_that_asks_for_gpus_no_node_has_waits_for_ever() -> None:
    """ray-project/kuberay#1090 once more, for the driver of a job."""
    text = """
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: train}
spec:
  entrypoint: python train.py
  entrypointNumGpus: 2
  rayClusterSpec:
    rayVersion: 2.60.0
    headGroupSpec:
      template:
        spec:
          containers:
            - name: ray-head
              image: rayproject/ray:2.60.0
              resources: {limits: {cpu: 2, memory: 8Gi, nvidia.com/gpu: 1}}
"""
    (finding,) = findings(text)
    assert finding.rule == "ray/actor-larger-than-any-node"
    assert finding.path == ("spec", "entrypointNumGpus")
    assert rules(text.replace("entrypointNumGpus: 2", "entrypointNumGpus: 1")) == []


def test_upgrade_of_unknown_machines_says_what_would_tell() -> None:
    service = gpu_service("  upgradeStrategy: {type: NewCluster}").rpartition("---\n")[2]
    documents = read_yaml(service.encode(), FILE, Dialect.KUBERNETES).documents
    abstained = judge(read(documents).stack).abstained
    assert [(each.rule, each.needs) for each in abstained if each.rule.startswith("ray/")] == [
        ("ray/upgrade-needs-second-cluster", "the Nodes, or a Fleet")
    ]
