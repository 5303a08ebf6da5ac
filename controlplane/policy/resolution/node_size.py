"""Whether one pod fits on an empty node of its pool: if not, no number of nodes or replicas helps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.diagnostics import Diagnostic, Layer
from controlplane.policy.findings import finding
from controlplane.policy.resolution.setting import Setting, evidence
from controlplane.source import Quantity
from controlplane.stack.facts import Fact, Known

LARGER_THAN_NODE: Final = frozenset({"policy/engine-larger-than-node", "policy/pod-larger-than-node"})
"""Rules after which the pods of a service need not be packed: the reason is told already."""


def check_node_size(setting: Setting, requests: Mapping[str, Fact[Quantity]]) -> list[Diagnostic]:
    """Findings for what the policy itself asks for; what is derived is a part of the node."""
    offered = {"cpu": setting.pool.cpu, "memory": setting.pool.memory}
    section = setting.service.machine
    wanted = {key: fact for key, fact in requests.items() if key in offered and section.wrote(key)}
    return [
        _too_large(setting, key, fact, offered[key])
        for key, fact in wanted.items()
        if setting.certain and isinstance(fact, Known) and fact.value.nano > offered[key].nano
    ]


def _too_large(setting: Setting, key: str, wanted: Known[Quantity], offered: Quantity) -> Diagnostic:
    where = setting.service.machine.declared(key)
    return finding(
        "policy/pod-larger-than-node",
        f"machine.{key} is {wanted.value}; a node of pool `{setting.pool.name}` offers {offered}, so no node takes "
        "the pod",
        where.span,
        where.path,
        f"Set machine.{key} to {offered} or less, leave it out, or choose a pool with larger nodes.",
        layer=Layer.KUBERNETES,
        evidence=(evidence(f"{key} of a pod", wanted), evidence(f"{key} of a node", setting.pool_fact(offered, key))),
    )
