"""RolloutPolicy: how a change is brought in and kept, written by the release owners."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from controlplane.policy.vocabulary import Items, Name, PolicyMetadata, Seconds, Strict


class Timeouts(Strict):
    """How long a rollout waits for each layer before it returns or stops."""

    machines: Annotated[Seconds, Field(ge=1)] = 900
    """For the pods of each step of the rollout to be admitted, scheduled and started."""
    tasks: Annotated[Seconds, Field(ge=1)] = 600
    """For what runs inside the pods to be in place."""
    memory: Annotated[Seconds, Field(ge=1)] | None = None
    """For engines to answer; default: the startup probe's budget for each step of the rollout."""


class DriftCheck(Strict):
    """What happens when somebody else changes what we own."""

    mode: Literal["off", "warn", "enforce"] = "warn"
    """`warn` reports it, `enforce` writes our value again, `"off"` (with quotes) does not look."""
    interval: Annotated[Seconds, Field(ge=10)] = 300
    """Time between two checks."""


class RolloutSpec(Strict):
    """How a change is brought in and kept. Everything has a default."""

    strategy: Literal["rolling", "recreate"] = "rolling"
    """`rolling` replaces pods one by one, `recreate` ends all of them first."""
    surge: Annotated[int, Field(ge=0, le=1000)] = 0
    """New pods beyond the replicas during a rollout. Each needs GPUs that are free; with 0 an old pod goes first."""
    timeouts: Timeouts = Field(default_factory=Timeouts)
    """How long to wait for each layer."""
    return_: Annotated[Literal["automatic", "off"], Field(alias="return")] = "automatic"
    """Whether a failed rollout goes back to the last good revision by itself; `"off"` needs its quotes."""
    drift: DriftCheck = Field(default_factory=DriftCheck)
    """What happens when somebody else changes what we own."""


class RolloutUse(RolloutSpec):
    """A service's rollout section: values, or a RolloutPolicy by name with values that override it."""

    policy: Name | None = None
    """RolloutPolicy to start from."""


class RolloutPolicySpec(RolloutSpec):
    """A RolloutPolicy's values, and which of them services may not override."""

    locked: Items[str] = ()
    """Keys that a service may not override, such as `drift.mode`."""


class RolloutPolicy(Strict):
    """How a change is brought in and kept, under a name."""

    api_version: Literal["controlplane.dev/v1alpha1"]
    """Version of this form."""
    kind: Literal["RolloutPolicy"]
    """What this is."""
    metadata: PolicyMetadata
    """Its name."""
    spec: RolloutPolicySpec
    """What it says."""
