"""RayJob and RayCronJob ray.io/v1 and v1alpha1: an entrypoint, and the Ray cluster made for it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from controlplane.diagnostics import Layer
from controlplane.stack.engine import Engine
from controlplane.stack.environment import Environment
from controlplane.stack.facts import ABSENT, Fact, Known, Origin, Unknown, Why, value_of
from controlplane.stack.manifest_fields import Field, TypeFault
from controlplane.stack.model import Workload
from controlplane.stack.ray import RayEntrypoint, RayResources
from controlplane.stack.readers.ray_cluster import read_spec, workload
from controlplane.stack.readers.ray_embedded import embedded_root
from controlplane.stack.surroundings import surroundings_of
from controlplane.stack.versions import VERSION_ANNOTATION
from controlplane.stack.vllm_command_line import CommandContext, EngineCommand, read_engines
from controlplane.stack.words import Word

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
    return replace(made, job=_entrypoint(spec), engines=(*made.engines, *_engines(spec["entrypoint"], manifest)))


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


def _engines(entrypoint: Field, manifest: Field) -> tuple[Engine, ...]:
    """The engines that the entrypoint starts. Ray chooses their node, so they have no pods and no container."""
    if not isinstance(entrypoint.value, str):
        return ()
    annotated = manifest.at("metadata", "annotations", VERSION_ANNOTATION).text()
    version = surroundings_of(manifest).version("vllm", _NO_VERSION if annotated == ABSENT else annotated)
    around = CommandContext(Environment(open_ended=True), value_of(version))
    # Ray hands the entrypoint to a shell (Ray 2.60, dashboard/modules/job/job_supervisor.py).
    lines = read_engines([Word("/bin/sh"), Word("-c"), entrypoint.word()], [], around)
    return tuple(_engine(line, _role(number), version, entrypoint.origin) for number, line in enumerate(lines, 1))


def _role(number: int) -> str:
    return _ROLE if number == 1 else f"{_ROLE}-{number}"


def _engine(line: EngineCommand, role: str, version: Fact[str], origin: Origin) -> Engine:
    return Engine(
        role=role,
        pod_set="",
        container="",
        version=version,
        model=line.model,
        arguments=line.arguments,
        launch=line.launch,
        served_model_name=line.served_model_name,
        complete=line.complete,
        written=line.written,
        alternative=line.alternative,
        origin=origin,
    )
