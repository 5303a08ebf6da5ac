"""An environment variable is gone from the release of vLLM that runs, and nothing reads it any more."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import is_on
from controlplane.rules.engine_variables import EngineVariable, engine_variables
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.facts import value_of
from controlplane.stack.histories import Removal
from controlplane.stack.model import Stack
from controlplane.stack.vllm_environment import removed_variable


def check(stack: Stack) -> Iterator[Finding]:
    for found in engine_variables(stack):
        removal = removed_variable(found.variable.name, found.version)
        if removal is not None:
            yield _gone(found, removal)


def _gone(found: EngineVariable, removal: Removal) -> Finding:
    refused = is_on(found.engine, "fail_on_environ_validation")
    return Finding(
        f"{removal.name} is gone since vLLM {removal.gone_in}"
        + (f" (last in {removal.last_in})" if removal.last_in else "")
        + f"; {found.version} runs and {'refuses to start' if refused else 'ignores it'}",
        at=found.variable.origin or found.variable.value,
        otherwise=found.engine.place,
        remedy=_instead(removal),
        evidence=(evidence("vLLM", found.engine.engine.version),),
        severity=_severity(found, refused=refused),
    )


def _severity(found: EngineVariable, *, refused: bool) -> Severity:
    """VLLM_USE_V1=1 asks for what there is only left to have: nothing is lost."""
    if refused:
        return Severity.ERROR
    harmless = found.variable.name == "VLLM_USE_V1" and value_of(found.variable.value) == "1"
    return Severity.INFO if harmless else Severity.WARNING


def _instead(removal: Removal) -> str:
    words, _, reason = removal.replacement.partition(": ")
    if words in ("", "nothing", "drop it"):
        return f"Take it out{': ' + reason if reason else ''}."
    return f"Use instead: {removal.replacement}."


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="vLLM does not stop at a variable that it no longer knows: one generic line in the log "
    "(`Unknown vLLM environment variable detected`) is all there is to see. The engine then runs with another "
    "attention backend, another engine or another limit than the manifest says.",
    remedy="Take the variable out, or use what replaces it.",
    sources=(
        "vLLM 0.8.5 to 0.33.0, envs.py, compared release by release (schemas/vllm/variables.json)",
        "vLLM 0.33.0, platforms/interface.py: Platform.validate_environ",
    ),
    bad=(
        example("", env="- {name: VLLM_ATTENTION_BACKEND, value: FLASHINFER}  # fires", version="0.32.0"),
        example("", env='- {name: VLLM_USE_V1, value: "0"}  # fires', version="0.12.0"),
    ),
    good=(
        example("- --attention-backend=FLASHINFER", version="0.32.0"),
        example("", env="- {name: VLLM_ATTENTION_BACKEND, value: FLASHINFER}", version="0.12.0"),
    ),
    check=check,
)
