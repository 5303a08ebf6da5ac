"""The environment variables of vLLM that the containers of an engine set."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.rules.engine_arguments import Releases
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack
from controlplane.stack.pods import Container, EnvVar
from controlplane.stack.vllm_environment import removed_variable, variable_known, variable_since

_SERVICE_LINK = regex(r"VLLM(_\w+)?_(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?)\Z")
"""What Kubernetes sets for a Service whose name begins with vllm."""


@frozen
class EngineVariable:
    """One `VLLM_*` variable in the environment of an engine whose version is known."""

    engine: DeployedEngine
    variable: EnvVar
    version: str


def engine_variables(stack: Stack) -> Iterator[EngineVariable]:
    """Every variable that looks like one of vLLM's, once where several engines have it from one container."""
    seen: set[int] = set()
    for engine in engines_of(stack):
        for variable in variables_of(engine):
            if engine.version is not None and is_ours(variable) and id(variable) not in seen:
                seen.add(id(variable))
                yield EngineVariable(engine, variable, engine.version)


def variables_of(engine: DeployedEngine) -> tuple[EnvVar, ...]:
    """Those of the container, and over them those of a runtime environment of Ray."""
    return ((engine.container.env) if engine.container is not None else ()) + engine.engine.variables


def is_ours(variable: EnvVar) -> bool:
    """Whether a variable looks like one of vLLM's."""
    return variable.name.startswith("VLLM_") and not _SERVICE_LINK.match(variable.name)


def is_missing(found: EngineVariable) -> bool:
    """Whether the release knows no such variable and never had it: removed ones and later ones are another matter."""
    name, version = found.variable.name, found.version
    return (
        variable_known(name, version) is False
        and removed_variable(name, version) is None
        and not comes_later(name, version)
    )


def comes_later(name: str, version: str) -> str | None:
    """The later release that brings a variable, None where it is not to come."""
    since = variable_since(name)
    return since if since is not None and Releases(gone=since).has(version) else None


def setting(engine: DeployedEngine, name: str) -> str | None:
    """The text of a variable of the engine, None where it is not set or not known."""
    found = next((v for v in reversed(variables_of(engine)) if v.name == name), None)
    value = value_of(found.value) if found is not None else None
    return value if isinstance(value, str) else None


def may_set(engine: DeployedEngine, name: str) -> bool:
    """Whether the engine's environment may hold a variable: named, or brought in by what cannot be seen here."""
    if any(variable.name == name for variable in engine.engine.variables):
        return True
    if engine.container is not None:
        return _holds(engine.container, name)
    job = engine.workload.job
    if engine.deployment is None and (job is None or name in (value_of(job.command) or name)):
        return True
    return any(_holds(c, name) for pods in engine.workload.pod_sets for c in pods.containers)


def _holds(container: Container, name: str) -> bool:
    return bool(container.env_from) or any(variable.name == name for variable in container.env)
