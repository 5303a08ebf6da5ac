"""The plan file: the same bytes for the same plan, and a clear error for everything that is no plan."""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.diagnostics import Span
from controlplane.emit.bundle import Bundle
from controlplane.plan.changes import ChangeSet, Observed
from controlplane.plan.plan import plan
from controlplane.plan.planfile import PlanFileError, plan_digest, read_plan, write_plan
from controlplane.stack.facts import Declared, Derived, Input
from tests.plan.realistic import config_map, deployment, emitted, service, with_value

_ORIGINS = (
    Declared(Span("chat.yaml", 3, 5, 3, 9), ("spec", "model", 0)),
    Derived("8 x 2", (Input("gpus", 8, Declared(Span("f.yaml", 1, 1, 1, 2))), Input("why", None, Derived("rule")))),
)


def a_plan() -> ChangeSet:
    """A plan with a creation, an update and an unchanged object, and every kind of origin."""
    wanted = deployment()
    objects = [emitted(wanted), emitted(service()), emitted(config_map())]
    objects[0] = replace(
        objects[0], provenance={path: _ORIGINS[n % 2] for n, path in enumerate(objects[0].provenance)}
    )
    live = with_value(wanted, ("spec", "template", "spec", "containers", 0, "image"), "registry.example/old:1")
    live["metadata"]["uid"] = "u-1"
    same = service()
    same["metadata"]["uid"] = "u-2"
    observations = [
        Observed(objects[0].ref, live, wanted),
        Observed(objects[1].ref, same, same),
        Observed(objects[2].ref, None, config_map()),
    ]
    return plan(Bundle(tuple(objects)), observations, cluster_uid="c-1", source_digests={"chat.yaml": "sha256:00"})


def a_small_plan() -> ChangeSet:
    """A plan with one creation."""
    wanted = emitted(config_map())
    return plan(Bundle((wanted,)), [Observed(wanted.ref, None, config_map())])


TEXT = write_plan(a_plan())
SMALL = write_plan(a_small_plan())


def resealed(change: Any, text: str = TEXT) -> str:
    """A plan file with its content edited by `change` and a fitting integrity digest."""
    content = json.loads(text)
    del content["integrity"]
    change(content)
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return json.dumps({**content, "integrity": "sha256:" + hashlib.sha256(text.encode()).hexdigest()})


def test_a_plan_comes_back_as_it_was_written() -> None:
    read = read_plan(TEXT.encode())
    assert read.changes == a_plan()
    assert write_plan(read.changes) == TEXT
    assert read.digest == plan_digest(a_plan()) == json.loads(TEXT)["integrity"]


def test_the_same_plan_has_the_same_bytes() -> None:
    assert write_plan(a_plan()) == TEXT
    assert json.loads(TEXT)["format_version"] == "1.0"


def test_origins_survive_with_their_places() -> None:
    changes = read_plan(TEXT).changes.changes
    update = next(change for change in changes if change.ref.kind == "Deployment")
    assert update.desired is not None
    assert set(map(type, update.desired.provenance.values())) == {Declared, Derived}
    assert update.fields[0].origin == update.desired.origin_of(update.fields[0].path)


def test_settings_the_context_and_objects_without_origins_come_back() -> None:
    wanted = replace(emitted(config_map()), provenance={})
    made = plan(Bundle((wanted,)), [Observed(wanted.ref, None, config_map())])
    made = replace(made, settings={"llm/chat": {"drift": "warn", "seconds": 1.5, "steps": [1, None]}}, context="prod")
    assert read_plan(write_plan(made)).changes == made


def test_an_edited_plan_is_refused() -> None:
    edited = TEXT.replace("registry.example/vllm-openai:v0.33.0", "registry.example/evil:1")
    assert edited != TEXT
    with pytest.raises(PlanFileError, match="integrity digest does not match"):
        read_plan(edited)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no JSON at line 1, column 1"),
        (b"\xff\xfe", "byte 0 is not UTF-8"),
        (b"[]", "not a plan"),
        (b'{"format": "helm"}', "not a plan"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"format": "controlplane-plan", "format": "controlplane-plan"}', "a key occurs twice"),
        (b'{"format": "controlplane-plan", "x": NaN}', "NaN is no JSON number"),
        (b'{"format": "controlplane-plan"}', "format_version is not a version"),
        (b'{"format": "controlplane-plan", "format_version": "1.0", "x": 1e999}', "cannot be written again"),
        (b'{"format": "controlplane-plan", "format_version": "1.0", "x": "\\ud800"}', "cannot be written again"),
        (TEXT[: len(TEXT) // 2].encode(), "no JSON at line"),
    ],
)
def test_what_is_no_plan_is_a_clear_error(data: bytes, words: str) -> None:
    with pytest.raises(PlanFileError, match=words) as caught:
        read_plan(data)
    assert caught.value.remedy.endswith(".")


def test_a_newer_major_names_both_versions_and_a_newer_minor_is_read() -> None:
    with pytest.raises(PlanFileError, match=r"format 2\.0; version .* reads 1\.0"):
        read_plan(resealed(lambda content: content.update(format_version="2.0")))
    newer = resealed(lambda content: (content.update(format_version="1.7"), content["plan"].update(later=1)))
    assert read_plan(newer).changes == a_plan()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c.update(plan=None), "the value is null, expected an object"),
        (lambda c: c["plan"].pop("changes"), "ChangeSet lacks changes"),
        (lambda c: c["plan"].update(offline=1), "offline is int, expected bool"),
        (lambda c: c["plan"]["changes"][0].update(action="explode"), r"changes\[0\]\.action is not one of create"),
        (lambda c: c["plan"]["changes"][0]["precondition"].update(fields=[["a"]]), "has 1 items, expected 2"),
        (lambda c: c["plan"]["changes"][0]["ref"].update(name=7), "ref.name is int, expected str"),
    ],
)
def test_a_sealed_file_of_another_shape_names_the_place(change: Any, words: str) -> None:
    with pytest.raises(PlanFileError, match=words):
        read_plan(resealed(change))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_damage_is_ever_read_as_another_plan(data: st.DataObject) -> None:
    raw = bytearray(SMALL.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    try:
        read = read_plan(bytes(raw))
    except PlanFileError:
        return
    assert read.changes == a_small_plan()


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    ),
    st.sampled_from(["changes", "notes", "source_digests", "cluster_uid", "offline"]),
)
def test_a_sealed_file_with_anything_in_it_is_read_or_refused(value: Any, key: str) -> None:
    sealed = resealed(lambda content: content["plan"].update({key: value}), SMALL)
    with contextlib.suppress(PlanFileError):
        assert isinstance(read_plan(sealed).changes, ChangeSet)
