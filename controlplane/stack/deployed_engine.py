"""An engine together with what it runs on: what rules and capacity ask when they look at one."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.frozen import frozen
from controlplane.stack.engine import ArgumentValue, Engine
from controlplane.stack.engine_batch import BATCH_ARGUMENTS, batch_argument
from controlplane.stack.engine_gpus import gpu_of_accelerator_type, gpu_of_pods
from controlplane.stack.facts import ABSENT, Fact, Known, Origin, Table, Unknown, Why, derived, value_of
from controlplane.stack.gpu_catalogue import Gpu
from controlplane.stack.gpu_resources import gpus_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Container, PodSet
from controlplane.stack.recent import recent
from controlplane.stack.serve import ServeDeployment
from controlplane.stack.vllm_tables import ResolvedLater, load_table


@frozen
class DeployedEngine:
    """One engine with its workload and the container or the Serve deployment that runs it.

    Without a container (Serve LLM) its GPUs are those of the deployment's placement group.
    """

    stack: Stack
    workload: Workload
    engine: Engine
    pods: PodSet | None
    container: Container | None
    deployment: ServeDeployment | None

    @property
    def place(self) -> Origin | None:
        """Where the engine is named, for findings about what is not written."""
        container = self.container.origin if self.container else None
        return self.engine.origin or container or self.workload.origin

    @property
    def version(self) -> str | None:
        """The version of vLLM, None where it is not known."""
        return value_of(self.engine.version)

    @property
    def model_name(self) -> str | None:
        """The model's name on the hub, or its path; None where it is not known."""
        return self.engine.checkpoint or value_of(self.engine.model)

    def written(self, name: str) -> Fact[ArgumentValue]:
        """An argument as written; ABSENT only where it is certain that nobody wrote it."""
        fact = self.engine.arguments.get(name)
        if fact is not None:
            return fact
        return ABSENT if self.engine.complete else _UNREAD

    def argument(self, name: str) -> Fact[ArgumentValue]:
        """What the engine will use: as written, else its default where that is certain.

        A default is a fixed value of the version, or, for `max_num_seqs` and `max_num_batched_tokens`, follows from
        the GPU.
        """
        fact = self.written(name)
        if fact != ABSENT:
            return fact
        if name in BATCH_ARGUMENTS and self.version is not None:
            batch = batch_argument(self, name)
            return Known(batch.value, batch.origin) if isinstance(batch, Known) else _CHOSEN_LATER
        return _default(self.version, name)

    def integer(self, name: str) -> Fact[int]:
        """`argument` as a whole number; anything else is unknown."""
        return _integer(self.argument(name))

    def parallel(self, name: str) -> Fact[int]:
        """A degree of parallelism (`tensor_parallel_size`, ...), 1 in every version where nobody wrote it."""
        fact = self.written(name)
        return derived(1, f"vLLM's default for {name}") if fact == ABSENT else _integer(fact)

    @property
    def tensor_parallel(self) -> Fact[int]:
        """`--tensor-parallel-size`."""
        return self.parallel("tensor_parallel_size")

    @property
    def pipeline_parallel(self) -> Fact[int]:
        """`--pipeline-parallel-size`."""
        return self.parallel("pipeline_parallel_size")

    @property
    def data_parallel(self) -> Fact[int]:
        """`--data-parallel-size`: engines with their own GPUs in one deployment."""
        return self.parallel("data_parallel_size")

    @property
    def gpu(self) -> Fact[Gpu]:
        """The product that the engine runs on: from LLMConfig, the pod's node labels, or the pools that it fits.

        OneOf where several are possible; unknown where the input does not tell.
        """
        if self.pods is not None and self.container is not None:
            return gpu_of_pods(self.pods, self.container, self.stack)
        return gpu_of_accelerator_type(self.engine.accelerator_type)

    @property
    def gpus(self) -> Fact[int]:
        """GPUs of the engine's container; ABSENT where it asks for none or has no container."""
        return gpus_of([self.container]) if self.container else ABSENT


_CHOSEN_LATER = Unknown(Why.RUNTIME, "the GPU, the model and what else the engine's default depends on")
_UNREAD = Unknown(Why.UNRESOLVED, "the part of the command line that could not be read")


@recent
def engines_of(stack: Stack) -> tuple[DeployedEngine, ...]:
    """Every engine of a Stack, in the order of the workloads."""
    return tuple(_engines(stack))


def _engines(stack: Stack) -> Iterator[DeployedEngine]:
    for workload in stack.workloads:
        for engine in workload.engines:
            pods = workload.pod_set(engine.pod_set)
            container = pods.container(engine.container) if pods else None
            yield DeployedEngine(stack, workload, engine, pods, container, _deployment(workload, engine))


def _deployment(workload: Workload, engine: Engine) -> ServeDeployment | None:
    if workload.serve is None or engine.serve_deployment == ("", ""):
        return None
    application, name = engine.serve_deployment
    found = (d for d in workload.serve.deployments if d.application == application and value_of(d.name) == name)
    return next(found, None)


def _default(version: str | None, name: str) -> Fact[ArgumentValue]:
    table = load_table(version) if version is not None else None
    if table is None:
        return Unknown(Why.VERSION, "the version of vLLM")
    argument = table.argument(name)
    if argument is None:
        return ABSENT
    if isinstance(argument.default, ResolvedLater):
        return Unknown(Why.RUNTIME, argument.default.why)
    return Known(argument.default, Table("vLLM's default, version", table.source_version))


def _integer(fact: Fact[ArgumentValue]) -> Fact[int]:
    if isinstance(fact, Known):
        value = fact.value
        if isinstance(value, int) and not isinstance(value, bool):
            return Known(value, fact.origin)
        return ABSENT if value is None else Unknown(Why.UNRESOLVED, "a whole number")
    return fact if isinstance(fact, Unknown) else Unknown(Why.UNRESOLVED, "one of several values")
