"""Stack -> Bundle: manifests in which every field knows where it came from."""

from __future__ import annotations

from controlplane.emit.bundle import Bundle, EmittedObject, Manifest
from controlplane.emit.compile import emit
from controlplane.emit.yaml_text import explained_yaml, manifest_yaml, to_yaml

__all__ = ["Bundle", "EmittedObject", "Manifest", "emit", "explained_yaml", "manifest_yaml", "to_yaml"]
