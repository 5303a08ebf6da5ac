"""Which vLLM an engine of Serve LLM runs."""

from __future__ import annotations

from dataclasses import replace

from controlplane.stack.engine import Engine
from controlplane.stack.facts import Known
from controlplane.stack.manifest_fields import Field
from controlplane.stack.versions import VERSION_ANNOTATION


def with_version(engine: Engine, manifest: Field) -> Engine:
    """The engine with the version that its object or the pods of the cluster declare; unchanged where they do not."""
    declared = manifest.at("metadata", "annotations", VERSION_ANNOTATION).text()
    if isinstance(declared, Known):
        return replace(engine, version=declared)
    return engine
