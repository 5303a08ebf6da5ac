from __future__ import annotations

import pytest

from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.facts import ABSENT, Unknown, Why, value_of
from controlplane.stack.ray import RayEntrypoint
from tests.stack.manifests import read_text, workload
from tests.stack.places import written, written_at

JOB = """\
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: batch}
spec:
  entrypoint: python -m vllm.entrypoints.openai.api_server --model m --tensor-parallel-size=2
  entrypointNumCpus: 1
  entrypointNumGpus: 0.5
  entrypointResources: '{"special": 2}'
  submissionMode: HTTPMode
  runtimeEnvYAML: |
    env_vars: {A: b}
  shutdownAfterJobFinishes: true
  ttlSecondsAfterFinished: 60
  activeDeadlineSeconds: 3600
  backoffLimit: 2
  suspend: true
  rayClusterSpec:
    headGroupSpec: {template: {spec: {containers: [{name: head, image: x}]}}}
    workerGroupSpecs:
    - {groupName: gpu, template: {spec: {containers: [{name: w, image: x}]}}}
"""
CRON = """\
apiVersion: ray.io/v1
kind: RayCronJob
metadata: {name: nightly}
spec:
  schedule: "0 0 * * *"
  jobTemplate:
    entrypoint: python train.py
    rayClusterSpec:
      headGroupSpec: {template: {spec: {containers: [{name: head, image: x}]}}}
"""


def job(text: str) -> RayEntrypoint:
    found = workload(text).job
    assert found is not None
    return found


def test_a_job_has_every_option_at_its_place() -> None:
    found = job(JOB)
    facts = {
        "1": found.driver.cpu,
        "0.5": found.driver.gpu,
        "HTTPMode": found.submission_mode,
        "true": found.shutdown_after_job_finishes,
        "60": found.ttl_seconds_after_finished,
        "3600": found.active_deadline_seconds,
        "2": found.backoff_limit,
    }
    for expected, fact in facts.items():
        assert written(JOB, fact) == expected
    assert value_of(found.driver.custom["special"]) == 2.0
    assert value_of(found.runtime_env) == "env_vars: {A: b}\n"
    assert written_at(JOB, found.origin).startswith("python -m vllm")


def test_the_cluster_of_a_job_is_its_own() -> None:
    found = workload(JOB)
    assert [pods.name for pods in found.pod_sets] == ["head", "gpu"]
    assert found.ray is not None
    assert value_of(found.ray.suspend) is True


def test_an_engine_that_the_entrypoint_starts_has_no_container() -> None:
    (engine,) = engines_of(read_text(JOB).stack)
    assert (engine.engine.role, engine.engine.pod_set, engine.engine.container) == ("entrypoint", "", "")
    assert (engine.pods, engine.container, engine.gpus) == (None, None, ABSENT)
    assert value_of(engine.engine.model) == "m"
    assert value_of(engine.tensor_parallel) == 2
    assert written(JOB, engine.written("tensor_parallel_size")) == "2"
    assert engine.version is None
    assert [(variable.name, value_of(variable.value)) for variable in engine.engine.variables] == [("A", "b")]


def test_engines_of_a_script_are_numbered() -> None:
    command = "python -m vllm.entrypoints.openai.api_server --model m --tensor-parallel-size=2"
    found = workload(JOB.replace(command, "|\n    vllm serve a --port 1 &\n    vllm serve b --port 2"))
    assert [(engine.role, value_of(engine.model)) for engine in found.engines] == [
        ("entrypoint", "a"),
        ("entrypoint-2", "b"),
    ]
    assert workload(JOB.replace(command, "python batch.py --model m")).engines == ()


def test_a_job_in_another_cluster_has_no_pods() -> None:
    spec = "{entrypoint: x, clusterSelector: {ray.io/cluster: b}}"
    text = f"apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {{name: a}}\nspec: {spec}\n"
    found = workload(text)
    assert (found.ray, found.pod_sets) == (None, ())
    assert job(text).cluster_selector == {"ray.io/cluster": "b"}


def test_a_cron_job_is_the_job_it_makes() -> None:
    found = workload(CRON)
    assert [pods.name for pods in found.pod_sets] == ["head"]
    assert written(CRON, job(CRON).command) == "python train.py"


def test_a_runtime_environment_that_is_no_yaml_is_a_finding_in_its_place() -> None:
    (finding,) = read_text(JOB.replace("env_vars: {A: b}", "env_vars: {A: b")).diagnostics
    assert (finding.rule, finding.span.line) == ("yaml/syntax", 12)


@pytest.mark.parametrize("text", ["'{}'", "'[1]'", '\'{"a": "b"}\'', "text", "'{'"])
def test_custom_resources_that_are_none_are_left_out(text: str) -> None:
    assert job(JOB.replace("'{\"special\": 2}'", text)).driver.custom == {}


def test_a_templated_entrypoint_is_unknown() -> None:
    found = workload(CRON.replace("python train.py", "'{{ .Values.command }}'"))
    assert found.job is not None
    assert found.job.command == Unknown(Why.TEMPLATED)
    assert found.engines == ()
