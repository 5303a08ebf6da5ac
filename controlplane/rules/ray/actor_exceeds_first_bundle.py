"""A replica's actor asks for more than the first bundle of its placement group holds."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import amount_in_words, requested
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments
from controlplane.rules.wording import evidence
from controlplane.stack.facts import ABSENT, Known, value_of
from controlplane.stack.model import Stack
from controlplane.stack.serve import ServeDeployment


def check(stack: Stack) -> Iterator[Finding]:
    for _, deployment in serve_deployments(stack):
        if not deployment.is_llm:
            yield from _exceeding(deployment)


def _exceeding(deployment: ServeDeployment) -> Iterator[Finding]:
    group = deployment.placement_group
    bundles = value_of(group.bundles) if group is not None else None
    if not bundles:
        return
    first = bundles[0]
    for name, wanted in requested(deployment.actor).items():
        has = first.resources.get(name, ABSENT)
        holds = 0.0 if has == ABSENT else value_of(has)
        if name == "memory" or not isinstance(wanted, Known) or holds is None or wanted.value <= holds:
            continue
        yield Finding(
            f"ray_actor_options ask for {amount_in_words(name, wanted.value)}, and the first bundle, where the actor "
            f"lies, has {amount_in_words(name, holds)}; Serve refuses the deployment",
            at=wanted,
            otherwise=first.origin,
            remedy=f"Give the first bundle {amount_in_words(name, wanted.value)}, or let the actor ask for less.",
            evidence=(evidence(f"{name} of the actor", wanted), evidence(f"{name} of the first bundle", holds)),
            related=((first.origin, "the first bundle"),),
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="A replica's actor is placed in the first bundle of its placement group, so what it asks for has to be "
    "among that bundle's resources. Serve checks it when the application is deployed, which then ends in "
    "DEPLOY_FAILED.",
    remedy="Put the actor's resources into the first bundle.",
    sources=("Ray 2.60.0, serve/_private/config.py: _validate_placement_group_options",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            applications:
              - name: chat
                import_path: chat:app
                deployments:
                  - name: Chat
                    num_replicas: 1
                    ray_actor_options:
                      num_cpus: 2  # fires
                    placement_group_bundles: [{CPU: 1, GPU: 1}, {GPU: 1}]
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 4, memory: 16Gi}}
            workerGroupSpecs:
              - groupName: gpu
                replicas: 2
                minReplicas: 2
                maxReplicas: 2
                template:
                  spec:
                    containers:
                      - name: ray-worker
                        image: rayproject/ray:2.60.0
                        resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}}
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            applications:
              - name: chat
                import_path: chat:app
                deployments:
                  - name: Chat
                    num_replicas: 1
                    ray_actor_options:
                      num_cpus: 2
                    placement_group_bundles: [{CPU: 2, GPU: 1}, {GPU: 1}]
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 4, memory: 16Gi}}
            workerGroupSpecs:
              - groupName: gpu
                replicas: 2
                minReplicas: 2
                maxReplicas: 2
                template:
                  spec:
                    containers:
                      - name: ray-worker
                        image: rayproject/ray:2.60.0
                        resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}}
        """,
    ),
    check=check,
)
