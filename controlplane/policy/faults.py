"""What pydantic finds wrong with a document, as findings with exact places, all of them in one run.

What can be put aside is put aside, so that the rest of the document can still be judged: `Checked.unsure` names
the keys whose meaning is not known because their value was refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from controlplane.diagnostics import Diagnostic, KeyPath
from controlplane.policy.findings import finding
from controlplane.policy.kinds import KINDS, PolicyModel
from controlplane.policy.wording import describe, label
from controlplane.policy.wording_keys import missing_key, unknown_key
from controlplane.source import Document

_FREE = frozenset({"extraArgs"})
"""Keys below which null is a value like any other."""

_Gone = dict[Any, Any]
"""Paths as a tree, `_HERE` where one ends."""

_HERE = object()

_GENTLE = 3
"""Attempts at a model in which only the nearest mapping around each error is left out."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A document held against its kind: the model where enough of it is right, and what is wrong.

    `put_aside` are the paths that the model leaves out; `unsure` those of them that would have meant something.
    """

    model: PolicyModel | None
    diagnostics: tuple[Diagnostic, ...]
    unsure: frozenset[KeyPath] = frozenset()
    put_aside: frozenset[KeyPath] = frozenset()


def check(document: Document, kind: str) -> Checked:
    """Hold a document of one of our kinds against its model. The document's value must be a mapping."""
    empty = tuple(_nulls(document.value, ()))
    put_aside: set[KeyPath] = {("$schema",), *empty}
    model, errors = _validate(kind, without(document.value, put_aside))
    findings = [_empty(document, path) for path in empty]
    above = {path[:length] for path in empty for length in range(len(path) + 1)}
    errors = [error for error in errors if not _follows(error, errors, above)]
    findings += [_finding(document, kind, error) for error in errors]
    unsure = {*empty, *(_culprit(document, error) for error in errors if error["type"] != "extra_forbidden")}
    put_aside |= {_culprit(document, error) for error in errors}
    if model is None:
        model, wider = _salvage(document, kind, put_aside)
        put_aside, unsure = put_aside | wider, unsure | wider
    return Checked(model, tuple(findings), frozenset(unsure), frozenset(put_aside))


def without(value: Any, paths: Iterable[KeyPath]) -> Any:
    """A copy of a value without what stands at these paths."""
    gone: _Gone = {}
    for path in paths:
        node = gone
        for part in path:
            node = node.setdefault(part, {})
        node[_HERE] = {}
    return _pruned(value, gone)


def _pruned(value: Any, gone: _Gone) -> Any:
    below: _Gone = {}
    if isinstance(value, dict):
        return {k: _pruned(v, gone.get(k, below)) for k, v in value.items() if _HERE not in gone.get(k, below)}
    if isinstance(value, list):
        return [_pruned(v, gone.get(i, below)) for i, v in enumerate(value) if _HERE not in gone.get(i, below)]
    return value


def _validate(kind: str, value: Any) -> tuple[PolicyModel | None, list[Mapping[str, Any]]]:
    try:
        return KINDS[kind].model_validate(value), []
    except ValidationError as error:
        return None, list(error.errors(include_url=False))


def _salvage(document: Document, kind: str, put_aside: set[KeyPath]) -> tuple[PolicyModel | None, set[KeyPath]]:
    """The model without what was refused, and what else had to go for it: little at first, then parts of the spec."""
    wider: set[KeyPath] = set()
    for _ in range(_GENTLE):
        gone = put_aside | wider
        reduced = without(document.value, gone)
        model, errors = _validate(kind, reduced)
        if model is not None:
            return model, wider
        culprits = _as_written(document.value, {document_path(reduced, error["loc"]) for error in errors}, gone)
        wider |= {path for path in culprits if len(path) > 2 and _may_go_alone(path)}
    wider |= {path[:2] for path in culprits if len(path) > 1}
    model, _ = _validate(kind, without(document.value, put_aside | wider))
    return model, wider


def _may_go_alone(path: KeyPath) -> bool:
    """Whether nothing counts on the place of what goes: entries of lists are found by their index, but for `env`."""
    return isinstance(path[-1], str) or path[:2] == ("spec", "env")


def _as_written(value: Any, reduced: set[KeyPath], gone: set[KeyPath]) -> set[KeyPath]:
    """Paths through a value from which others were taken out, as they are in the whole one: entries moved up."""
    kept: dict[KeyPath, list[int]] = {}
    return {_moved_back(value, path, gone, kept) for path in reduced}


def _moved_back(value: Any, path: KeyPath, gone: set[KeyPath], kept: dict[KeyPath, list[int]]) -> KeyPath:
    found: KeyPath = ()
    for part in path:
        if isinstance(part, int):
            if found not in kept:
                kept[found] = [i for i in range(len(value)) if (*found, i) not in gone]
            part = kept[found][part]
        found, value = (*found, part), value[part]
    return found


def _nulls(value: Any, path: KeyPath) -> Iterator[KeyPath]:
    if value is None and path:
        yield path
    elif path and path[-1] in _FREE:
        return
    elif isinstance(value, dict):
        for key, child in value.items():
            yield from _nulls(child, (*path, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _nulls(child, (*path, index))


def document_path(value: Any, location: KeyPath) -> KeyPath:
    """The part of pydantic's location that leads through the document: tags of unions are dropped."""
    path: list[str | int] = []
    for part in location:
        inside = part in value if isinstance(value, dict) else isinstance(value, list) and part in range(len(value))
        if inside:
            path.append(part)
            value = value[part]
    return tuple(path)


def _culprit(document: Document, error: Mapping[str, Any]) -> KeyPath:
    """What to put aside: the value itself, or the mapping that lacks a key."""
    return document_path(document.value, error["loc"])


def _follows(error: Mapping[str, Any], errors: list[Mapping[str, Any]], above: set[KeyPath]) -> bool:
    """Whether an error is only the consequence of another one, or of an empty value, at or below a path of `above`.

    Pydantic counts the entries of a list after it has left out those that it refused.
    """
    place = tuple(error["loc"])
    match error["type"]:
        case "missing" | "refused":
            return place in above
        case "too_short":
            return any(len(other["loc"]) > len(place) and other["loc"][: len(place)] == place for other in errors)
        case _:
            return False


def _empty(document: Document, path: KeyPath) -> Diagnostic:
    return finding(
        "policy/empty-value",
        f"{label(path)} is empty",
        document.key_span(path),
        path,
        f"Give {label(path)} a value, or leave the key out.",
    )


def _finding(document: Document, kind: str, error: Mapping[str, Any]) -> Diagnostic:
    location: KeyPath = tuple(error["loc"])
    path = document_path(document.value, location)
    if error["type"] == "extra_forbidden":
        return unknown_key(document, kind, path)
    if error["type"] == "missing":
        return missing_key(document, kind, path, str(location[-1]))
    return describe(document, path, error)
