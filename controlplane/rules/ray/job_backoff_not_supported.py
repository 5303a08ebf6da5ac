"""A RayJob retries in a mode in which KubeRay cannot."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import Known, value_of
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        job = workload.job
        if job is None or not isinstance(job.backoff_limit, Known) or job.backoff_limit.value <= 0:
            continue
        if job.cluster_selector:
            why = "clusterSelector, where there is no cluster of its own to make anew"
        elif value_of(job.submission_mode) == "InteractiveMode":
            why = "submissionMode InteractiveMode, where somebody else submits the job"
        else:
            continue
        yield Finding(
            f"backoffLimit is {job.backoff_limit.value} beside {why}; KubeRay refuses the job",
            at=job.backoff_limit,
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="A retry makes a new cluster and submits the job there. Neither is the operator's to do where the job "
    "uses another object's cluster or is submitted by hand, so it refuses the job.",
    remedy="Remove backoffLimit.",
    sources=("KubeRay 1.6.2, controllers/ray/utils/validation.go: ValidateRayJobSpec",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayJob
        metadata: {name: train}
        spec:
          submissionMode: InteractiveMode
          backoffLimit: 3  # fires
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
          submissionMode: InteractiveMode
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
