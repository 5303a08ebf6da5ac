"""RayService ray.io/v1 and v1alpha1: a Ray cluster and the Serve applications that run in it."""

from __future__ import annotations

from dataclasses import replace

from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Workload
from controlplane.stack.readers.ray_cluster import read_spec, workload
from controlplane.stack.readers.ray_versions import with_version
from controlplane.stack.readers.serve_config import read_serve


def read(manifest: Field) -> Workload:
    """The workload of a RayService; an engine of Serve LLM names its deployment instead of a container."""
    spec = manifest["spec"]
    cluster = read_spec(spec["rayClusterConfig"], manifest, spec)
    made = workload(manifest, cluster)
    read = read_serve(spec["serveConfigV2"], [engine.role for engine in made.engines])
    if read is None:
        return made
    engines = tuple(with_version(engine, cluster.ray_image, manifest) for engine in read.engines)
    serve = replace(read.serve, has_own_service=spec["serveService"].is_set)
    return replace(made, serve=serve, engines=(*made.engines, *engines))
