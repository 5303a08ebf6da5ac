from __future__ import annotations

from controlplane.stack.facts import Known, Unknown, value_of
from tests.stack.manifests import workload

LEADER = (
    "{spec: {containers: [{name: leader, image: i,"
    " command: [sh, -c, 'ray start --head; vllm serve m -pp $(LWS_GROUP_SIZE)']}]}}"
)
WORKER = (
    "{spec: {containers: [{name: worker, image: i, command: [sh, -c, 'ray start --address=$(LWS_LEADER_ADDRESS)']}]}}"
)


def manifest(group: str, spec: str = "replicas: 2, ") -> str:
    return f"""\
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: chat}}
spec: {{{spec}leaderWorkerTemplate: {{{group}}}}}
"""


def test_leader_and_workers_are_pod_sets_of_the_same_number_of_groups() -> None:
    found = workload(manifest(f"size: 4, restartPolicy: None, leaderTemplate: {LEADER}, workerTemplate: {WORKER}"))
    assert [(pods.name, value_of(pods.hosts_per_unit)) for pods in found.pod_sets] == [("leader", 1), ("worker", 3)]
    assert [value_of(pods.count.desired) for pods in found.pod_sets] == [2, 2]
    assert (value_of(found.group_size), value_of(found.restart_strategy)) == (4, "None")


def test_the_size_of_a_group_is_known_to_its_containers() -> None:
    (engine,) = workload(manifest(f"size: 4, leaderTemplate: {LEADER}, workerTemplate: {WORKER}")).engines
    assert (engine.role, engine.pod_set, engine.complete) == ("leader", "leader", True)
    assert engine.arguments["pipeline_parallel_size"] == Known(4, None)  # type: ignore[arg-type]  # not compared


def test_without_a_leader_s_template_all_pods_are_of_the_worker_s() -> None:
    found = workload(manifest(f"size: 4, workerTemplate: {LEADER}"))
    assert [(pods.name, value_of(pods.hosts_per_unit)) for pods in found.pod_sets] == [("worker", 4)]
    assert [engine.role for engine in found.engines] == ["engine"]


def test_what_is_not_set_is_as_the_api_fills_it_in() -> None:
    found = workload(manifest(f"workerTemplate: {LEADER}", ""))
    assert (value_of(found.group_size), value_of(found.pod_sets[0].count.desired)) == (1, 1)


def test_a_templated_size_stays_unknown() -> None:
    found = workload(manifest(f'size: "{{{{ .Values.size }}}}", leaderTemplate: {LEADER}, workerTemplate: {WORKER}'))
    assert isinstance(found.pod_sets[1].hosts_per_unit, Unknown)
    assert isinstance(found.engines[0].arguments["pipeline_parallel_size"], Unknown)


def test_the_rollout_of_groups_is_the_strategy() -> None:
    strategy = (
        "rolloutStrategy: {type: RollingUpdate, rollingUpdateConfiguration: {maxUnavailable: 2, maxSurge: 1}}, "
    )
    found = workload(manifest(f"size: 2, workerTemplate: {WORKER}", strategy)).strategy
    assert (value_of(found.type), value_of(found.max_unavailable), value_of(found.max_surge)) == (
        "RollingUpdate",
        2,
        1,
    )
