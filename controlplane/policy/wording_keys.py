"""Findings about keys: unknown, in the wrong section, missing."""

from __future__ import annotations

from dataclasses import replace

from controlplane.diagnostics import Applicability, Diagnostic, KeyPath, Remedy
from controlplane.policy.argument_names import argument_called
from controlplane.policy.findings import finding, replacing
from controlplane.policy.homes import OWNERS, Home, elsewhere, fold, home_of
from controlplane.policy.kinds import SECTIONS, known_keys
from controlplane.policy.wording import label
from controlplane.source import Document, nearest


def missing_key(document: Document, kind: str, parent: KeyPath, key: str) -> Diagnostic:
    """A key that must be there; shown at the mapping that lacks it."""
    where = label(parent) if parent else f"the {kind}"
    return finding(
        "policy/missing-key",
        f"{where} has no `{key}`",
        document.key_span(parent),
        (*parent, key),
        f"Add `{key}: …` to {where}.",
    )


def unknown_key(document: Document, kind: str, path: KeyPath) -> Diagnostic:
    """A key that its mapping does not know: misspelled, in the wrong section, or of another world."""
    key, parent = str(path[-1]), path[:-1]
    known = known_keys(kind, parent)
    same = next((k for k in known if fold(k) == fold(key)), None)
    if same is not None:
        return _misspelled(document, path, same, known)
    outside = _section(kind, parent)
    home = home_of(key, parent=outside)
    if home is not None and not _is_nearer(key, known):
        return _misplaced(document, kind, path, home, outside)
    advice = elsewhere(key)
    if advice is not None:
        message = f"{label(path)} is not known here; it is decided elsewhere"
        return finding("policy/misplaced-key", message, document.key_span(path), path, advice)
    argument = argument_called(key)
    if argument is not None and kind != "Fleet" and not _is_nearer(key, known):
        return _argument(document, kind, path, argument)
    if parent == ("metadata",) and key == "namespace":
        message = f"a {kind} has no namespace: policies are found by name in their folder"
        return finding("policy/unknown-key", message, document.key_span(path), path, "Remove it.")
    return _misspelled(document, path, nearest(key, known), known)


def _is_nearer(key: str, known: tuple[str, ...]) -> bool:
    """Whether a key is rather a misspelling of one that is known here, by one letter."""
    near = nearest(key, known)
    return near is not None and abs(len(near) - len(key)) <= 1 and near[:3].lower() == key[:3].lower()


def _section(kind: str, parent: KeyPath) -> tuple[str, ...]:
    """The section in which a key stands, and the keys from there to it."""
    if kind == "ModelService":
        return tuple(str(p) for p in parent[1:])
    section = next((s for s, named in SECTIONS.items() if named == kind), kind)
    return (section, *(str(p) for p in parent[1:]))


def _misplaced(document: Document, kind: str, path: KeyPath, home: Home, outside: tuple[str, ...]) -> Diagnostic:
    key = str(path[-1])
    if outside and outside[0] == home.section:
        message = f"{label(path)} is not known; it stands one level away, at `{home.path()}`"
    else:
        message = f"{key} is {OWNERS[home.section]} ({home.section} section): {home.reason()}"
    remedy = f"Move it to `spec.{home.path()}`{'' if kind == 'ModelService' else ' of the ModelService'}"
    if home.section in SECTIONS and kind != "ModelService":
        remedy += f", or to `spec.{'.'.join(home.keys)}` of a {SECTIONS[home.section]}"
    return finding("policy/misplaced-key", message, document.key_span(path), path, f"{remedy}.")


def _argument(document: Document, kind: str, path: KeyPath, argument: str) -> Diagnostic:
    """An argument of vLLM that has no key of its own here."""
    home = "spec.extraArgs" if kind == "MemoryPolicy" else "spec.memory.extraArgs"
    whose = "" if kind in ("ModelService", "MemoryPolicy") else " of the ModelService"
    return finding(
        "policy/misplaced-key",
        f"{label(path)} is not known; vLLM has an argument {argument}, which has no key of its own",
        document.key_span(path),
        path,
        f"Write it as `{home}.{argument}`{whose}.",
    )


def _misspelled(document: Document, path: KeyPath, near: str | None, known: tuple[str, ...]) -> Diagnostic:
    span = document.key_span(path)
    remedy = Remedy(f"Remove it; known here are {', '.join(known)}." if known else "Remove it.")
    place = document.places.get(path)
    if near is not None and place is not None and place.key is None:
        remedy = Remedy(f"Write `{near}` where the alias points.")
    elif near is not None:
        certain = fold(near) == fold(str(path[-1]))
        applicability = Applicability.SAFE if certain else Applicability.NEEDS_DECISION
        remedy = replacing(f"Write `{near}`.", span, near, applicability)
        if document.places.get((*path[:-1], near)) is not None:
            remedy = Remedy(f"Remove it; `{near}` is already there.")
    message = f"{label(path)} is not known" + (f"; the nearest known key is `{near}`" if near else "")
    return replace(finding("policy/unknown-key", message, span, path, ""), remedy=remedy)
