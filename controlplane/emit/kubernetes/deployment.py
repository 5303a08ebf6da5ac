"""Deployment apps/v1: one engine a pod."""

from __future__ import annotations

from typing import Any

from controlplane.emit.bundle import EmittedObject, Sourced, sourced
from controlplane.emit.kubernetes import pod_template
from controlplane.emit.kubernetes.metadata import by_name, emitted, metadata
from controlplane.emit.vllm.command_line import CommandLine, command_line
from controlplane.stack.facts import Known
from controlplane.stack.model import Strategy, Workload
from controlplane.stack.pods import Count, CountOwner
from controlplane.stack.versions import VERSION_ANNOTATION


def build(workload: Workload) -> EmittedObject:
    """The manifest of a Deployment.

    Raises ValueError when the workload has not exactly one pod set, or holds a value that is not known.
    """
    (pods,) = workload.pod_sets
    spec = {
        "replicas": _replicas(pods.count),
        "progressDeadlineSeconds": sourced(workload.strategy.progress_deadline_seconds),
        "strategy": _strategy(workload.strategy),
        "selector": {"matchLabels": by_name(workload.selector)},
        "template": pod_template.build(pods, _command_lines(workload)),
    }
    annotations = {**workload.annotations, **_version(workload)}
    tree = {
        "metadata": metadata(
            workload.ref, workload.labels, annotations, workload.label_origins, workload.namespace_origin
        ),
        "spec": spec,
    }
    return emitted(workload.ref, tree, workload.labels, workload.origin)


def _replicas(count: Count) -> Sourced | None:
    """The wanted number, left out where somebody else writes it."""
    return sourced(count.desired) if count.owner is CountOwner.DECLARED else None


def _strategy(strategy: Strategy) -> dict[str, Any]:
    rolling = {"maxSurge": sourced(strategy.max_surge), "maxUnavailable": sourced(strategy.max_unavailable)}
    return {"type": sourced(strategy.type), "rollingUpdate": rolling}


def _command_lines(workload: Workload) -> dict[str, CommandLine]:
    return {engine.container: command_line(engine) for engine in workload.engines}


def _version(workload: Workload) -> dict[str, Sourced]:
    """The engine's version, on the workload and not on its pods: an image tag need not tell it."""
    version = next((engine.version for engine in workload.engines if isinstance(engine.version, Known)), None)
    return {VERSION_ANNOTATION: Sourced(version.value, version.origin)} if version else {}
