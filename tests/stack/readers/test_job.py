from __future__ import annotations

import pytest

from controlplane.stack.facts import value_of
from tests.stack.manifests import workload

POD = "{spec: {containers: [{name: main, image: i, command: [vllm, serve, m]}], restartPolicy: Never}}"
JOB = f"""\
apiVersion: batch/v1
kind: Job
metadata: {{name: batch}}
spec: {{parallelism: 4, completions: 8, template: {POD}}}
"""
CRON_JOB = f"""\
apiVersion: batch/v1
kind: CronJob
metadata: {{name: batch}}
spec:
  schedule: "0 1 * * *"
  jobTemplate: {{spec: {{parallelism: 4, completions: 8, template: {POD}}}}}
"""


@pytest.mark.parametrize("text", [JOB, CRON_JOB])
def test_as_many_pods_run_as_the_job_is_parallel(text: str) -> None:
    found = workload(text)
    assert value_of(found.pod_sets[0].count.desired) == 4
    assert (value_of(found.parallelism), value_of(found.completions)) == (4, 8)
    assert value_of(found.pod_sets[0].restart_policy) == "Never"
    assert [value_of(engine.model) for engine in found.engines] == ["m"]


def test_a_job_runs_one_pod_at_a_time_where_it_does_not_say() -> None:
    assert value_of(workload(JOB.replace("parallelism: 4, ", "")).pod_sets[0].count.desired) == 1
