"""KServe's InferenceService serving.kserve.io/v1beta1 and its (Cluster)ServingRuntime v1alpha1.

A predictor with containers of its own is a pod like any other. One with a `model` gets its container from a serving
runtime, by rules of KServe's: what it runs is not known here, only what it asks for.
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why, derived
from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Workload
from controlplane.stack.pods import Count, CountOwner
from controlplane.stack.readers import container, workload
from controlplane.stack.readers.pod_template import PodParts, PodRole, ReadTemplate, read_parts

_CONTAINER = "kserve-container"


def read(manifest: Field) -> Workload:
    """The workload of an InferenceService: the pod set "predictor", and "worker" where its pods span hosts."""
    predictor = manifest.at("spec", "predictor")
    version = workload.declared_version(manifest)
    count = _count(predictor)
    templates = [_with_model(_pods(predictor, PodRole("predictor", count, version)), predictor["model"])]
    if predictor["workerSpec"].is_set:
        hosts = Unknown(Why.UNRESOLVED, "how many workers KServe makes for the parallelism")
        worker = PodRole("worker", count, version, role="worker", hosts_per_unit=hosts)
        templates.append(_pods(predictor["workerSpec"], worker))
    return replace(workload.read(manifest, templates), selector={})


def read_runtime(manifest: Field) -> Workload:
    """The pods that InferenceServices make of a serving runtime; how many is theirs to say."""
    spec = manifest["spec"]
    version = workload.declared_version(manifest)
    count = workload.uncounted("the InferenceServices that use the runtime")
    templates = [_pods(spec, PodRole("predictor", count, version))]
    if spec["workerSpec"].is_set:
        templates.append(_pods(spec["workerSpec"], PodRole("worker", count, version, role="worker")))
    return replace(workload.read(manifest, templates), selector={})


def _pods(spec: Field, role: PodRole) -> ReadTemplate:
    """KServe keeps labels and annotations of the pods beside the fields of their spec."""
    return read_parts(PodParts(spec, spec["labels"], spec["annotations"], spec.origin), role)


def _with_model(template: ReadTemplate, model: Field) -> ReadTemplate:
    """The container of a `model`, as far as the InferenceService says it: a serving runtime gives it the rest."""
    if not model.is_set or any(declared.name == _CONTAINER for declared in template.pods.containers):
        return template  # KServe merges the two by its own rules
    runtime = Unknown(Why.UNRESOLVED, "the serving runtime of the model")
    made = container.read(model)
    completed = replace(made, name=made.name or _CONTAINER, image=made.image if made.image != ABSENT else runtime)
    pods = replace(template.pods, containers=(completed, *template.pods.containers))
    return replace(template, pods=pods)


def _count(predictor: Field) -> Count:
    """minReplicas is one where it is not set; above it an autoscaler of KServe's or Knative's decides."""
    least: Fact[int] = predictor["minReplicas"].integer()
    if least == ABSENT:
        least = derived(1, "KServe's default where minReplicas is not set")
    most: Fact[int] = predictor["maxReplicas"].integer()
    if most == ABSENT or (isinstance(most, Known) and most == least):
        return Count(least, least, least)
    return Count(least, least, most, CountOwner.HPA)
