"""Which documents are one Stack: those that could be applied together.

A folder of samples defines the same object over and over; overlays define it once an environment. Objects of
different files are judged together only where the whole is something that can be applied as it is, that is, where no
object is defined twice. Otherwise nothing is known of what belongs to what but the folders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from controlplane.frozen import frozen
from controlplane.source import Document

_Identity = tuple[str, str, str, str]
"""API group, kind, namespace and name of an object."""

_SHARED = ("", "Node")
_REPEATABLE = frozenset({("", "Namespace")})
"""Kinds that every file may bring along without meaning another object."""


@frozen
class _Part:
    """A document with the objects in it. `order` is its position in the input."""

    order: int
    document: Document
    objects: tuple[_Identity, ...]

    @property
    def folder(self) -> tuple[str, ...]:
        """The folders above the file, from the outermost."""
        return tuple(self.document.file.replace("\\", "/").split("/")[:-1])

    @property
    def describes_machines(self) -> bool:
        """Whether it holds Nodes alone, which every workload of the input may run on."""
        return bool(self.objects) and all(found[:2] == _SHARED for found in self.objects)


def together(documents: Iterable[Document]) -> tuple[tuple[Document, ...], ...]:
    """The documents in groups, each of them one Stack; groups and documents keep the order of the input.

    Nodes are in every group of their folder and of those below it where no Node is defined twice, since all pods of a
    cluster share its machines; the Node of an example says nothing about the manifests of other folders.
    """
    parts = [_Part(order, document, tuple(_objects(document.value))) for order, document in enumerate(documents)]
    machines = [part for part in parts if part.describes_machines]
    rest = [part for part in parts if not part.describes_machines]
    if not rest or _clash(machines):
        rest, machines = parts, []
    groups = sorted(_groups(rest, 0), key=lambda group: group[0].order)
    alone = len(groups) <= 1
    whole = [
        sorted([*(m for m in machines if alone or _serves(m, group)), *group], key=lambda part: part.order)
        for group in groups
    ]
    used = {part.order for group in whole for part in group}
    whole.append([machine for machine in machines if machine.order not in used])
    return tuple(tuple(part.document for part in group) for group in whole if group)


def _serves(machine: _Part, group: Sequence[_Part]) -> bool:
    """Whether the folder of a Node's file holds every file of a group."""
    depth = len(machine.folder)
    return all(part.folder[:depth] == machine.folder for part in group)


def _groups(parts: Sequence[_Part], depth: int) -> list[list[_Part]]:
    """`depth` is the number of folders that all parts have in common and that were split already."""
    if not parts:
        return []
    if not _clash(parts):
        return [list(parts)]
    here = [part for part in parts if len(part.folder) <= depth]
    below: dict[str, list[_Part]] = {}
    for part in parts:
        if len(part.folder) > depth:
            below.setdefault(part.folder[depth], []).append(part)
    found = _of_one_folder(here)
    for name in below:
        found += _groups(below[name], depth + 1)
    return found


def _of_one_folder(parts: Sequence[_Part]) -> list[list[_Part]]:
    """All files of a folder together, or each by itself, and then each document by itself."""
    if not parts:
        return []
    if not _clash(parts):
        return [list(parts)]
    files: dict[str, list[_Part]] = {}
    for part in parts:
        files.setdefault(part.document.file, []).append(part)
    found: list[list[_Part]] = []
    for file in files.values():
        found += [[part] for part in file] if _clash(file) else [file]
    return found


def _clash(parts: Iterable[_Part]) -> bool:
    """Whether an object is defined twice."""
    counted = Counter(found for part in parts for found in part.objects if found[:2] not in _REPEATABLE)
    return any(count > 1 for count in counted.values())


def _objects(value: object) -> Iterable[_Identity]:
    """The objects of a manifest or of a List; one that leaves its name to the API server is never the same."""
    if not isinstance(value, Mapping):
        return
    if value.get("kind") == "List" and value.get("apiVersion") == "v1":
        items = value.get("items")
        for item in items if isinstance(items, list) else []:
            yield from _objects(item) if isinstance(item, Mapping) and item.get("kind") != "List" else ()
        return
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    if isinstance(metadata, Mapping) and isinstance(name, str):
        group = _text(value.get("apiVersion")).rpartition("/")[0]
        yield (group, _text(value.get("kind")), _text(metadata.get("namespace")), name)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
