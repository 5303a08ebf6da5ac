"""What people write, checked, and resolved to a Stack."""

from __future__ import annotations

from controlplane.policy.loading import load_policies
from controlplane.policy.policy_set import PolicySet
from controlplane.policy.resolve import Resolution, RolloutSettings, inventory, resolve, resolve_all, rollout_settings

__all__ = [
    "PolicySet",
    "Resolution",
    "RolloutSettings",
    "inventory",
    "load_policies",
    "resolve",
    "resolve_all",
    "rollout_settings",
]
