from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from controlplane.emit import emit
from controlplane.stack.facts import Declared, OneOf, Unknown, Why
from controlplane.stack.model import Stack
from controlplane.stack.references import Namespace, ObjectRef
from tests.emit import example
from tests.stack import strategies as some


def kinds(stack: Stack) -> list[str]:
    return [made.ref.kind for made in emit(stack).objects]


def test_what_others_need_comes_first_and_what_watches_last() -> None:
    assert kinds(example.stack()) == ["Namespace", "Service", "Deployment", "PodDisruptionBudget"]


def test_the_order_in_which_a_stack_holds_its_parts_does_not_matter() -> None:
    stack = example.stack()
    turned = replace(stack, references=tuple(reversed(stack.references)))
    assert emit(turned) == emit(stack)


def test_objects_belong_to_the_service_of_their_label() -> None:
    bundle = emit(example.stack())
    assert bundle.services() == ("llm/chat",)
    assert [made.ref.kind for made in bundle.of_service("llm/chat").objects] == [
        "Service",
        "Deployment",
        "PodDisruptionBudget",
    ]


def test_a_labelled_namespace_belongs_to_the_service_in_it() -> None:
    namespace = Namespace(ObjectRef("v1", "Namespace", "", "llm"), example.LABELS)
    assert emit(Stack(references=(namespace,))).services() == ("llm/chat",)


@settings(max_examples=40, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
@given(some.stacks())
def test_every_leaf_has_an_origin_of_its_own(stack: Stack) -> None:
    for made in emit(stack).objects:
        assert set(example.leaves(made.manifest)) == set(made.provenance)


@settings(max_examples=40, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
@given(some.stacks())
def test_nothing_empty_is_written_but_the_kind_of_a_scratch_volume(stack: Stack) -> None:
    for made in emit(stack).objects:
        empty = [path for path, leaf in example.leaves(made.manifest).items() if leaf in (None, {}, [])]
        assert all(path[-1] == "emptyDir" for path in empty)


def test_origins_are_those_of_the_facts() -> None:
    deployment = next(made for made in emit(example.stack()).objects if made.ref.kind == "Deployment")
    container = ("spec", "template", "spec", "containers", 0)
    assert deployment.origin_of((*container, "image")) == example.place(11)
    assert deployment.origin_of((*container, "args", 0)) == example.place(10, "spec", "model", "name")
    assert deployment.origin_of(("metadata", "name")) == example.place(3, "metadata", "name")
    gpus = deployment.origin_of((*container, "resources", "limits", "nvidia.com/gpu"))
    assert not isinstance(gpus, Declared)
    assert str(gpus) == "tensorParallel"


@pytest.mark.parametrize("fact", [Unknown(Why.TEMPLATED), Unknown(Why.RUNTIME), OneOf((1, 2), example.place(1))])
def test_a_value_that_is_set_but_not_known_is_never_left_out_silently(fact: Any) -> None:
    broken = replace(example.workload().strategy, progress_deadline_seconds=fact)
    with pytest.raises(ValueError, match="not known"):
        emit(example.stack(workloads=(example.workload(strategy=broken),)))


def test_a_kind_without_a_builder_is_refused() -> None:
    ref = ObjectRef("batch/v1", "Job", "llm", "chat")
    with pytest.raises(ValueError, match="no builder for batch/v1 Job"):
        emit(example.stack(workloads=(example.workload(ref=ref),)))
