from __future__ import annotations

from controlplane.sandbox.fleet import machines_of
from controlplane.sandbox.machines import Machine
from controlplane.source import Quantity
from controlplane.stack.facts import ABSENT, Derived, Known
from controlplane.stack.inventory import Accelerator, Inventory, NodePool, Taint
from controlplane.stack.node_labels import ACCELERATOR_ANNOTATION, POOL_LABEL
from controlplane.stack.pods import Count


def _pool(name: str, nodes: Count) -> NodePool:
    return NodePool(
        name=name,
        nodes=nodes,
        allocatable={
            "cpu": Quantity(192 * 10**9),
            "memory": Quantity.from_bytes(2 * 1024**4),
            "nvidia.com/gpu": Quantity(8 * 10**9),
        },
        labels={"pool": name},
        taints=(Taint("nvidia.com/gpu", "present"), Taint("dedicated", effect="NoExecute")),
        accelerator=Accelerator("H100-80GB", "nvidia.com/gpu", 8),
    )


def _known(number: int) -> Known[int]:
    return Known(number, Derived("test"))


def test_pool_becomes_as_many_machines_as_it_wants_or_else_its_least_number() -> None:
    inventory = Inventory(
        pools=(
            _pool("large", Count(min=_known(1), desired=_known(3), max=_known(4))),
            _pool("small", Count(min=_known(1), desired=ABSENT, max=_known(4))),
        )
    )
    assert [machine.name for machine in machines_of(inventory)] == ["large-0", "large-1", "large-2", "small-0"]


def test_machine_offers_what_the_pool_says() -> None:
    one = Count(min=_known(1), desired=_known(1), max=_known(1))
    (machine,) = machines_of(Inventory(pools=(_pool("h100", one),)))
    assert machine == Machine(
        name="h100-0",
        labels={"pool": "h100", "kubernetes.io/hostname": "h100-0", POOL_LABEL: "h100"},
        annotations=machine.annotations,
        taints=(("nvidia.com/gpu", "present", "NoSchedule"), ("dedicated", "", "NoExecute")),
        allocatable={"cpu": "192", "memory": "2Ti", "nvidia.com/gpu": "8", "pods": "110"},
    )
    assert machine.annotations[ACCELERATOR_ANNOTATION] == "H100-80GB"
