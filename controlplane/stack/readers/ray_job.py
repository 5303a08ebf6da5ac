"""RayJob and RayCronJob ray.io/v1 and v1alpha1: an entrypoint, and the Ray cluster made for it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from controlplane.diagnostics import Layer
from controlplane.stack.engine import Engine
from controlplane.stack.environment import Environment
from controlplane.stack.facts import ABSENT, Fact, Known, Origin, value_of
from controlplane.stack.manifest_fields import Field, TypeFault
from controlplane.stack.model import Workload
from controlplane.stack.ray import RayEntrypoint, RayResources
from controlplane.stack.readers.ray_cluster import read_spec, workload
from controlplane.stack.readers.ray_embedded import embedded_root, runtime_variables
from controlplane.stack.readers.ray_group import unique_roles
from controlplane.stack.readers.ray_versions import version_in
from controlplane.stack.vllm_command_line import CommandContext, EngineCommand, read_engines
from controlplane.stack.words import Word

_ROLE: Final = "entrypoint"
_REFUSED_BY_RAY: Final = TypeFault("ray/field-type", Layer.RAY, "Ray refuses the runtime environment as it is")


def read(manifest: Field) -> Workload:
    """The workload of a RayJob; without a cluster of its own it has no pods."""
    return _of_spec(manifest, manifest["spec"])


def read_cron_job(manifest: Field) -> Workload:
    """The workload of a RayCronJob: that of the job it makes."""
    return _of_spec(manifest, manifest.at("spec", "jobTemplate"))


def _of_spec(manifest: Field, spec: Field) -> Workload:
    inner = spec["rayClusterSpec"]
    cluster = read_spec(inner, manifest, spec) if inner.is_set else None
    made = workload(manifest, cluster)
    started = _engines(spec["entrypoint"], cluster.ray_image if cluster else ABSENT, manifest)
    environment = embedded_root(spec["runtimeEnvYAML"], _REFUSED_BY_RAY)
    if environment is not None:
        variables = runtime_variables(environment)
        started = tuple(replace(engine, variables=variables) for engine in started)
    return replace(made, job=_entrypoint(spec), engines=unique_roles([*made.engines, *started]))


def _entrypoint(spec: Field) -> RayEntrypoint:
    return RayEntrypoint(
        command=spec["entrypoint"].literal(),
        driver=RayResources(
            cpu=spec["entrypointNumCpus"].number(),
            gpu=spec["entrypointNumGpus"].number(),
            custom=_custom(spec["entrypointResources"]),
        ),
        submission_mode=spec["submissionMode"].text(),
        runtime_env=spec["runtimeEnvYAML"].literal(),
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


def _engines(entrypoint: Field, image: Fact[str], manifest: Field) -> tuple[Engine, ...]:
    """The engines that the entrypoint starts. Ray chooses their node, so they have no pods and no container."""
    if not isinstance(entrypoint.value, str):
        return ()
    version = version_in(image, manifest)
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
