"""RayCluster ray.io/v1 and v1alpha1, and the cluster inside the other kinds of KubeRay."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.frozen import frozen
from controlplane.stack.engine import Engine
from controlplane.stack.facts import ABSENT, Fact, Known
from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Workload
from controlplane.stack.pods import PodSet
from controlplane.stack.ray import GcsFaultTolerance, RayAutoscaling, RayCluster
from controlplane.stack.readers import metadata
from controlplane.stack.readers.container import amounts
from controlplane.stack.readers.ray_group import first_image, known, read_head, read_worker, unique_roles
from controlplane.stack.readers.ray_images import ray_version_of_image
from controlplane.stack.readers.ray_versions import with_version
from controlplane.stack.surroundings import surroundings_of
from controlplane.stack.versions import VERSION_ANNOTATION


@frozen
class ReadCluster:
    """A cluster with its pods, the head's first, and the engines that its containers start."""

    ray: RayCluster
    pod_sets: tuple[PodSet, ...]
    engines: tuple[Engine, ...]

    @property
    def ray_image(self) -> Fact[str]:
        """The image of the head's Ray container."""
        return first_image(self.pod_sets[0])


def read(manifest: Field) -> Workload:
    """The workload of a RayCluster: a pod set "head" and one for each worker group."""
    cluster = read_spec(manifest["spec"], manifest, manifest["spec"])
    return workload(manifest, cluster)


def workload(manifest: Field, cluster: ReadCluster | None) -> Workload:
    """What every kind of KubeRay is, before its own fields are added; without a cluster it uses another object's."""
    return Workload(
        ref=metadata.reference(manifest),
        pod_sets=cluster.pod_sets if cluster else (),
        engines=cluster.engines if cluster else (),
        labels=metadata.labels_of(manifest),
        annotations=metadata.annotations_of(manifest),
        origin=metadata.name_origin(manifest),
        label_origins=metadata.label_origins(manifest),
        namespace_origin=metadata.namespace_origin(manifest),
        ray=cluster.ray if cluster else None,
    )


def read_spec(spec: Field, manifest: Field, owner: Field) -> ReadCluster:
    """A RayClusterSpec inside a manifest; `owner` is the spec of the object, which decides how it is upgraded."""
    version = manifest.at("metadata", "annotations", VERSION_ANNOTATION).text()
    autoscaling = _autoscaling(spec)
    head = read_head(spec["headGroupSpec"], version)
    workers = [
        read_worker(group, version, autoscaled=known(autoscaling.enabled))
        for group in spec["workerGroupSpecs"].items()
    ]
    strategy = owner["upgradeStrategy"]
    image_version = ray_version_of_image(first_image(head.pods))
    cluster = RayCluster(
        head=head.group,
        workers=tuple(worker.group for worker in workers),
        version=_version(spec, image_version),
        image_version=image_version,
        autoscaling=autoscaling,
        gcs=_gcs(spec, manifest),
        auth_mode=spec.at("authOptions", "mode").text(),
        upgrade=strategy["type"].text(),
        upgrade_options=_upgrade_options(strategy["clusterUpgradeOptions"]),
        managed_by=owner["managedBy"].text(),
        suspend=_suspend(spec, owner),
        origin=spec.key_origin if spec.is_set else None,
    )
    groups = [head, *workers]
    engines = [
        with_version(engine, _image(engine, group.pods), manifest) for group in groups for engine in group.engines
    ]
    return ReadCluster(cluster, tuple(group.pods for group in groups), unique_roles(engines))


def _image(engine: Engine, pods: PodSet) -> Fact[str]:
    container = pods.container(engine.container)
    return container.image if container else ABSENT


def _version(spec: Field, image_version: Fact[str]) -> Fact[str]:
    """`rayVersion` as written; where the image does not tell it either, the version to assume."""
    written = spec["rayVersion"].text()
    return written if isinstance(image_version, Known) else surroundings_of(spec).version("ray", written)


def _autoscaling(spec: Field) -> RayAutoscaling:
    options = spec["autoscalerOptions"]
    return RayAutoscaling(
        enabled=spec["enableInTreeAutoscaling"].boolean(),
        version=options["version"].text(),
        idle_timeout_seconds=options["idleTimeoutSeconds"].integer(),
        upscaling_mode=options["upscalingMode"].text(),
        options=_written(options),
        requests=amounts(options.at("resources", "requests")),
        limits=amounts(options.at("resources", "limits")),
    )


def _gcs(spec: Field, manifest: Field) -> GcsFaultTolerance:
    options = spec["gcsFaultToleranceOptions"]
    return GcsFaultTolerance(
        options=_written(options),
        backend=options["backend"].text(),
        redis_address=options["redisAddress"].literal(),
        redis_password=_written(options["redisPassword"]),
        external_storage_namespace=options["externalStorageNamespace"].text(),
        annotation=manifest.at("metadata", "annotations", "ray.io/ft-enabled").text(),
    )


def _upgrade_options(options: Field) -> Mapping[str, Fact[int | str]]:
    return {name: option.integer_or_text() for name, option in options.entries()}


def _suspend(spec: Field, owner: Field) -> Fact[bool]:
    fact = spec["suspend"].boolean()
    return owner["suspend"].boolean() if fact == ABSENT and owner.path != spec.path else fact


def _written(field: Field) -> Fact[bool]:
    """Known(True) at its place where something is written at all."""
    return Known(True, field.key_origin) if field.is_set else ABSENT
