"""A worker group's image has another version of Ray than the head's."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.ray_arithmetic import ray_container, ray_workloads
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import ABSENT, Fact, Known
from controlplane.stack.model import Stack, Workload
from controlplane.stack.ray import RayCluster
from controlplane.stack.readers.ray_images import ray_version_of_image

_PYTHON = regex(r"rayproject/ray(-llm|-ml)?:\d[^/@]*-py3(?P<minor>\d+)")


def check(stack: Stack) -> Iterator[Finding]:
    for workload, cluster in ray_workloads(stack):
        yield from _differing(workload, cluster)


def _differing(workload: Workload, cluster: RayCluster) -> Iterator[Finding]:
    head = _image(workload, cluster.head.name)
    for group in cluster.workers:
        image = _image(workload, group.name)
        for what, version in (("Ray", ray_version_of_image), ("Python", _python_of_image)):
            ours, its = version(image), version(head)
            if isinstance(ours, Known) and isinstance(its, Known) and ours.value != its.value:
                yield Finding(
                    f"worker group {group.name} runs {what} {ours.value}, and the head {its.value}; a worker of "
                    "another version cannot work with the head",
                    at=image,
                    remedy=f"Use an image with {what} {its.value}, as the head does.",
                    evidence=(evidence(f"{what} of the workers", ours), evidence(f"{what} of the head", its)),
                    related=((head, "the head's image"),),
                )
                break


def _python_of_image(image: Fact[str]) -> Fact[str]:
    """The Python that the tag of Ray's own images names: 3.11 of `2.60.0-py311-cu128`."""
    found = _PYTHON.search(image.value) if isinstance(image, Known) else None
    return Known(f"3.{found['minor']}", image.origin) if found and isinstance(image, Known) else ABSENT


def _image(workload: Workload, group: str) -> Fact[str]:
    pods = workload.pod_set(group)
    container = ray_container(pods) if pods else None
    return container.image if container else ABSENT


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="Processes of one Ray cluster speak a protocol of their version and send each other pickled Python. A "
    "process whose Ray or Python differs from the head's raises `Version mismatch` and ends.",
    remedy="Use the head's image for every group.",
    sources=("Ray 2.60.0, _private/utils.py: check_version_info",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
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
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.52.0  # fires
                      resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
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
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
        """,
    ),
    check=check,
)
