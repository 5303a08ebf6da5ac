"""A RayJob that keeps its cluster has an option that would delete it."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import is_patch
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import ABSENT, Fact, Known, value_of
from controlplane.stack.model import Stack, Workload


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        job = workload.job
        if job is None or not _keeps_cluster(job.shutdown_after_job_finishes):
            continue
        if job.cluster_selector or not is_patch(workload):
            yield from _refused(workload)


def _keeps_cluster(shutdown: Fact[bool]) -> bool:
    return shutdown == ABSENT or value_of(shutdown) is False


def _refused(workload: Workload) -> Iterator[Finding]:
    ttl = workload.job.ttl_seconds_after_finished if workload.job else ABSENT
    if isinstance(ttl, Known) and ttl.value > 0:
        yield Finding(
            f"ttlSecondsAfterFinished is {ttl.value} and shutdownAfterJobFinishes is not true; "
            "KubeRay refuses the job",
            at=ttl,
        )
    suspend = workload.ray.suspend if workload.ray else ABSENT
    if isinstance(suspend, Known) and suspend.value:
        yield Finding(
            "the job is suspended and shutdownAfterJobFinishes is not true; KubeRay refuses the job",
            at=suspend,
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="A time to live says when the cluster goes, and a suspended job has none; both contradict a job that "
    "keeps its cluster, which is the default. The operator refuses the job, and the only trace is a Warning event "
    "InvalidRayJobSpec.",
    remedy="Set shutdownAfterJobFinishes to true.",
    sources=(
        "KubeRay 1.6.2, controllers/ray/utils/validation.go: ValidateRayJobSpec, validateDeletionConfiguration",
    ),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayJob
        metadata: {name: train}
        spec:
          entrypoint: python train.py
          ttlSecondsAfterFinished: 600  # fires
          rayClusterSpec:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 4, memory: 16Gi}}
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayJob
        metadata: {name: train}
        spec:
          entrypoint: python train.py
          shutdownAfterJobFinishes: true
          ttlSecondsAfterFinished: 600
          rayClusterSpec:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 4, memory: 16Gi}}
        """,
    ),
    check=check,
)
