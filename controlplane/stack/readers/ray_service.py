"""RayService ray.io/v1 and v1alpha1: a Ray cluster and the Serve applications that run in it."""

from __future__ import annotations

from dataclasses import replace

from controlplane.stack.engine import Engine
from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Workload
from controlplane.stack.readers.ray_cluster import read_spec, workload
from controlplane.stack.readers.ray_versions import with_version
from controlplane.stack.readers.serve_config import ReadServe, read_serve


def read(manifest: Field) -> Workload:
    """The workload of a RayService; an engine of Serve LLM names its deployment instead of a container."""
    spec = manifest["spec"]
    cluster = read_spec(spec["rayClusterConfig"], manifest, spec)
    read = read_serve(spec["serveConfigV2"])
    made = workload(manifest, cluster)
    if read is None:
        return made
    return replace(made, serve=read.serve, engines=(*made.engines, *_engines(read, made, manifest)))


def _engines(read: ReadServe, made: Workload, manifest: Field) -> tuple[Engine, ...]:
    taken = {engine.role for engine in made.engines}
    named = (replace(one, role=f"serve/{one.role}") if one.role in taken else one for one in read.engines)
    return tuple(with_version(engine, manifest) for engine in named)
