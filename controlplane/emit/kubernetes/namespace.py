"""Namespace v1."""

from __future__ import annotations

from controlplane.emit.bundle import EmittedObject
from controlplane.emit.kubernetes.metadata import emitted, metadata
from controlplane.stack.references import Namespace


def build(namespace: Namespace) -> EmittedObject:
    """The manifest of a namespace that we own."""
    tree = {"metadata": metadata(namespace.ref, namespace.labels)}
    return emitted(namespace.ref, tree, namespace.labels, namespace.origin)
