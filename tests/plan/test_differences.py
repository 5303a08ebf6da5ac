"""Two states compared: every single edit is one difference at its own place."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.diagnostics import KeyPath
from controlplane.plan.addresses import MISSING, label
from controlplane.plan.differences import differences
from controlplane.plan.field_ownership import Nodes, all_nodes, manager_entries
from tests.plan.realistic import at, leaf_paths, with_value

_TRIPLES = Path(__file__).parent / "triples"
_STATES = {
    name: json.loads((_TRIPLES / f"{name}.json").read_text())["live"]
    for name in (
        "deployment-as-applied",
        "service-as-applied",
        "ray-cluster-as-applied",
        "deployment-sidecar-injected",
    )
}
# A change of these is another item, so it is one less and one more.
_MERGE_KEYS = {"name", "containerPort", "protocol", "port", "mountPath", "groupName", "whenUnsatisfiable"}


def found(before: Any, after: Any, nodes: Nodes = ()) -> list[tuple[str, Any, Any]]:
    wrapped = ({"metadata": {}, "spec": state} for state in (before, after))
    return [(label(d.address).removeprefix("spec."), d.before, d.after) for d in differences(*wrapped, nodes)]


def editable(state: Any) -> list[KeyPath]:
    paths = [p for p in leaf_paths(state) if p[0] == "spec" and p[-1] not in _MERGE_KEYS]
    return [p for p in paths if "topologySpreadConstraints" not in p]


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from(sorted(_STATES)))
def test_an_edit_of_any_field_is_one_difference_at_its_path(data: st.DataObject, name: str) -> None:
    state = _STATES[name]
    path = data.draw(st.sampled_from(editable(state)))
    value = data.draw(
        st.sampled_from(["another", 123456, True, {"a": 1}, ["x"]]).filter(lambda v: v != at(state, path))
    )
    after = with_value(state, path, value)
    nodes = all_nodes(manager_entries(state))
    (only,) = differences(state, after, nodes)
    assert only.path[: len(path)] == path
    (back,) = differences(after, state, nodes)
    assert back.path[: len(path)] == path
    assert (back.before, back.after) == (only.after, only.before)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from(sorted(_STATES)))
def test_a_removed_field_is_one_difference_at_its_path(data: st.DataObject, name: str) -> None:
    state = _STATES[name]
    path = data.draw(st.sampled_from([p for p in editable(state) if not isinstance(p[-1], int)]))
    after = copy.deepcopy(state)
    del at(after, path[:-1])[path[-1]]
    nodes = all_nodes(manager_entries(state))
    (only,) = differences(state, after, nodes)
    assert (only.path, only.before, only.after) == (path, at(state, path), MISSING)
    (back,) = differences(after, state, nodes)
    assert (back.path, back.before, back.after) == (path, MISSING, at(state, path))


@pytest.mark.parametrize("name", _STATES)
def test_a_state_does_not_differ_from_itself_in_any_order_of_keys(name: str) -> None:
    state = _STATES[name]
    turned = json.loads(json.dumps(state, sort_keys=True))
    assert list(differences(state, turned, all_nodes(manager_entries(state)))) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param({"args": ["a", "b"]}, {"args": ["a", "c"]}, [("args[1]", "b", "c")], id="one argument"),
        pytest.param({"args": ["a"]}, {"args": ["a", "b"]}, [("args", ["a"], ["a", "b"])], id="an argument more"),
        pytest.param(
            {"args": ["a", "b"]}, {"args": ["b", "a"]}, [("args[0]", "a", "b"), ("args[1]", "b", "a")], id="turned"
        ),
        pytest.param(
            {"tolerations": [{"key": "a"}]},
            {"tolerations": [{"key": "a"}, {"key": "b"}]},
            [("tolerations[1]", MISSING, {"key": "b"})],
            id="an item more at the end",
        ),
        pytest.param(
            {"tolerations": [{"key": "a"}, {"key": "b"}]},
            {"tolerations": [{"key": "b"}]},
            [("tolerations", [{"key": "a"}, {"key": "b"}], [{"key": "b"}])],
            id="the first item less",
        ),
        pytest.param(
            {"groups": [{"groupName": "a", "n": 1}, {"groupName": "b", "n": 1}]},
            {"groups": [{"groupName": "b", "n": 2}]},
            [
                ("groups[groupName=b].n", 1, 2),
                ("groups[groupName=a]", {"groupName": "a", "n": 1}, MISSING),
            ],
            id="named items line up by name",
        ),
        pytest.param(
            {"groups": [{"groupName": "a"}, {"groupName": "b"}]},
            {"groups": [{"groupName": "b"}, {"groupName": "a"}]},
            [("groups", [{"groupName": "a"}, {"groupName": "b"}], [{"groupName": "b"}, {"groupName": "a"}])],
            id="named items turned are a change",
        ),
        pytest.param(
            {"env": [{"name": "A", "value": "1"}, {"name": "B"}]},
            {"env": [{"name": "B"}, {"name": "A", "value": "2"}]},
            [("env[name=A].value", "1", "2")],
            id="a map list in another order",
        ),
        pytest.param(
            {"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]},
            {"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "3"}]},
            [("env[1].value", "2", "3")],
            id="a name twice goes by place",
        ),
        pytest.param(
            {"ports": [{"containerPort": 1}]},
            {"ports": [{"containerPort": 1, "protocol": "TCP", "name": "x"}]},
            [
                ("ports[containerPort=1,protocol=TCP].name", MISSING, "x"),
                ("ports[containerPort=1,protocol=TCP].protocol", MISSING, "TCP"),
            ],
            id="a port with and without its protocol",
        ),
        pytest.param(
            {"finalizers": ["a", "b"]},
            {"finalizers": ["b", "c"]},
            [("finalizers[c]", MISSING, "c"), ("finalizers[a]", "a", MISSING)],
            id="a set",
        ),
        pytest.param({"a": {"b": {"c": 1}}}, {}, [("a.b.c", 1, MISSING)], id="a lone field under maps"),
        pytest.param({"a": {"b": {"c": 1, "d": 2}}}, {}, [("a.b", {"c": 1, "d": 2}, MISSING)], id="a subtree"),
        pytest.param({}, {"a": {}}, [("a", MISSING, {})], id="an empty map"),
        pytest.param({"a": None}, {}, [], id="null and absent"),
        pytest.param({"a": 1}, {"a": True}, [("a", 1, True)], id="a number and a boolean"),
        pytest.param({"a": "x"}, {"a": {"b": 1}}, [("a", "x", {"b": 1})], id="a text and a map"),
        pytest.param({"limits": {"cpu": "1000m"}}, {"limits": {"cpu": 1}}, [], id="a quantity respelt"),
    ],
)
def test_differences_of_small_states(before: Any, after: Any, expected: list[tuple[str, Any, Any]]) -> None:
    assert found(before, after) == expected


def test_what_managers_track_decides_how_a_list_is_compared() -> None:
    before, after = {"widgets": [{"id": 1, "x": 1}, {"id": 2}]}, {"widgets": [{"id": 2}, {"id": 1, "x": 2}]}
    keyed: Nodes = ({"f:spec": {"f:widgets": {'k:{"id":1}': {".": {}, "f:x": {}}}}},)
    atomic: Nodes = ({"f:spec": {"f:widgets": {}}},)
    assert found(before, after, keyed) == [("widgets[id=1].x", 1, 2)]
    assert [each[0] for each in found(before, after, atomic)] == [
        *("widgets[0].id", "widgets[0].x", "widgets[1].id", "widgets[1].x")
    ]


def test_the_order_of_init_containers_counts() -> None:
    names = [{"name": "a"}, {"name": "b"}]
    expected = [("initContainers", ["a", "b"], ["b", "a"])]
    assert found({"initContainers": names}, {"initContainers": names[::-1]}) == expected
    assert found({"containers": names}, {"containers": names[::-1]}) == []
