"""A RayJob in SidecarMode has what that mode does not bear."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Applicability, Edit, Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import Declared, Known, value_of
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        job = workload.job
        if job is None or value_of(job.submission_mode) != "SidecarMode":
            continue
        if job.cluster_selector:
            yield Finding(
                "submissionMode is SidecarMode and clusterSelector names another object's cluster; KubeRay refuses "
                "the job",
                at=job.submission_mode,
                remedy="Remove clusterSelector, or use another submissionMode.",
            )
        policy = workload.ray.head.restart_policy if workload.ray else None
        if isinstance(policy, Known) and policy.value not in ("", "Never"):
            yield Finding(
                f"the head's restartPolicy is {policy.value}; with submissionMode SidecarMode KubeRay takes only "
                "Never, or none, and refuses the job",
                at=policy,
                remedy="Remove restartPolicy, or set it to Never.",
                edits=(Edit(policy.origin.span, "Never"),) if isinstance(policy.origin, Declared) else (),
                applicability=Applicability.SAFE,
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="In this mode the submitter is a container of the head's pod. It needs a head of its own, and would "
    "submit the job again if it were restarted. The operator refuses anything else.",
    remedy="Use a cluster of the job's own whose head does not restart.",
    sources=("KubeRay 1.6.2, controllers/ray/utils/validation.go: ValidateRayJobSpec",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayJob
        metadata: {name: train}
        spec:
          entrypoint: python train.py
          submissionMode: SidecarMode
          rayClusterSpec:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  restartPolicy: Always  # fires
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
          submissionMode: SidecarMode
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
