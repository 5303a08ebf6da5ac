"""An environment variable came with a later release of vLLM than the one that runs, which ignores it."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_variables import comes_later, engine_variables
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.model import Stack
from controlplane.stack.vllm_environment import variable_known


def check(stack: Stack) -> Iterator[Finding]:
    for found in engine_variables(stack):
        since = comes_later(found.variable.name, found.version)
        if since is not None and variable_known(found.variable.name, found.version) is False:
            yield Finding(
                f"{found.variable.name} is in vLLM from {since} on; {found.version} runs and ignores it",
                at=found.variable.origin or found.variable.value,
                otherwise=found.engine.place,
                remedy=f"Use an image with vLLM {since} or later, or take the variable out.",
            )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="A release that does not know a variable ignores it: what the manifest asks for does not happen, and "
    "nothing but one line in the log says so.",
    remedy="Use the release that brought the variable, or take it out.",
    sources=("vLLM 0.8.5 to 0.33.0, envs.py, compared release by release (schemas/vllm/variables.json)",),
    bad=(example("", env="- {name: VLLM_USE_RUST_FRONTEND, value: '1'}  # fires", version="0.12.0"),),
    good=(example("", env="- {name: VLLM_USE_RUST_FRONTEND, value: '1'}", version="0.33.0"),),
    check=check,
)
