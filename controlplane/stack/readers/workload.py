"""What all workloads say of themselves, whatever their controller does with the pods."""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.stack.facts import ABSENT, Fact, Unknown, Why, derived
from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Strategy, Workload
from controlplane.stack.pods import Count
from controlplane.stack.readers import metadata
from controlplane.stack.readers.pod_template import ReadTemplate
from controlplane.stack.versions import VERSION_ANNOTATION


def read(manifest: Field, templates: Sequence[ReadTemplate]) -> Workload:
    """A workload of these pods; a kind adds what is its own with `dataclasses.replace`."""
    engines = tuple(engine for template in templates for engine in template.engines)
    annotations = metadata.annotations_of(manifest)
    return Workload(
        ref=metadata.reference(manifest),
        pod_sets=tuple(template.pods for template in templates),
        engines=engines,
        labels=metadata.labels_of(manifest),
        annotations={k: v for k, v in annotations.items() if k != VERSION_ANNOTATION or not engines},
        selector=manifest.at("spec", "selector", "matchLabels").text_map(),
        origin=metadata.name_origin(manifest),
        label_origins=metadata.label_origins(manifest),
        namespace_origin=metadata.namespace_origin(manifest),
    )


def declared_version(manifest: Field) -> Fact[str]:
    """The version of vLLM that an object's annotation says."""
    return manifest.at("metadata", "annotations", VERSION_ANNOTATION).text()


def count(number: Field, default: int = 1) -> Count:
    """As many as the field says. An autoscaler that writes the number is another object, and found there."""
    fact: Fact[int] = number.integer()
    if fact == ABSENT:
        fact = derived(default, f"the API's default where {number.path[-1]} is not set")
    return Count(fact, fact, fact)


def uncounted(needs: str) -> Count:
    """A number of pods that is decided elsewhere; `needs` says by what."""
    unknown = Unknown(Why.RUNTIME, needs)
    return Count(unknown, unknown, unknown)


def strategy(field: Field, deadline: Field | None = None) -> Strategy:
    """How pods are replaced: `strategy` of a Deployment, `updateStrategy` of others."""
    return Strategy(
        type=field["type"].text(),
        max_surge=field.at("rollingUpdate", "maxSurge").integer_or_text(),
        max_unavailable=field.at("rollingUpdate", "maxUnavailable").integer_or_text(),
        progress_deadline_seconds=deadline.integer() if deadline is not None else ABSENT,
    )
