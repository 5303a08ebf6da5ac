"""Which keys stand where."""

from __future__ import annotations

import pytest

from controlplane.diagnostics import KeyPath
from controlplane.policy.kinds import known_keys


@pytest.mark.parametrize(
    ("kind", "path", "keys"),
    [
        ("Fleet", ("spec", "pools", 0, "nodes"), ("max", "min")),
        ("Fleet", ("spec", "pools", 0, "taints", 1), ("effect", "key", "value")),
        ("ModelService", ("spec", "model", "from"), ("hub", "image", "pvc")),
        ("ModelService", ("spec", "model", "from", "hub", "secret"), ("key", "name")),
        ("ModelService", ("spec", "machine", "termination"), ("drain", "grace", "preStop")),
        ("RolloutPolicy", ("spec", "drift"), ("interval", "mode")),
        ("ModelService", ("spec", "memory", "extraArgs"), ()),
        ("ModelService", ("spec", "nowhere"), ()),
    ],
)
def test_keys_of_a_mapping_are_known(kind: str, path: KeyPath, keys: tuple[str, ...]) -> None:
    assert known_keys(kind, path) == keys
