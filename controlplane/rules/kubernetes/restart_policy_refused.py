"""A workload's pods have a restart policy that its kind refuses."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Applicability, Edit, Layer, Severity
from controlplane.rules.pod_arithmetic import pod_sets_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, listed
from controlplane.stack.facts import Declared, Known
from controlplane.stack.model import Stack

_TAKEN = {
    "Deployment": ("Always",),
    "StatefulSet": ("Always",),
    "DaemonSet": ("Always",),
    "Job": ("OnFailure", "Never"),
    "CronJob": ("OnFailure", "Never"),
}


def check(stack: Stack) -> Iterator[Finding]:
    for workload, pods in pod_sets_of(stack):
        taken, policy = _TAKEN.get(workload.ref.kind), pods.restart_policy
        if taken is None or not isinstance(policy, Known) or policy.value in taken:
            continue
        yield Finding(
            f"pods {pods.name} of {workload.ref.kind} {workload.ref.name} have restartPolicy {policy.value}; "
            f"a {workload.ref.kind} takes {listed(taken, 'or')}",
            at=policy,
            otherwise=pods.origin or workload.origin,
            remedy=f"Write restartPolicy: {taken[-1]}.",
            edits=_only_one(policy, taken),
            applicability=Applicability.SAFE if _only_one(policy, taken) else Applicability.DISPLAY_ONLY,
            evidence=(evidence("restartPolicy", policy),),
        )


def _only_one(policy: Known[str], taken: tuple[str, ...]) -> tuple[Edit, ...]:
    """The edit where the kind takes one value alone."""
    if len(taken) > 1 or not isinstance(policy.origin, Declared):
        return ()
    return (Edit(policy.origin.span, taken[0]),)


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="What is to run for ever is always restarted, and what is to end is not: the API server refuses "
    "anything else, also a Job that says nothing.",
    remedy="Write the restart policy that the kind takes.",
    sources=(
        "Kubernetes 1.36.3, asked by server-side dry run: 'Unsupported value: \"OnFailure\"', 'Required value'",
    ),
    bad=(
        """
        apiVersion: batch/v1
        kind: Job
        metadata: {name: fetch}
        spec:
          template:
            spec:
              restartPolicy: Always  # fires
              containers:
                - {name: fetch, image: "registry.example/fetch:1.0"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              restartPolicy: OnFailure  # fires
              containers:
                - {name: worker, image: "registry.example/embed:1.0"}
        """,
    ),
    good=(
        """
        apiVersion: batch/v1
        kind: Job
        metadata: {name: fetch}
        spec:
          template:
            spec:
              restartPolicy: Never
              containers:
                - {name: fetch, image: "registry.example/fetch:1.0"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - {name: worker, image: "registry.example/embed:1.0"}
        """,
    ),
    check=check,
)
