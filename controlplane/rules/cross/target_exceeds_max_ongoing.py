"""Serve's autoscaler waits for more requests in flight than a replica ever takes.

A replica is full at `max_ongoing_requests`; what exceeds it waits at the proxies and handles.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        for deployment in workload.serve.deployments if workload.serve else ():
            target, most = deployment.target_ongoing_requests, deployment.max_ongoing_requests
            if not deployment.autoscaled or not isinstance(target, Known) or not isinstance(most, Known):
                continue
            if target.value > most.value > 0:
                yield Finding(
                    f"target_ongoing_requests {target.value:g} is above max_ongoing_requests {most.value}: "
                    "replicas are full before the autoscaler wants another",
                    at=target,
                    evidence=(
                        evidence("target_ongoing_requests", target),
                        evidence("max_ongoing_requests", most),
                    ),
                    remedy=f"Set target_ongoing_requests to {most.value} or less, or raise max_ongoing_requests to "
                    f"{target.value:g} or more.",
                    related=((most, "the limit of one replica"),),
                )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="The autoscaler compares requests in flight, those waiting at the handles included, with the target of "
    "every replica. With a target above what a replica takes, all replicas are full and a queue stands before them "
    "while the number still looks low: it scales only once the queue makes up the difference.",
    remedy="Set target_ongoing_requests below max_ongoing_requests.",
    sources=("Ray 2.60, serve/_private/autoscaling_state.py and serve/autoscaling_policy.py",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: summaries}
        spec:
          serveConfigV2: |
            applications:
              - name: summaries
                import_path: summaries.app:entry
                deployments:
                  - name: Summarizer
                    max_ongoing_requests: 16
                    autoscaling_config:
                      min_replicas: 1
                      max_replicas: 2
                      target_ongoing_requests: 64  # fires
          rayClusterConfig:
            rayVersion: 2.52.0
            headGroupSpec:
              rayStartParams: {}
              template:
                spec:
                  containers:
                    - name: head
                      image: rayproject/ray:2.52.0
                      resources: {limits: {cpu: 8, memory: 16Gi}}
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: summaries}
        spec:
          serveConfigV2: |
            applications:
              - name: summaries
                import_path: summaries.app:entry
                deployments:
                  - name: Summarizer
                    max_ongoing_requests: 64
                    autoscaling_config:
                      min_replicas: 1
                      max_replicas: 2
                      target_ongoing_requests: 48
          rayClusterConfig:
            rayVersion: 2.52.0
            headGroupSpec:
              rayStartParams: {}
              template:
                spec:
                  containers:
                    - name: head
                      image: rayproject/ray:2.52.0
                      resources: {limits: {cpu: 8, memory: 16Gi}}
        """,
    ),
    check=check,
)
