"""All policies of one run, each with the document it was read from, and sections put together from several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from controlplane.diagnostics import KeyPath, Span
from controlplane.policy.fleet import FleetSpec
from controlplane.policy.guardrail import GuardrailSpec
from controlplane.policy.machine_policy import MachinePolicySpec, MachineSpec
from controlplane.policy.memory_policy import MemoryPolicySpec, MemorySpec
from controlplane.policy.model_service import ModelService
from controlplane.policy.rollout_policy import RolloutPolicySpec, RolloutSpec
from controlplane.policy.task_policy import TaskPolicySpec, TaskSpec
from controlplane.policy.vocabulary import Strict
from controlplane.source import Document
from controlplane.stack.facts import ABSENT, Declared, Derived, Fact, Known, Unknown, Why

S = TypeVar("S", bound=Strict)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Policy(Generic[S]):
    """One policy as written: its content, and the document that has the places.

    `unsure` are the paths of values that were refused: what `spec` says there is only a default. `put_aside` are
    those and the keys that are not known.
    """

    name: str
    spec: S
    document: Document
    unsure: frozenset[KeyPath] = frozenset()
    put_aside: frozenset[KeyPath] = frozenset()

    def declared(self, *path: str | int) -> Declared:
        """The origin of the value at a path of the document."""
        return Declared(self.document.span_of(path), path)

    def fact(self, value: T | None, *path: str | int) -> Fact[T]:
        """The value at a path of the document as a fact; a default where the document does not have it."""
        return _fact(value, path, path in self.document.places, self.unsure, self.declared(*path))

    def span(self, *path: str | int) -> Span:
        """The value's place, or its nearest parent's."""
        return self.document.span_of(path)


@dataclass(frozen=True, slots=True)
class Section(Generic[S]):
    """A section of a service after references and overrides, with the place of every key that anybody wrote."""

    name: str
    value: S
    whole: Declared
    places: Mapping[KeyPath, Declared] = field(default_factory=dict)
    unsure: frozenset[KeyPath] = frozenset()
    keys: Mapping[KeyPath, Span] = field(default_factory=dict)

    def key_declared(self, *path: str) -> Declared:
        """Where a key stands, for findings that are about the key and not about its value."""
        where = self.declared(*path)
        return Declared(self.keys.get(path, where.span), where.path)

    def fact(self, value: T | None, *path: str) -> Fact[T]:
        """The value under a key path of the section as a fact; its default where nobody wrote it."""
        return _fact(value, path, path in self.places, self.unsure, self.declared(*path), self.name)

    def declared(self, *path: str) -> Declared:
        """Where a key was written, or the nearest thing above it that was."""
        if path in self.places:
            return self.places[path]
        for length in range(len(path), 0, -1):
            below = [d for p, d in self.places.items() if p[:length] == path[:length]]
            if below:
                return self.places.get(path[:length], below[0])
        return self.whole

    def wrote(self, *path: str) -> bool:
        """Whether anybody wrote that key."""
        return path in self.places


def _fact(
    value: T | None, path: KeyPath, written: bool, unsure: frozenset[KeyPath], where: Declared, section: str = ""
) -> Fact[T]:
    if unsure and any(path[:length] in unsure for length in range(len(path) + 1)):
        return Unknown(Why.UNRESOLVED, "the value was refused")
    if value is None:
        return ABSENT
    if written:
        return Known(value, where)
    key = ".".join(str(part) for part in ((section, *path) if section else path[1:]))
    return Known(value, Derived(f"default of {key}, which no policy sets"))


@dataclass(frozen=True, slots=True)
class Service:
    """A ModelService with its sections put together."""

    policy: Policy[ModelService]
    machine: Section[MachineSpec]
    task: Section[TaskSpec]
    memory: Section[MemorySpec]
    rollout: Section[RolloutSpec]

    @property
    def name(self) -> str:
        """The service's name."""
        return self.policy.spec.metadata.name

    @property
    def namespace(self) -> str:
        """The namespace of its objects."""
        return self.policy.spec.metadata.namespace

    @property
    def key(self) -> str:
        """`namespace/name`, which is what the rest of the program calls it."""
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class PolicySet:
    """All policies of one run by kind and name. `services` stand in the order of their keys.

    `broken` are kind and name of those that could not be judged: a reference to one proves nothing. `foreign` counts
    the documents that are not ours.
    """

    fleets: Mapping[str, Policy[FleetSpec]] = field(default_factory=dict)
    machines: Mapping[str, Policy[MachinePolicySpec]] = field(default_factory=dict)
    tasks: Mapping[str, Policy[TaskPolicySpec]] = field(default_factory=dict)
    memories: Mapping[str, Policy[MemoryPolicySpec]] = field(default_factory=dict)
    rollouts: Mapping[str, Policy[RolloutPolicySpec]] = field(default_factory=dict)
    guardrails: Mapping[str, Policy[GuardrailSpec]] = field(default_factory=dict)
    services: tuple[Service, ...] = ()
    foreign: int = 0
    broken: frozenset[tuple[str, str]] = frozenset()
