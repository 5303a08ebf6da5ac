"""Which vLLM an engine runs in a Ray cluster, where its own image does not tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controlplane.stack.engine import Engine
from controlplane.stack.facts import ABSENT, Fact, Known, OneOf, Table, Unknown, Why
from controlplane.stack.manifest_fields import Field
from controlplane.stack.ray_tables import vllm_of_ray
from controlplane.stack.readers.ray_images import is_ray_llm_image, ray_version_of_image
from controlplane.stack.surroundings import ASSUMED, surroundings_of
from controlplane.stack.versions import VERSION_ANNOTATION
from controlplane.stack.vllm_tables import versions

_NEEDS: Final = Unknown(Why.VERSION, "an image rayproject/ray-llm:X.Y.Z, or the annotation of the version")


def with_version(engine: Engine, image: Fact[str], manifest: Field) -> Engine:
    """The engine with its version: as its pods or its object declare it, as its image is locked to it, or assumed."""
    if isinstance(engine.version, Known) and engine.version.origin is not ASSUMED:
        return engine
    return replace(engine, version=version_in(image, manifest))


def version_in(image: Fact[str], manifest: Field) -> Fact[str]:
    """The version that an object declares for its engines, that an image is locked to, or that is assumed."""
    annotated = manifest.at("metadata", "annotations", VERSION_ANNOTATION).text()
    version = locked_version(image) if annotated == ABSENT else annotated
    return surroundings_of(manifest).version("vllm", version)


def locked_version(image: Fact[str]) -> Fact[str]:
    """The vLLM in Ray's own image for Serve LLM, as its release of Ray requires it.

    Where that is a lower bound, it is one of all releases from there on.
    """
    ray = ray_version_of_image(image)
    required = vllm_of_ray(ray.value) if isinstance(ray, Known) and is_ray_llm_image(image) else None
    if required is None or not isinstance(ray, Known):
        return _NEEDS
    origin = Table("vLLM required by ray[llm]", ray.value)
    if required.exact:
        return Known(required.least, origin)
    admitted = tuple(version for version in versions() if required.admits(version))
    return OneOf(admitted, origin) if admitted else _NEEDS
