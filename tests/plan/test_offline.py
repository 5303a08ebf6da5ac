"""Without a cluster everything is new, and the notes say whether it fits on the Fleet."""

from __future__ import annotations

import pytest

from controlplane.plan.changes import Action, Reason
from controlplane.plan.offline import plan_offline
from controlplane.plan.planfile import read_plan, write_plan
from controlplane.source import Quantity, parse_quantity
from controlplane.stack.facts import ABSENT, Derived, Fact, Known
from controlplane.stack.inventory import Inventory, NodePool
from controlplane.stack.model import Workload
from controlplane.stack.pods import Container, Count, PodSet
from controlplane.stack.references import ObjectRef
from tests.plan.realistic import bundle, deployment, service

_GPU = "nvidia.com/gpu"


def known(value: int) -> Fact[int]:
    return Known(value, Derived("test"))


def amount(text: str) -> Quantity:
    return parse_quantity(text)


def workload(name: str, pods: Fact[int], gpus: str) -> Workload:
    container = Container(
        "vllm", Known("image", Derived("test")), limits={_GPU: Known(amount(gpus), Derived("test"))}
    )
    pod_set = PodSet(name, Count(pods, pods, pods), known(1), (container,))
    return Workload(ObjectRef("apps/v1", "Deployment", "llm", name), (pod_set,))


def fleet(now: int, most: int) -> Inventory:
    count = Count(known(now), known(now), known(most))
    return Inventory((NodePool("h100", count, {_GPU: amount("8"), "cpu": amount("64")}),))


def test_everything_is_created_and_nothing_is_said_about_live() -> None:
    made = plan_offline(bundle(deployment(), service()), Inventory(), source_digests={"a.yaml": "sha256:1"})
    assert made.offline
    assert [(c.ref.kind, c.action, c.reason) for c in made.changes] == [
        ("Service", Action.CREATE, Reason.OFFLINE),
        ("Deployment", Action.CREATE, Reason.OFFLINE),
    ]
    assert all(c.precondition.uid is None and not c.fields for c in made.changes)
    assert read_plan(write_plan(made)).changes == made


@pytest.mark.parametrize(
    ("pods", "gpus", "now", "most", "note"),
    [
        (2, "4", 1, 1, "All 2 pods fit on the Fleet's 1 nodes when nothing else runs there."),
        (3, "4", 1, 2, "1 of 3 pods wait until the pools grow: the Fleet has 1 nodes to begin with and 2 at most."),
        (
            3,
            "5",
            1,
            2,
            (
                "Deployment/llm/chat: 1 of its 3 pods find no place on the Fleet's 2 nodes. "
                "A pod asks for 5 nvidia.com/gpu. Ask for less, or let the pool grow."
            ),
        ),
    ],
)
def test_the_notes_say_whether_the_pods_fit(pods: int, gpus: str, now: int, most: int, note: str) -> None:
    made = plan_offline(bundle(), fleet(now, most), [workload("chat", known(pods), gpus)])
    assert made.notes == (note,)


def test_workloads_share_the_machines() -> None:
    both = [workload("chat", known(1), "8"), workload("other", known(1), "1")]
    (note,) = plan_offline(bundle(), fleet(1, 1), both).notes
    assert note.startswith("Deployment/llm/other: 1 of its 1 pods find no place")


def test_what_is_not_known_is_said_and_not_guessed() -> None:
    made = plan_offline(bundle(), fleet(1, 1), [workload("chat", ABSENT, "1")])
    assert made.notes == ("Cannot tell whether Deployment/llm/chat fits: its number of pods is not known.",)
    unknown = Inventory((NodePool("h100", Count(ABSENT, ABSENT, ABSENT), {}),))
    made = plan_offline(bundle(), unknown, [workload("chat", known(1), "1")])
    assert made.notes == ("Cannot tell how many nodes there are in h100: the Fleet does not say.",)


def test_without_workloads_there_are_no_notes() -> None:
    assert plan_offline(bundle(service()), fleet(1, 1)).notes == ()
