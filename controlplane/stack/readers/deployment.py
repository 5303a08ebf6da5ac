"""Deployment apps/v1."""

from __future__ import annotations

from controlplane.stack.facts import ABSENT, Fact, derived
from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Strategy, Workload
from controlplane.stack.pods import Count
from controlplane.stack.readers import metadata, pod_template
from controlplane.stack.versions import VERSION_ANNOTATION


def read(manifest: Field) -> Workload:
    """The workload of a Deployment, with one pod set that has its name, and an engine for each vLLM container."""
    spec = manifest["spec"]
    ref = metadata.reference(manifest)
    annotations = metadata.annotations_of(manifest)
    version = manifest.at("metadata", "annotations", VERSION_ANNOTATION).text()
    template = pod_template.read(spec["template"], ref.name, _count(spec["replicas"]), version)
    lifted = {key: value for key, value in annotations.items() if key != VERSION_ANNOTATION or not template.engines}
    return Workload(
        ref=ref,
        pod_sets=(template.pods,),
        engines=template.engines,
        strategy=_strategy(spec),
        labels=metadata.labels_of(manifest),
        annotations=lifted,
        selector=spec.at("selector", "matchLabels").text_map(),
        origin=manifest.at("metadata", "name").origin,
    )


def _count(replicas: Field) -> Count:
    """One replica where none is given. An autoscaler that writes the number is another object, and found there."""
    fact: Fact[int] = replicas.integer()
    if fact == ABSENT:
        fact = derived(1, "the API's default for a Deployment without replicas")
    return Count(fact, fact, fact)


def _strategy(spec: Field) -> Strategy:
    strategy = spec["strategy"]
    return Strategy(
        type=strategy["type"].text(),
        max_surge=strategy.at("rollingUpdate", "maxSurge").integer_or_text(),
        max_unavailable=strategy.at("rollingUpdate", "maxUnavailable").integer_or_text(),
        progress_deadline_seconds=spec["progressDeadlineSeconds"].integer(),
    )
