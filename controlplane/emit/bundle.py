"""What the compiler makes: manifests, with the origin of every field.

A builder returns a tree of plain values in which leaves (or whole subtrees) may be wrapped in `Sourced`; `lower`
separates the two, so that no builder keeps paths by hand.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.diagnostics import KeyPath
from controlplane.stack.facts import Derived, Fact, Known, Origin, Unknown, Why
from controlplane.stack.references import ObjectRef

Manifest = dict[str, Any]
"""One Kubernetes object as plain values (dict, list, str, int, float, bool, None)."""


@dataclass(frozen=True, slots=True)
class Sourced:
    """A value or subtree of a manifest under construction, and where it came from."""

    value: Any
    origin: Origin


def sourced(fact: Fact[Any]) -> Sourced | None:
    """A known fact as a field of a manifest; None, which `lower` leaves out, when nothing sets it.

    Raises ValueError for a value that is set but not known: leaving it out would change what was declared.
    """
    if isinstance(fact, Known):
        return Sourced(fact.value, fact.origin)
    if isinstance(fact, Unknown) and fact.why is Why.ABSENT:
        return None
    raise ValueError(f"cannot write a manifest from a value that is not known: {fact}")


def at(value: Any, origin: Origin | None) -> Any:
    """A value with its origin where one is kept; else it takes that of what surrounds it."""
    return value if origin is None else Sourced(value, origin)


def fixed(value: Any, why: str) -> Sourced:
    """A field that no policy sets: a rule of ours, with its reason."""
    return Sourced(value, Derived(why))


@dataclass(frozen=True, slots=True)
class EmittedObject:
    """One manifest. `provenance` has an origin for each leaf; `service` is `namespace/name` of the ModelService."""

    ref: ObjectRef
    manifest: Manifest
    provenance: Mapping[KeyPath, Origin]
    service: str

    def origin_of(self, path: KeyPath) -> Origin | None:
        """The origin of a field, or that of its nearest parent that has one."""
        for length in range(len(path), -1, -1):
            found = self.provenance.get(path[:length])
            if found is not None:
                return found
        return None


@dataclass(frozen=True, slots=True)
class Bundle:
    """All objects of one compilation, in apply order."""

    objects: tuple[EmittedObject, ...]

    def of_service(self, service: str) -> Bundle:
        """The objects made for one service (`namespace/name`)."""
        return Bundle(tuple(o for o in self.objects if o.service == service))

    def services(self) -> tuple[str, ...]:
        """The services with objects here, in order of their names."""
        return tuple(sorted({o.service for o in self.objects if o.service}))

    def digest(self) -> str:
        """SHA-256 over the manifests, in hexadecimal; the same for the same objects in any order."""
        lines = sorted(json.dumps(o.manifest, sort_keys=True, separators=(",", ":")) for o in self.objects)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def lower(tree: Any, default: Origin) -> tuple[Any, dict[KeyPath, Origin]]:
    """Separate a builder's tree into plain values and the origin of each leaf.

    Mapping entries whose value is None are left out, so a builder may write optional fields in place, and so are
    mappings of which nothing is left; one that is written empty stays. Leaves outside any `Sourced` get `default`.
    """
    provenance: dict[KeyPath, Origin] = {}
    value = _lower(tree, (), default, provenance)
    return value, provenance


def _lower(node: Any, path: KeyPath, origin: Origin, provenance: dict[KeyPath, Origin]) -> Any:
    if isinstance(node, Sourced):
        return _lower(node.value, path, node.origin, provenance)
    if isinstance(node, Mapping):
        if not node:
            provenance[path] = origin
        return {k: _lower(v, (*path, k), origin, provenance) for k, v in _present(node)}
    if isinstance(node, list | tuple):
        if not node:
            provenance[path] = origin
        return [_lower(v, (*path, i), origin, provenance) for i, v in enumerate(node)]
    provenance[path] = origin
    return node


def _present(node: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((k, v) for k, v in node.items() if not _vanishes(v))


def _vanishes(node: Any) -> bool:
    if isinstance(node, Sourced):
        return _vanishes(node.value)
    return node is None or (isinstance(node, Mapping) and bool(node) and all(map(_vanishes, node.values())))
