"""No machine there is takes the pod: labels or taints keep it away from all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.machines import (
    LabelRefusal,
    Refusal,
    TaintRefusal,
    candidates,
    certainty,
    known_pools,
    lacking,
    refusal,
    willing,
)
from controlplane.rules.pod_arithmetic import matches, pod_sets_of, requests_in_all
from controlplane.rules.rule import Finding, Place, Rule
from controlplane.rules.wording import evidence, listed
from controlplane.stack.facts import origin_of
from controlplane.stack.inventory import NodePool, Taint
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodAffinity, PodSet


def check(stack: Stack) -> Iterator[Finding]:
    pools = known_pools(stack)
    for workload, pods in pod_sets_of(stack) if pools else ():
        meant = candidates(pools, requests_in_all(workload, pods))
        refusals = [refusal(pods, pool) for pool in meant]
        if all(refusals):
            found = _nowhere(workload, pods, [fault for fault in refusals if fault is not None])
            yield replace(found, severity=certainty(stack))
        else:
            yield from _kept_from_companion(stack, pools, workload, pods)


def _nowhere(workload: Workload, pods: PodSet, refusals: list[Refusal]) -> Finding:
    """Told of the pool that comes nearest: one that only a taint keeps the pod from."""
    tainted = [fault for fault in refusals if isinstance(fault, TaintRefusal)]
    who = f"pods {pods.name} of {workload.ref.kind} {workload.ref.name}"
    if tainted:
        return _untolerated(workload, pods, tainted[0], f"the {who} run nowhere")
    label = next(fault for fault in refusals if isinstance(fault, LabelRefusal))
    there = sorted({f.carried for f in refusals if isinstance(f, LabelRefusal) and f.key == label.key and f.carried})
    have = f"the nodes have {listed(there)}" if there else "no node has that label"
    return Finding(
        f"the {who} run nowhere: they want nodes with {label.wanted}, and {have}",
        at=_place(pods, label.key),
        otherwise=pods.origin or workload.origin,
        remedy=f"Write a value that nodes have: {listed(there, 'or')}."
        if there
        else f"Label nodes with {label.wanted}.",
        evidence=(
            evidence("wanted", label.wanted, source="node selector or required node affinity"),
            evidence("pools", listed(sorted({fault.pool for fault in refusals})), source="the inventory"),
        ),
    )


def _place(pods: PodSet, key: str) -> Place:
    selected = pods.constraints.node_selector_origins.get(key)
    return selected or origin_of(pods.constraints.node_requirements)


def _untolerated(workload: Workload, pods: PodSet, fault: TaintRefusal, what: str, at: Place = None) -> Finding:
    taint = fault.taint
    written = f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"
    return Finding(
        f"{what}: pool {fault.pool} has the taint {written}, which they do not tolerate",
        at=at or origin_of(pods.constraints.tolerations),
        otherwise=pods.origin or workload.origin,
        remedy=f"Add the toleration {_toleration(taint)}.",
        evidence=(
            evidence("taint", written, source=f"pool {fault.pool}"),
            evidence("tolerations", _tolerated(pods), source="the pod template"),
        ),
    )


def _toleration(taint: Taint) -> str:
    match = f"operator: Equal, value: {taint.value}" if taint.value else "operator: Exists"
    return f"{{key: {taint.key}, {match}, effect: {taint.effect}}}"


def _tolerated(pods: PodSet) -> int:
    tolerations = pods.constraints.tolerations
    value = getattr(tolerations, "value", ())
    return len(value)


def _kept_from_companion(
    stack: Stack, pools: tuple[NodePool, ...], workload: Workload, pods: PodSet
) -> Iterator[Finding]:
    """A pod that has to share a node with another one, and cannot run where that one does."""
    for term in pods.pod_affinity:
        for other, companion in _companions(stack, workload, pods, term):
            requests = requests_in_all(other, companion)
            there = [pool for pool in willing(pools, companion) if not lacking(requests, pool)]
            faults = [refusal(pods, pool) for pool in there]
            tainted = next((fault for fault in faults if isinstance(fault, TaintRefusal)), None)
            if tainted is not None and all(faults):
                who = f"the pods {pods.name} of {workload.ref.kind} {workload.ref.name}"
                what = f"{who} have to share a node with those of {other.ref.kind} {other.ref.name}"
                yield _untolerated(workload, pods, tainted, what, term.origin)
                return


def _companions(
    stack: Stack, workload: Workload, pods: PodSet, term: PodAffinity
) -> Iterator[tuple[Workload, PodSet]]:
    if term.anti or not term.exact or not term.match_labels or term.topology_key != "kubernetes.io/hostname":
        return
    for other, companion in pod_sets_of(stack):
        same_namespace = other.ref.namespace == workload.ref.namespace
        if same_namespace and companion is not pods and matches(term.match_labels, companion.labels):
            yield other, companion


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="The pod stays Pending for ever, and where others wait for it they seem to be at fault. Judged only "
    "where the input shows all machines (Nodes, or a Fleet). A taint named as an extended resource counts as "
    "tolerated by pods that ask for the resource, since managed clusters add that toleration; a companion pod "
    "without a GPU does not get it. Nodes are those of today, and an autoscaler may add other ones: then it is a "
    "warning, beside a Fleet an error.",
    remedy="Add the toleration, or ask for labels that nodes have.",
    sources=(
        "Kubernetes 1.36: NodeAffinity, TaintToleration, InterPodAffinity, ExtendedResourceToleration",
        "Field case: vllm-project/aibrix issue 909",
    ),
    bad=(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: gpu-0, labels: {tier: gpu}}
        spec:
          taints: [{key: reserved, value: models, effect: NoSchedule}]
        status:
          allocatable: {cpu: "64", memory: 512Gi, nvidia.com/gpu: "8", pods: "110"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              tolerations:
                - {key: reserved, value: batch, effect: NoSchedule}  # fires
              containers:
                - {name: worker, image: "registry.example/embed:1.0"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: rank}
        spec:
          selector: {matchLabels: {app: rank}}
          template:
            metadata: {labels: {app: rank}}
            spec:
              nodeSelector:
                tier: gpus  # fires
              containers:
                - {name: worker, image: "registry.example/rank:1.0"}
        """,
    ),
    good=(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: gpu-0, labels: {tier: gpu}}
        spec:
          taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]
        status:
          allocatable: {cpu: "64", memory: 512Gi, nvidia.com/gpu: "8", pods: "110"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              nodeSelector: {tier: gpu}
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  resources: {limits: {nvidia.com/gpu: 1}}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: rank}
        spec:
          selector: {matchLabels: {app: rank}}
          template:
            metadata: {labels: {app: rank}}
            spec:
              tolerations: [{key: nvidia.com/gpu, operator: Exists}]
              containers:
                - {name: worker, image: "registry.example/rank:1.0"}
        """,
    ),
    check=check,
)
