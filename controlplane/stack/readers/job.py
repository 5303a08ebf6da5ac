"""Job and CronJob batch/v1."""

from __future__ import annotations

from dataclasses import replace

from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Workload
from controlplane.stack.readers import metadata, pod_template, workload


def read(manifest: Field) -> Workload:
    """The workload of a Job, with one pod set that has its name and as many pods as run at a time."""
    return _read(manifest, manifest["spec"])


def read_cron_job(manifest: Field) -> Workload:
    """The workload of a CronJob: that of one of the Jobs it makes."""
    return _read(manifest, manifest.at("spec", "jobTemplate", "spec"))


def _read(manifest: Field, spec: Field) -> Workload:
    name = metadata.reference(manifest).name
    version = workload.declared_version(manifest)
    template = pod_template.read(spec["template"], name, workload.count(spec["parallelism"]), version)
    return replace(
        workload.read(manifest, [template]),
        selector=spec.at("selector", "matchLabels").text_map(),
        parallelism=spec["parallelism"].integer(),
        completions=spec["completions"].integer(),
    )
