"""CUDA_VISIBLE_DEVICES names more GPUs than the container has."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence, listed, plural
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import Known
from controlplane.stack.gpu_resources import gpu_limits, is_whole_gpu
from controlplane.stack.model import Stack
from controlplane.stack.pods import Container, EnvVar

_NAME = "CUDA_VISIBLE_DEVICES"
_INDICES = regex(r"\s*\d{1,3}\s*(,\s*\d{1,3}\s*)*\Z")


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        container = engine.container
        if container is None or container.claims or not all(map(is_whole_gpu, gpu_limits(container))):
            continue
        variable = next((found for found in reversed(container.env) if found.name == _NAME), None)
        if variable is not None:
            yield from _beyond(engine, container, variable)


def _beyond(engine: DeployedEngine, container: Container, variable: EnvVar) -> Iterator[Finding]:
    """Without GPUs of its own the container may see all of the node."""
    has, written = engine.gpus, variable.value
    if not isinstance(has, Known) or has.value < 1 or not isinstance(written, Known):
        return
    if not isinstance(written.value, str) or not _INDICES.match(written.value):
        return
    numbers = [int(number) for number in written.value.split(",")]
    beyond = [number for number in numbers if number >= has.value]
    if beyond:
        yield Finding(
            f"{_NAME} is {written.value!r}, and container {container.name} has {plural(has.value, 'GPU')}, counted "
            f"from 0 in every container: there is no {listed(beyond, 'or')}",
            at=written,
            otherwise=container.origin,
            evidence=(evidence(_NAME, written), evidence("GPUs of the container", has)),
            remedy=f"Take {_NAME} out: a container sees just its own GPUs.",
            related=((has, f"the container's limit: {plural(has.value, 'GPU')}"),),
            severity=Severity.ERROR if beyond[0] == numbers[0] else None,
        )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="The device plug-in gives a container its own GPUs, and CUDA counts them from 0 there, whatever their "
    "numbers on the node are. CUDA ignores the first number that does not exist and all behind it: with `1` first "
    "on a container of one GPU it sees none (an error), with `0,1` it sees one where two were meant.",
    remedy="Take CUDA_VISIBLE_DEVICES out.",
    sources=("CUDA C++ Programming Guide, environment variables: CUDA_VISIBLE_DEVICES",),
    bad=(
        example("", env="- {name: CUDA_VISIBLE_DEVICES, value: '0,1'}  # fires"),
        example("", env="- {name: CUDA_VISIBLE_DEVICES, value: '1'}  # fires"),
    ),
    good=(example("- --tensor-parallel-size=2", gpus=2, env="- {name: CUDA_VISIBLE_DEVICES, value: '0,1'}"),),
    check=check,
)
