"""The pod is killed before its preStop wait and the engine's own drain have passed."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Evidence, Layer, Severity
from controlplane.frozen import frozen
from controlplane.rules.engine_arguments import Releases
from controlplane.rules.pod_arithmetic import is_partial, place_of, pod_sets_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, listed
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import ABSENT, Fact, Known, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Container, PodSet

_DEFAULT_GRACE_SECONDS = 30
_TO_FINISH_SECONDS = 15
_DRAINS_NOT = Releases(gone="0.18.0")
"""Releases without --shutdown-timeout: what it says there is another rule's matter."""


def check(stack: Stack) -> Iterator[Finding]:
    engines = {(e.workload.ref, e.engine.pod_set, e.engine.container): e for e in engines_of(stack)}
    for workload, pods in pod_sets_of(stack):
        grace = pods.grace_seconds
        if is_partial(workload, pods) and grace == ABSENT:
            continue
        seconds = _DEFAULT_GRACE_SECONDS if grace == ABSENT else value_of(grace)
        for container in pods.containers:
            needed = _needed(container, engines.get((workload.ref, pods.name, container.name)))
            if needed is not None and seconds is not None and needed.exceeds(seconds):
                yield _short(_Pod(workload, pods, container), needed, seconds)


@frozen
class _Needed:
    """Seconds of the preStop wait and of `--shutdown-timeout`; either may be missing."""

    pre_stop: Fact[int]
    drain: Fact[int]

    @property
    def seconds(self) -> int:
        return (value_of(self.pre_stop) or 0) + (value_of(self.drain) or 0)

    def exceeds(self, grace: int) -> bool:
        """With a wait alone, nothing is left for the engine when it takes all of the grace period."""
        return self.seconds > grace or (not value_of(self.drain) and self.seconds == grace > 0)

    def words(self) -> str:
        parts = [("preStop", self.pre_stop), ("--shutdown-timeout", self.drain)]
        return listed(f"{name} {seconds} s" for name, fact in parts if (seconds := value_of(fact)))

    def evidence(self) -> tuple[Evidence, ...]:
        parts = [("preStop", self.pre_stop), ("--shutdown-timeout", self.drain)]
        return tuple(evidence(name, fact, "s") for name, fact in parts if isinstance(fact, Known))


def _needed(container: Container, engine: DeployedEngine | None) -> _Needed | None:
    drain = ABSENT if engine is None or _DRAINS_NOT.has(engine.version) else engine.integer("shutdown_timeout")
    needed = _Needed(container.pre_stop_seconds, drain)
    return needed if needed.seconds > 0 else None


@frozen
class _Pod:
    workload: Workload
    pods: PodSet
    container: Container


def _short(pod: _Pod, needed: _Needed, grace: int) -> Finding:
    default = "" if isinstance(pod.pods.grace_seconds, Known) else " (the default)"
    value = needed.seconds + _TO_FINISH_SECONDS
    return Finding(
        f"the pod is killed {grace} s{default} after its end began; container {pod.container.name} takes "
        f"{needed.words()}, {needed.seconds} s in all, so requests in flight are cut off",
        at=pod.pods.grace_seconds,
        otherwise=place_of(pod.container, pod.pods, pod.workload),
        remedy=f"Set terminationGracePeriodSeconds: {value}.",
        evidence=(evidence("terminationGracePeriodSeconds", grace, "s", "written or default"), *needed.evidence()),
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="The grace period runs from the moment the pod is to end: the preStop wait is inside it, and only "
    "then comes SIGTERM and what vLLM takes for --shutdown-timeout. Whoever is still being answered at the end of it "
    "gets a broken connection at every rollout and scale-in. The API server refuses the preStop handler `sleep` "
    "where it is longer than the grace period.",
    remedy="Set terminationGracePeriodSeconds above the sum of both.",
    sources=(
        "Kubernetes 1.36.3: grace period includes preStop; sleep 'must be less than terminationGracePeriodSeconds'",
        "vLLM 0.18 and newer: --shutdown-timeout",
    ),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              terminationGracePeriodSeconds: 45  # fires
              containers:
                - name: vllm
                  image: vllm/vllm-openai:v0.20.0
                  args: [--model, example/chat-8B, --shutdown-timeout=45]
                  resources: {limits: {nvidia.com/gpu: 1}}
                  lifecycle: {preStop: {sleep: {seconds: 15}}}
        """,
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: vllm  # fires
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-8B]
                  resources: {limits: {nvidia.com/gpu: 1}}
                  lifecycle: {preStop: {exec: {command: [sh, -c, sleep 60]}}}
        """,
    ),
    good=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              terminationGracePeriodSeconds: 60
              containers:
                - name: vllm
                  image: vllm/vllm-openai:v0.20.0
                  args: [--model, example/chat-8B, --shutdown-timeout=45]
                  resources: {limits: {nvidia.com/gpu: 1}}
                  lifecycle: {preStop: {sleep: {seconds: 15}}}
        """,
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: vllm
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-8B]
                  resources: {limits: {nvidia.com/gpu: 1}}
                  lifecycle: {preStop: {sleep: {seconds: 10}}}
        """,
    ),
    check=check,
)
