"""Manifests -> Stack.

Everything that is declared becomes one Stack, in the order of the objects' references. What no reader knows is
listed with the reason, so that nobody takes silence for approval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from controlplane.diagnostics import Diagnostic, Span
from controlplane.frozen import frozen
from controlplane.source import Document
from controlplane.stack.config_maps import ConfigMaps
from controlplane.stack.facts import Known
from controlplane.stack.fields_check import check
from controlplane.stack.inventory import Inventory
from controlplane.stack.kinds import CONFIG_MAP, NODE, REFERENCES, STATEFUL_SET, WORKLOADS, reads
from controlplane.stack.manifest_fields import Field, of_document, of_live_object
from controlplane.stack.model import Context, Stack, Workload
from controlplane.stack.ownership import with_owners
from controlplane.stack.readers import metadata, node, stateful_set
from controlplane.stack.references import Autoscaler, ObjectRef, Reference
from controlplane.stack.surroundings import ASSUMED, Surroundings

__all__ = ["Reading", "Skipped", "read", "read_live", "reads"]


@frozen
class Skipped:
    """An object that was not judged, and why."""

    ref: ObjectRef
    span: Span
    reason: str


@frozen
class Reading:
    """What could be read, what is wrong with it, and what was left aside."""

    stack: Stack
    diagnostics: tuple[Diagnostic, ...] = ()
    skipped: tuple[Skipped, ...] = ()


@dataclass(slots=True)
class _Found:
    workloads: list[Workload] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    nodes: list[Field] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    def add(self, manifest: Field) -> None:
        ref = metadata.reference(manifest)
        kind = metadata.kind(manifest)
        if kind in WORKLOADS:
            self.workloads.append(WORKLOADS[kind](manifest))
            if kind == STATEFUL_SET:
                self.references += stateful_set.claims(manifest)
        elif kind in REFERENCES:
            self.references.append(REFERENCES[kind](manifest))
        elif kind == NODE:
            self.nodes += [manifest] if node.is_machine(manifest) else []
        elif kind != CONFIG_MAP:
            self.skipped.append(Skipped(ref, manifest.source.span(manifest.path), _reason(manifest)))

    def stack(self, assume: Mapping[str, str], inventory: Inventory | None) -> Stack:
        is_complete = bool(self.nodes) or inventory is not None
        references = tuple(sorted(self.references, key=lambda reference: reference.ref))
        autoscalers = [reference for reference in references if isinstance(reference, Autoscaler)]
        return Stack(
            inventory=inventory or Inventory(node.read(self.nodes)),
            workloads=with_owners(sorted(self.workloads, key=lambda workload: workload.ref), autoscalers),
            references=references,
            context=Context(
                versions={component: Known(version, ASSUMED) for component, version in sorted(assume.items())},
                complete=frozenset({"Node"}) if is_complete else frozenset(),
            ),
        )


def read(
    documents: Iterable[Document], assume: Mapping[str, str] | None = None, inventory: Inventory | None = None
) -> Reading:
    """The Stack of some documents. Never raises: what is wrong is a diagnostic, what is strange is skipped.

    `assume` gives versions by component ("vllm", "ray") where nothing tells them. `inventory` are the machines there
    are, when they are known from elsewhere than from Nodes among the documents.
    """
    return _read([of_document(document) for document in documents], assume or {}, inventory)


def read_live(manifests: Iterable[Mapping[str, Any]]) -> Reading:
    """The Stack of objects as an API server gives them."""
    return _read([of_live_object(manifest, _live_name(manifest)) for manifest in manifests], {}, None)


def _read(roots: Sequence[Field], assume: Mapping[str, str], inventory: Inventory | None) -> Reading:
    found = _Found()
    manifests = [manifest for root in roots for manifest in _flattened(root)]
    surroundings = Surroundings(ConfigMaps(m for m in manifests if metadata.kind(m) == CONFIG_MAP), assume)
    for root in roots:
        root.source.surroundings = surroundings
    for manifest in manifests:
        found.add(manifest)
        check(manifest)
    stack = found.stack(assume, inventory)
    # A field that several readers look at is found once.
    diagnostics = sorted({finding for root in roots for finding in root.source.findings})
    return Reading(stack, tuple(diagnostics), tuple(found.skipped))


def _flattened(manifest: Field) -> Iterator[Field]:
    """A manifest, or the items of a List. A List in a List is no object that an API server has."""
    if manifest["kind"].value == "List" and manifest["apiVersion"].value == "v1":
        yield from manifest["items"].items()
    elif manifest.is_set:
        yield manifest


def _live_name(manifest: Mapping[str, Any]) -> str:
    return str(metadata.reference(of_live_object(manifest, "")))


def _reason(manifest: Field) -> str:
    kind = manifest["kind"].value
    if not isinstance(manifest.value, dict):
        return "not a manifest: the document is no map"
    if not isinstance(kind, str) or not isinstance(manifest["apiVersion"].value, str):
        return "not a manifest: apiVersion and kind are missing"
    return f"no reader for {manifest['apiVersion'].value} {kind}"
