from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.emit import emit, explained_yaml, manifest_yaml, to_yaml
from controlplane.emit.bundle import Bundle, EmittedObject, Sourced, lower
from controlplane.emit.yaml_text import explain
from controlplane.stack.facts import Derived, Input, LiveField, Table
from controlplane.stack.references import ObjectRef
from tests.emit import example

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
lines = st.lists(st.sampled_from(["a", " b", "", "  ", "- c", "# d", "---", "e: f"]), min_size=2).map("\n".join)
scalars = st.one_of(texts, lines, st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False))
trees = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3))
)
manifests = st.dictionaries(texts, trees, min_size=1, max_size=4)

NESTED = Derived("a × b", (Input("a", 2, Derived("c", (Input("d", "x", example.place(1)),))),))


@settings(deadline=None)
@given(manifests)
def test_any_manifest_is_read_back_equal(manifest: dict[str, Any]) -> None:
    assert yaml.safe_load(manifest_yaml(manifest)) == manifest


@settings(deadline=None)
@given(manifests)
def test_comments_change_nothing(manifest: dict[str, Any]) -> None:
    value, provenance = lower(Sourced(manifest, Derived("a # 'b' \"c\"\n--- d: \x00[e]")), Derived("elsewhere"))
    made = EmittedObject(ObjectRef("v1", "ConfigMap", "a", "b"), value, provenance, "")
    assert yaml.safe_load(explained_yaml(Bundle((made,)))) == manifest


def test_keys_stand_in_the_order_of_the_builders() -> None:
    manifest = {"kind": "Z", "b": {"z": 1, "a": [{"name": "m", "a": 2}, [3, 4]]}, "a": {}, "c": []}
    assert manifest_yaml(manifest) == (
        "kind: Z\nb:\n  z: 1\n  a:\n  - name: m\n    a: 2\n  - - 3\n    - 4\na: {}\nc: []\n"
    )


def test_several_lines_are_a_literal_block() -> None:
    manifest = {"script": "set -e\n\n  run: on\n", "items": ["a\nb"], "kept": "a\n\n"}
    assert manifest_yaml(manifest) == (
        "script: |\n  set -e\n\n    run: on\nitems:\n- |-\n  a\n  b\nkept: |+\n  a\n\n"
    )


def test_documents_stand_in_apply_order() -> None:
    text = to_yaml(emit(example.stack()))
    assert [document["kind"] for document in yaml.safe_load_all(text)] == [
        "Namespace",
        "Service",
        "Deployment",
        "PodDisruptionBudget",
    ]
    assert text.startswith("apiVersion: v1\nkind: Namespace\n")
    assert text.endswith("\n")


def test_every_value_of_the_explained_text_has_its_origin_behind_it() -> None:
    bundle = emit(example.stack())
    commented = [line for line in explained_yaml(bundle).splitlines() if "  # " in line]
    assert len(commented) == sum(len(made.provenance) for made in bundle.objects)


def test_explained_lines_show_place_and_path_or_formula_and_inputs() -> None:
    text = explained_yaml(emit(example.stack()))
    assert "        image: registry.example/vllm-openai:v0.33.0  # chat.yaml:11:3\n" in text
    assert "  name: chat  # chat.yaml:3:3 metadata.name\n" in text
    assert '            nvidia.com/gpu: "1"  # tensorParallel [tensorParallel 1 from chat.yaml:20:3]\n' in text


@pytest.mark.parametrize(
    ("origin", "shown"),
    [
        (example.place(2, "spec", "pools", 0), "chat.yaml:2:3 spec.pools[0]"),
        (Table("vllm arguments", "0.33.0"), "vllm arguments 0.33.0"),
        (LiveField("Node//a", ("spec",)), "Node//a in the cluster"),
        (Derived("one\n two \x1b[31m\u202e three"), "one two [31m three"),
        (NESTED, "a × b [a 2 from c [d x from chat.yaml:1:3]]"),
    ],
    ids=["place", "table", "live", "rule", "derivation"],
)
def test_an_origin_is_explained_in_one_line(origin: Any, shown: str) -> None:
    assert explain(origin) == shown
