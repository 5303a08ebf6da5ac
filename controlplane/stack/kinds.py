"""Which kinds of manifests are read, and by whom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Workload
from controlplane.stack.readers import (
    autoscaler,
    config_map,
    daemon_set,
    deployment,
    inference_service,
    job,
    keda,
    knative_service,
    kueue,
    leader_worker_set,
    limits,
    llm_inference_service,
    namespace,
    pod,
    pod_disruption_budget,
    priority_class,
    ray_cluster,
    ray_job,
    ray_service,
    replica_set,
    service,
    stateful_set,
    volume_claim,
)
from controlplane.stack.references import Reference

Kind = tuple[str, str]
"""API group, empty for the core group, and kind."""

WORKLOADS: Final[Mapping[Kind, Callable[[Field], Workload]]] = {
    ("", "Pod"): pod.read,
    ("", "ReplicationController"): replica_set.read_controller,
    ("apps", "DaemonSet"): daemon_set.read,
    ("apps", "Deployment"): deployment.read,
    ("apps", "ReplicaSet"): replica_set.read,
    ("apps", "StatefulSet"): stateful_set.read,
    ("argoproj.io", "Rollout"): deployment.read,
    ("batch", "CronJob"): job.read_cron_job,
    ("batch", "Job"): job.read,
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): leader_worker_set.read,
    ("ray.io", "RayCluster"): ray_cluster.read,
    ("ray.io", "RayCronJob"): ray_job.read_cron_job,
    ("ray.io", "RayJob"): ray_job.read,
    ("ray.io", "RayService"): ray_service.read,
    ("serving.knative.dev", "Service"): knative_service.read,
    ("serving.kserve.io", "ClusterServingRuntime"): inference_service.read_runtime,
    ("serving.kserve.io", "InferenceService"): inference_service.read,
    ("serving.kserve.io", "LLMInferenceService"): llm_inference_service.read,
    ("serving.kserve.io", "ServingRuntime"): inference_service.read_runtime,
}
REFERENCES: Final[Mapping[Kind, Callable[[Field], Reference]]] = {
    ("", "ConfigMap"): config_map.read,
    ("", "LimitRange"): limits.read_limit_range,
    ("", "Namespace"): namespace.read,
    ("", "PersistentVolumeClaim"): volume_claim.read,
    ("", "ResourceQuota"): limits.read_quota,
    ("", "Service"): service.read,
    ("autoscaling", "HorizontalPodAutoscaler"): autoscaler.read,
    ("keda.sh", "ScaledJob"): keda.read_job,
    ("keda.sh", "ScaledObject"): keda.read,
    ("kueue.x-k8s.io", "ClusterQueue"): kueue.read_cluster_queue,
    ("kueue.x-k8s.io", "LocalQueue"): kueue.read_local_queue,
    ("kueue.x-k8s.io", "ResourceFlavor"): kueue.read_flavor,
    ("policy", "PodDisruptionBudget"): pod_disruption_budget.read,
    ("scheduling.k8s.io", "PriorityClass"): priority_class.read,
}
NODE: Final = ("", "Node")
CONFIG_MAP: Final = ("", "ConfigMap")
STATEFUL_SET: Final = ("apps", "StatefulSet")
LIST: Final = ("", "List")


def reads(group: str, kind: str) -> bool:
    """Whether a reader knows a kind. A List is read too, for what is in it."""
    known = (group, kind)
    return known in WORKLOADS or known in REFERENCES or known in (NODE, LIST)
