"""RayJob and RayCronJob ray.io/v1 and v1alpha1: an entrypoint, and the Ray cluster made for it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from controlplane.diagnostics import Layer
from controlplane.stack.engine import Engine
from controlplane.stack.environment import Environment
from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why, value_of
from controlplane.stack.manifest_fields import Field, TypeFault
from controlplane.stack.model import Workload
from controlplane.stack.ray import RayEntrypoint, RayResources
from controlplane.stack.readers.ray_cluster import read_spec, workload
from controlplane.stack.readers.ray_embedded import embedded_root
from controlplane.stack.versions import VERSION_ANNOTATION
from controlplane.stack.vllm_command_line import read_command_line

_ROLE: Final = "entrypoint"
_NO_VERSION: Final = Unknown(Why.VERSION, "the annotation controlplane.dev/vllm-version, or --assume vllm=")
_REFUSED_BY_RAY: Final = TypeFault("ray/field-type", Layer.RAY, "Ray refuses the runtime environment as it is")


def read(manifest: Field) -> Workload:
    """The workload of a RayJob; without a cluster of its own it has no pods."""
    return _of_spec(manifest, manifest["spec"])


def read_cron_job(manifest: Field) -> Workload:
    """The workload of a RayCronJob: that of the job it makes."""
    return _of_spec(manifest, manifest.at("spec", "jobTemplate"))


def _of_spec(manifest: Field, spec: Field) -> Workload:
    cluster_spec = spec["rayClusterSpec"]
    made = workload(manifest, read_spec(cluster_spec, manifest, spec) if cluster_spec.is_set else None)
    job = _entrypoint(spec)
    engine = _engine(job.command, manifest)
    return replace(made, job=job, engines=(*made.engines, engine) if engine else made.engines)


def _entrypoint(spec: Field) -> RayEntrypoint:
    environment = spec["runtimeEnvYAML"]
    if environment.is_set:
        embedded_root(environment, _REFUSED_BY_RAY)
    return RayEntrypoint(
        command=spec["entrypoint"].literal(),
        driver=RayResources(
            cpu=spec["entrypointNumCpus"].number(),
            gpu=spec["entrypointNumGpus"].number(),
            custom=_custom(spec["entrypointResources"]),
        ),
        submission_mode=spec["submissionMode"].text(),
        runtime_env=environment.literal(),
        shutdown_after_job_finishes=spec["shutdownAfterJobFinishes"].boolean(),
        ttl_seconds_after_finished=spec["ttlSecondsAfterFinished"].integer(),
        active_deadline_seconds=spec["activeDeadlineSeconds"].integer(),
        backoff_limit=spec["backoffLimit"].integer(),
        cluster_selector=spec["clusterSelector"].text_map(),
        origin=spec["entrypoint"].origin if spec["entrypoint"].is_set else None,
    )


def _custom(text: Field) -> dict[str, Fact[float]]:
    """`entrypointResources`, a JSON map of numbers; nothing where it is none."""
    fact = text.text()
    try:
        parsed = json.loads(fact.value) if isinstance(fact, Known) else {}
    except (ValueError, RecursionError):
        return {}
    if not isinstance(parsed, dict) or not isinstance(fact, Known):
        return {}
    return {name: Known(float(amount), fact.origin) for name, amount in parsed.items() if _is_amount(amount)}


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def _engine(command: Fact[str], manifest: Field) -> Engine | None:
    """The engine that the entrypoint starts, if one. Ray chooses the node, so it has no pods and no container."""
    if not isinstance(command, Known):
        return None
    version = manifest.at("metadata", "annotations", VERSION_ANNOTATION).text()
    shell: list[Fact[str]] = [Known(word, command.origin) for word in ("/bin/sh", "-c")]
    around = Environment(open_ended=True)
    line = read_command_line(shell, [command], around, value_of(version), has_vllm_entrypoint=False)
    if line is None:
        return None
    return Engine(
        role=_ROLE,
        pod_set="",
        container="",
        version=_NO_VERSION if version == ABSENT else version,
        model=line.model,
        arguments=line.arguments,
        launch=line.launch,
        served_model_name=line.served_model_name,
        complete=line.complete,
        origin=command.origin,
    )
