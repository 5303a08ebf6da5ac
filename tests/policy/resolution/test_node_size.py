"""One pod on an empty node."""

from __future__ import annotations

import pytest

from tests.policy.folder import FLEET, findings, one, remedy, service


@pytest.mark.parametrize(("key", "value", "offered"), [("cpu", "200", "96"), ("memory", "2Ti", "1Ti")])
def test_pod_larger_than_a_node_is_told_at_its_own_line(key: str, value: str, offered: str) -> None:
    found = findings(FLEET, service(machine=f"{{{key}: {value}}}"))
    (only,) = found
    assert only.path == ("spec", "machine", key)
    assert only.message.startswith(f"machine.{key} is {value}; a node of pool `h100` offers {offered}")
    assert f"Set machine.{key} to {offered} or less" in remedy(only)


def test_whole_node_is_not_too_large() -> None:
    assert findings(FLEET, service(machine="{cpu: 96, memory: 1Ti}")) == []


def test_line_of_the_named_policy_is_shown() -> None:
    policy = """\
apiVersion: controlplane.dev/v1alpha1
kind: MachinePolicy
metadata: {name: huge}
spec: {cpu: 97}
"""
    found = one(findings(FLEET, policy, service(machine="{policy: huge}")), "policy/pod-larger-than-node")
    assert (found.span.file, found.path) == ("1.yaml", ("spec", "cpu"))
