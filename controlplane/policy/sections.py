"""A service's sections: values inline, or a named policy with overrides, minus what the policy locks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from controlplane.diagnostics import Diagnostic, KeyPath, RelatedSpan
from controlplane.policy.faults import without
from controlplane.policy.findings import finding
from controlplane.policy.kinds import SECTIONS, known_keys
from controlplane.policy.policy_set import Policy, Section
from controlplane.policy.vocabulary import Strict
from controlplane.policy.wording import label, shown
from controlplane.source import Document, nearest
from controlplane.stack.facts import Declared

S = TypeVar("S", bound=Strict)

_BOOKKEEPING: Final = frozenset({"policy", "locked"})
_OPAQUE: Final = frozenset({"extraArgs"})
"""Mappings whose entries are values of another program: they are overridden whole, entry by entry."""


@dataclass(frozen=True, slots=True)
class _Leaf:
    value: Any
    origin: Declared
    document: Document


_Leaves = dict[KeyPath, _Leaf]


def assemble(
    name: str,
    model: type[S],
    service: Policy[Any],
    named: Mapping[str, Policy[Any]],
    broken: frozenset[tuple[str, str]],
) -> tuple[Section[S], list[Diagnostic]]:
    """Put a section together from the policy it names and what it says itself."""
    path: KeyPath = ("spec", name)
    written = _at(service.document.value, path)
    inline = written if isinstance(written, dict) else {}
    # Only a rollout may be given by the bare name of its policy.
    reference = written if isinstance(written, str) and name == "rollout" else inline.get("policy")
    base, findings = _base(name, reference, service, named, broken)
    leaves = _leaves(service, path)
    below = {} if base is None else _leaves(base, ("spec",))
    if base is not None:
        locked = _locked_overrides(base, leaves, below)
        findings += [
            _locked(name, base, index, path, leaves[path], below.get(path)) for path, index in locked.items()
        ]
        leaves = {path: leaf for path, leaf in leaves.items() if path not in locked}
    merged = below | leaves
    value = model.model_validate(_tree(merged))
    unsure = _within(service.unsure, path) | (frozenset() if base is None else _within(base.unsure, ("spec",)))
    if reference is not None and base is None:
        unsure |= {()}
    places = {p: leaf.origin for p, leaf in merged.items()}
    keys = {p: leaf.document.key_span(leaf.origin.path) for p, leaf in merged.items()}
    return Section(name, value, service.declared(*path), places, unsure, keys), findings


def unknown_locks(name: str, policy: Policy[Any]) -> list[Diagnostic]:
    """Keys in `locked` that the kind does not have: they would lock nothing."""
    findings = []
    for index, key in enumerate(policy.spec.locked):
        parts = key.split(".")
        known = [k for k in known_keys("ModelService", ("spec", name, *parts[:-1])) if k not in _BOOKKEEPING]
        if parts[0] in _OPAQUE or parts[-1] in known:
            continue
        path: KeyPath = ("spec", "locked", index)
        near = nearest(parts[-1], known)
        meant = ".".join([*parts[:-1], near]) if near else ""
        remedy = f"Write `{meant}`." if near else f"Lock one of {', '.join(known)}." if known else "Remove it."
        message = f"locked key `{key}` is not a key of a {SECTIONS[name]}, so it locks nothing"
        findings.append(finding("policy/unknown-locked-key", message, policy.span(*path), path, remedy))
    return findings


def _base(
    name: str,
    reference: object,
    service: Policy[Any],
    named: Mapping[str, Policy[Any]],
    broken: frozenset[tuple[str, str]],
) -> tuple[Policy[Any] | None, list[Diagnostic]]:
    if not isinstance(reference, str) or ("spec", name, "policy") in service.unsure:
        return None, []
    kind = SECTIONS[name]
    if reference in named or (kind, reference) in broken:
        return named.get(reference), []
    path: KeyPath = ("spec", name, "policy")
    return None, [unknown_name(kind, reference, named, service, path)]


def unknown_name(
    kind: str, reference: str, named: Mapping[str, object], service: Policy[Any], path: KeyPath
) -> Diagnostic:
    """A reference to a policy that is not there, with the nearest that is."""
    near = nearest(reference, named)
    there = f"there are {', '.join(sorted(named))}" if named else "there is none here"
    message = f"{label(path)}: no {kind} is called `{reference}`; {there}"
    remedy = f"Write `{near}`." if near else f"Add a {kind} called `{reference}` to the folder, or name another."
    return finding("policy/unknown-reference", message, service.span(*path), path, remedy)


def _locked_overrides(base: Policy[Any], over: _Leaves, below: _Leaves) -> dict[KeyPath, int]:
    """The paths that a service overrides although they are locked, each with the index of the lock.

    To repeat the policy's own value overrides nothing.
    """
    locks = [tuple(key.split(".")) for key in base.spec.locked]
    found: dict[KeyPath, int] = {}
    for path, leaf in over.items():
        if path in below and (type(leaf.value), leaf.value) == (type(below[path].value), below[path].value):
            continue
        for index, lock in enumerate(locks):
            if path[: len(lock)] == lock:
                found.setdefault(path, index)
    return found


def _locked(name: str, base: Policy[Any], index: int, path: KeyPath, over: _Leaf, below: _Leaf | None) -> Diagnostic:
    kind, key = SECTIONS[name], ".".join(str(p) for p in path)
    theirs = f"its value there is {shown(below.value)}" if below else "its default holds there"
    message = f"{name}.{key} is {shown(over.value)} here, but {kind} `{base.name}` locks it; {theirs}"
    return finding(
        "policy/locked-key",
        message,
        over.document.key_span(over.origin.path),
        over.origin.path,
        f"Remove `{key}` here, or have the owner of `{base.name}` unlock `{base.spec.locked[index]}`.",
        related=(RelatedSpan(base.span("spec", "locked", index), "locked here"),),
    )


def _leaves(policy: Policy[Any], root: KeyPath) -> _Leaves:
    """The values that a section of a document sets, by path inside the section."""
    document = policy.document
    section = _at(without(document.value, set(policy.put_aside)), root)
    found: _Leaves = {}
    for path, value in _walk(section, ()) if isinstance(section, dict) else ():
        whole = (*root, *path)
        found[path] = _Leaf(value, Declared(document.span_of(whole), whole), document)
    return found


def _walk(node: dict[str, Any], path: KeyPath, opaque: bool = False) -> Iterator[tuple[KeyPath, Any]]:
    for key, value in node.items():
        if not path and key in _BOOKKEEPING:
            continue
        if isinstance(value, dict) and not opaque:
            yield from _walk(value, (*path, key), key in _OPAQUE)
        else:
            yield (*path, key), value


def _tree(leaves: _Leaves) -> dict[str, Any]:
    root: dict[str, Any] = {}
    for path, leaf in leaves.items():
        node = root
        for part in path[:-1]:
            node = node.setdefault(str(part), {})
        node[str(path[-1])] = leaf.value
    return root


def _at(value: Any, path: KeyPath) -> Any:
    for part in path:
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value


def _within(paths: frozenset[KeyPath], root: KeyPath) -> frozenset[KeyPath]:
    return frozenset(path[len(root) :] for path in paths if path[: len(root)] == root)
