"""Policies to a Stack, as a whole."""

from __future__ import annotations

from controlplane.policy import inventory, resolve, rollout_settings
from controlplane.stack.facts import Declared, Known, value_of
from controlplane.stack.inventory import Accelerator, Taint
from controlplane.stack.model import Stack
from tests.policy.folder import FLEET, load, service, stack


def test_inventory_is_the_fleets() -> None:
    found = stack(FLEET, service()).inventory
    (pool,) = found.pools
    assert pool.name == "h100"
    assert (value_of(pool.nodes.min), value_of(pool.nodes.desired), value_of(pool.nodes.max)) == (2, 2, 2)
    assert {k: str(v) for k, v in pool.allocatable.items()} == {
        "cpu": "96",
        "memory": "1Ti",
        "pods": "110",
        "nvidia.com/gpu": "8",
    }
    assert pool.taints == (Taint("nvidia.com/gpu", "present"), Taint("dedicated", "", "NoExecute"))
    assert pool.accelerator == Accelerator("H100-80GB", "nvidia.com/gpu", 8)
    assert [(s.name, value_of(s.read_bytes_per_second)) for s in found.storage] == [("nvme", 2 << 30)]


def test_size_of_a_pool_comes_from_its_line() -> None:
    (pool,) = stack(FLEET.replace("nodes: 2", "nodes: {min: 1, max: 4}"), service()).inventory.pools
    assert (value_of(pool.nodes.min), value_of(pool.nodes.max)) == (1, 4)
    assert isinstance(pool.nodes.max, Known)
    assert isinstance(pool.nodes.max.origin, Declared)
    assert pool.nodes.max.origin.path[-1] == "max"


def test_context_has_the_versions_and_knows_all_nodes() -> None:
    context = stack(FLEET.replace("1.36.3", "1.36.3, kuberay: 1.6.2"), service()).context
    assert {name: value_of(fact) for name, fact in context.versions.items()} == {
        "kubernetes": "1.36.3",
        "kuberay": "1.6.2",
    }
    assert "Node" in context.complete


def test_objects_stand_in_the_order_of_their_names() -> None:
    found = stack(FLEET, service(name="b"), service(name="a"))
    assert [w.ref.name for w in found.workloads] == ["a", "b"]
    assert list(found.references) == sorted(found.references, key=lambda r: r.ref)


def test_objects_know_the_line_that_names_them() -> None:
    found = stack(FLEET, service())
    origins = [found.workloads[0].origin, *(r.origin for r in found.references)]
    assert all(isinstance(o, Declared) and (o.span.file, o.span.line) == ("1.yaml", 3) for o in origins)


def test_same_policies_give_the_same_stack() -> None:
    assert stack(FLEET, service()) == stack(FLEET, service())
    assert stack(FLEET, service()) != stack(FLEET, service(task="{replicas: 2}"))


def test_fleet_alone_gives_its_inventory() -> None:
    policy_set, _ = load(FLEET)
    found, findings = resolve(policy_set)
    assert findings == ()
    assert len(found.inventory.pools) == 1
    assert found.workloads == ()


def test_inventory_has_the_machines_of_all_fleets() -> None:
    policy_set, _ = load(FLEET, FLEET.replace("name: prod", "name: test").replace("name: h100", "name: l4"))
    assert [pool.name for pool in inventory(policy_set).pools] == ["h100", "l4"]


def test_nothing_gives_an_empty_stack() -> None:
    policy_set, _ = load("")
    assert resolve(policy_set) == (Stack(), ())
    assert rollout_settings(policy_set) == {}


def test_context_of_the_fleet_goes_with_the_rollout() -> None:
    policy_set, _ = load(FLEET.replace("spec:\n", "spec:\n  context: eu\n"), service())
    assert rollout_settings(policy_set)["llm/chat"].context == "eu"
    assert rollout_settings(policy_set)["llm/chat"].served_model == "meta-llama/Llama-3.1-8B-Instruct"
