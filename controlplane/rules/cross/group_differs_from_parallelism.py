"""A LeaderWorkerSet's group does not have the nodes or GPUs that its engine spans.

One engine over several pods takes exactly the GPUs of its group.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.parallelism import formula, gpus_wanted, written_factor
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, plural
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import ABSENT, Fact, Known, derived
from controlplane.stack.gpu_resources import gpu_limits, gpus_of, is_whole_gpu
from controlplane.stack.model import Stack, Workload


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        if engine.workload.ref.kind == "LeaderWorkerSet" and isinstance(engine.workload.group_size, Known):
            yield from _nodes(engine, engine.workload.group_size)
            yield from _gpus(engine, engine.workload.group_size)


def _nodes(engine: DeployedEngine, size: Known[int]) -> Iterator[Finding]:
    nodes = engine.written("nnodes")
    if isinstance(nodes, Known) and isinstance(nodes.value, int) and nodes.value != size.value:
        yield Finding(
            f"--nnodes {nodes.value}, and a group of the LeaderWorkerSet has {plural(size.value, 'pod')}",
            at=nodes,
            evidence=(evidence("nnodes", nodes), evidence("size", size)),
            remedy=f"Set --nnodes={size.value}, or size: {nodes.value}.",
            related=((size, "the group's size"),),
        )


def _gpus(engine: DeployedEngine, size: Known[int]) -> Iterator[Finding]:
    wanted, has = gpus_wanted(engine), _gpus_of_group(engine.workload)
    if not isinstance(wanted, Known) or not isinstance(has, Known) or wanted.value <= has.value:
        return
    factor = written_factor(engine)
    yield Finding(
        f"the engine takes {plural(wanted.value, 'GPU')} ({formula(engine)}), and the {size.value} pods of a group "
        f"have {has.value}",
        at=factor if factor != ABSENT else size,
        evidence=(
            evidence("GPUs wanted", wanted.value, source=formula(engine)),
            evidence("GPUs of a group", has),
        ),
        remedy=f"Let size x GPUs a pod equal {wanted.value}, or lower the parallelism to {has.value} in all.",
        related=((size, "the group's size"),),
    )


def _gpus_of_group(workload: Workload) -> Fact[int]:
    """GPUs of the leader and all workers. Without a leaderTemplate the leader is made as a worker."""
    leader, worker = workload.pod_set("leader"), workload.pod_set("worker")
    if worker is None or not isinstance(workload.group_size, Known):
        return ABSENT
    pods = [leader or worker, worker]
    if any(not all(map(is_whole_gpu, gpu_limits(c))) or c.claims for p in pods for c in p.containers):
        return ABSENT
    of_leader, of_worker = (gpus_of(p.containers) for p in pods)
    first = of_leader.value if isinstance(of_leader, Known) else 0
    if not isinstance(of_worker, Known) or (not isinstance(of_leader, Known) and of_leader != ABSENT):
        return ABSENT
    total = first + (workload.group_size.value - 1) * of_worker.value
    return derived(total, "leader + (size - 1) x worker", [("leader", of_leader), ("worker", of_worker)])


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="A LeaderWorkerSet makes groups of `size` pods, and the engine waits until all its ranks have joined. "
    "With fewer pods or GPUs than ranks it waits until its time is up, and the whole group is made anew.",
    remedy="Let size x GPUs a pod equal tensor x pipeline x data parallel size, and --nnodes the size.",
    sources=("vLLM 0.33, config/parallel.py: nnodes; LeaderWorkerSet v1, spec.leaderWorkerTemplate.size",),
    bad=(
        """
        apiVersion: leaderworkerset.x-k8s.io/v1
        kind: LeaderWorkerSet
        metadata: {name: large}
        spec:
          replicas: 1
          leaderWorkerTemplate:
            size: 2
            workerTemplate:
              spec:
                containers:
                  - name: engine
                    image: registry.example/vllm-openai:v0.33.0
                    command: [vllm, serve, /models/large]
                    args:
                      - --tensor-parallel-size=8
                      - --pipeline-parallel-size=2
                      - --nnodes=4  # fires
                      - --node-rank=$(LWS_WORKER_INDEX)
                      - --master-addr=$(LWS_LEADER_ADDRESS)
                    resources:
                      limits: {nvidia.com/gpu: 8}
                    volumeMounts:
                      - {name: shm, mountPath: /dev/shm}
                volumes:
                  - {name: shm, emptyDir: {medium: Memory}}
        """,
        """
        apiVersion: leaderworkerset.x-k8s.io/v1
        kind: LeaderWorkerSet
        metadata: {name: large}
        spec:
          replicas: 1
          leaderWorkerTemplate:
            size: 2
            workerTemplate:
              spec:
                containers:
                  - name: engine
                    image: registry.example/vllm-openai:v0.33.0
                    command: [vllm, serve, /models/large]
                    args:
                      - --tensor-parallel-size=8  # fires
                      - --pipeline-parallel-size=4
                      - --nnodes=2
                      - --node-rank=$(LWS_WORKER_INDEX)
                      - --master-addr=$(LWS_LEADER_ADDRESS)
                    resources:
                      limits: {nvidia.com/gpu: 8}
                    volumeMounts:
                      - {name: shm, mountPath: /dev/shm}
                volumes:
                  - {name: shm, emptyDir: {medium: Memory}}
        """,
    ),
    good=(
        """
        apiVersion: leaderworkerset.x-k8s.io/v1
        kind: LeaderWorkerSet
        metadata: {name: large}
        spec:
          replicas: 1
          leaderWorkerTemplate:
            size: 2
            workerTemplate:
              spec:
                containers:
                  - name: engine
                    image: registry.example/vllm-openai:v0.33.0
                    command: [vllm, serve, /models/large]
                    args:
                      - --tensor-parallel-size=8
                      - --pipeline-parallel-size=2
                      - --nnodes=2
                      - --node-rank=$(LWS_WORKER_INDEX)
                      - --master-addr=$(LWS_LEADER_ADDRESS)
                    resources:
                      limits: {nvidia.com/gpu: 8}
                    volumeMounts:
                      - {name: shm, mountPath: /dev/shm}
                volumes:
                  - {name: shm, emptyDir: {medium: Memory}}
        """,
    ),
    check=check,
)
