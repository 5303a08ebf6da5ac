from __future__ import annotations

import pytest

from controlplane.source import parse_quantity
from controlplane.stack.facts import ABSENT, Known, OneOf, Unknown, Why
from controlplane.stack.pods import (
    Claim,
    ConfigMapVolume,
    EmptyDir,
    ImageVolume,
    NodeRequirement,
    OtherVolume,
    PodSet,
    Toleration,
)
from tests.stack.manifests import DEPLOYMENT, workload
from tests.stack.strategies import WRITTEN


def pods(fields: str) -> PodSet:
    """The pods of a Deployment with these fields of the pod's spec."""
    return workload(DEPLOYMENT.format("args: [m]") + f"      {fields}\n").pod_sets[0]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("emptyDir: {medium: Memory, sizeLimit: 1Gi}", EmptyDir("Memory", Known(parse_quantity("1Gi"), WRITTEN))),
        ("emptyDir: {}", EmptyDir()),
        ("persistentVolumeClaim: {claimName: c, readOnly: true}", Claim("c", True)),
        ("image: {reference: r, pullPolicy: Always}", ImageVolume("r", "Always")),
        ("hostPath: {path: /a}", OtherVolume("hostPath")),
    ],
)
def test_volumes_keep_what_anything_reasons_about(source: str, expected: object) -> None:
    (volume,) = pods(f"volumes: [{{name: v, {source}}}]").volumes
    assert volume.source == Known(expected, WRITTEN)


def test_a_volume_without_a_source_is_scratch_space() -> None:
    assert pods("volumes: [{name: v}]").volumes[0].source == Known(EmptyDir(), WRITTEN)


def test_tolerations_have_the_defaults_of_the_api() -> None:
    found = pods("tolerations: [{key: a}, {operator: Exists, tolerationSeconds: 0}]").constraints
    assert found.tolerations == Known(
        (Toleration("a", "Equal"), Toleration("", "Exists", toleration_seconds=0)), WRITTEN
    )


def affinity(terms: str) -> PodSet:
    required = f"requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {terms}}}"
    return pods(f"affinity: {{nodeAffinity: {{{required}}}}}")


def test_one_required_term_is_known() -> None:
    found = affinity("[{matchExpressions: [{key: a, operator: In, values: [b]}]}]").constraints
    assert found.node_requirements == Known((NodeRequirement("a", "In", ("b",)),), WRITTEN)


def test_several_required_terms_are_alternatives() -> None:
    found = affinity(
        "[{matchExpressions: [{key: a, operator: Exists}]}, {matchExpressions: [{key: b, operator: Exists}]}]"
    )
    alternatives = ((NodeRequirement("a", "Exists"),), (NodeRequirement("b", "Exists"),))
    assert found.constraints.node_requirements == OneOf(alternatives, WRITTEN)


def test_affinity_to_a_field_of_the_node_is_unknown() -> None:
    found = affinity("[{matchFields: [{key: metadata.name, operator: In, values: [b]}]}]")
    assert found.constraints.node_requirements == Unknown(Why.UNRESOLVED)


def test_empty_collections_are_absent() -> None:
    found = pods("nodeSelector: {}\n      tolerations: []\n      topologySpreadConstraints: []").constraints
    assert (found.node_selector, found.tolerations, found.spread) == (ABSENT, ABSENT, ABSENT)


def test_what_a_pod_asks_of_its_node_is_read() -> None:
    found = pods(
        "hostIPC: true\n      hostNetwork: false\n      schedulerName: kai\n      runtimeClassName: nvidia\n"
        "      overhead: {memory: 64Mi}\n      resourceClaims: [{name: gpus, resourceClaimTemplateName: t}]"
    )
    assert (found.host_ipc, found.host_network) == (Known(True, WRITTEN), Known(False, WRITTEN))
    assert (found.scheduler_name, found.runtime_class) == (Known("kai", WRITTEN), Known("nvidia", WRITTEN))
    assert found.overhead == {"memory": Known(parse_quantity("64Mi"), WRITTEN)}
    assert found.resource_claims == ("gpus",)


def test_required_affinity_to_other_pods_is_read() -> None:
    term = "{labelSelector: {matchLabels: {app: a}}, topologyKey: zone}"
    odd = "{labelSelector: {matchExpressions: [{key: app, operator: Exists}]}, topologyKey: host}"
    found = pods(
        f"affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}, "
        f"podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{odd}]}}}}"
    ).pod_affinity
    assert [(one.topology_key, one.match_labels, one.anti, one.exact) for one in found] == [
        ("zone", {"app": "a"}, False, True),
        ("host", {}, True, False),
    ]


def test_config_maps_are_volumes_with_a_name() -> None:
    (volume,) = pods("volumes: [{name: v, configMap: {name: c, items: [{key: a, path: b}]}}]").volumes
    assert volume.source == Known(ConfigMapVolume("c", (("a", "b"),)), WRITTEN)


def test_engines_of_several_containers_are_called_by_them() -> None:
    text = DEPLOYMENT.format("args: [m]") + "      - {name: second, image: i, command: [vllm, serve, other]}\n"
    assert [engine.role for engine in workload(text).engines] == ["main", "second"]
