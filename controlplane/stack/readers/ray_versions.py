"""Which vLLM an engine of Serve LLM runs."""

from __future__ import annotations

from dataclasses import replace

from controlplane.stack.engine import Engine
from controlplane.stack.facts import ABSENT, Fact
from controlplane.stack.manifest_fields import Field
from controlplane.stack.surroundings import surroundings_of
from controlplane.stack.versions import VERSION_ANNOTATION


def with_version(engine: Engine, image: Fact[str], manifest: Field) -> Engine:
    """The engine with the version that its object declares, that the image is locked to, or that is assumed."""
    annotated = manifest.at("metadata", "annotations", VERSION_ANNOTATION).text()
    version = engine.version if annotated == ABSENT else annotated
    del image
    return replace(engine, version=surroundings_of(manifest).version("vllm", version))
