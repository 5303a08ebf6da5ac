"""Where the scheduler may put a pod."""

from __future__ import annotations

from controlplane.stack.facts import ABSENT, Fact, Known, OneOf, Unknown, Why
from controlplane.stack.manifest_fields import Field
from controlplane.stack.pods import Constraints, NodeRequirement, PodAffinity, Toleration, TopologySpread
from controlplane.stack.readers import metadata, selectors


def read(spec: Field) -> Constraints:
    """The constraints of a pod's spec. Preferences are not read."""
    tolerations = tuple(_toleration(item) for item in spec["tolerations"].items())
    spread = tuple(_spread(item) for item in spec["topologySpreadConstraints"].items())
    return Constraints(
        node_selector=spec["nodeSelector"].text_map_fact(),
        node_requirements=_requirements(spec),
        tolerations=Known(tolerations, spec["tolerations"].origin) if tolerations else ABSENT,
        spread=Known(spread, spec["topologySpreadConstraints"].origin) if spread else ABSENT,
        priority_class=spec["priorityClassName"].text(),
        node_selector_origins=metadata.origins_of(spec["nodeSelector"]),
    )


def pod_affinity(spec: Field) -> tuple[PodAffinity, ...]:
    """What a pod requires of other pods near it: affinity, then anti-affinity. Preferences are not read."""
    found: list[PodAffinity] = []
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = spec.at("affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution")
        found += [_affinity(term, anti=kind == "podAntiAffinity") for term in terms.items()]
    return tuple(found)


def _affinity(term: Field, *, anti: bool) -> PodAffinity:
    labels, exact = selectors.labels_of(term["labelSelector"])
    plain = exact and not any(term[key].is_set for key in ("namespaces", "namespaceSelector", "mismatchLabelKeys"))
    key = term["topologyKey"].plain_text()
    return PodAffinity(key, labels, anti, plain and not term["matchLabelKeys"].is_set, term.origin)


def _requirements(spec: Field) -> Fact[tuple[NodeRequirement, ...]]:
    """Required node affinity. Its terms are alternatives: with several, the pod is bound to one of them."""
    required = spec.at("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    terms = list(required["nodeSelectorTerms"].items())
    if any(term["matchFields"].value for term in terms):
        return Unknown(Why.UNRESOLVED, "node affinity by labels alone; matchFields are not read")
    alternatives = [tuple(_requirement(item) for item in term["matchExpressions"].items()) for term in terms]
    alternatives = [alternative for alternative in alternatives if alternative]
    if not alternatives:
        return ABSENT
    if len(alternatives) == 1:
        return Known(alternatives[0], required.origin)
    return OneOf(tuple(alternatives), required.origin)


def _requirement(item: Field) -> NodeRequirement:
    values = tuple(value.plain_text() for value in item["values"].items())
    return NodeRequirement(item["key"].plain_text(), item["operator"].plain_text(), values)


def _toleration(item: Field) -> Toleration:
    seconds = item["tolerationSeconds"]
    return Toleration(
        key=item["key"].plain_text(),
        operator=item["operator"].plain_text("Equal"),
        value=item["value"].plain_text(),
        effect=item["effect"].plain_text(),
        toleration_seconds=seconds.plain_integer() if seconds.is_set else None,
        origin=item.origin,
    )


def _spread(item: Field) -> TopologySpread:
    labels, exact = selectors.labels_of(item["labelSelector"])
    return TopologySpread(
        topology_key=item["topologyKey"].plain_text(),
        max_skew=item["maxSkew"].plain_integer(1),
        when_unsatisfiable=item["whenUnsatisfiable"].plain_text(),
        match_labels=labels,
        exact=exact,
        origin=item.origin,
    )
