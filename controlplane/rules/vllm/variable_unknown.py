"""An environment variable is spelled almost like one of vLLM's.

Vendors' images and Services set names of their own that begin with VLLM_: only a near miss is worth a word.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import is_on
from controlplane.rules.engine_variables import EngineVariable, engine_variables, is_missing, is_ours, variables_of
from controlplane.rules.rule import Abstention, Finding, Rule
from controlplane.rules.unread_engines import missing_versions
from controlplane.rules.vllm._example import engine as example
from controlplane.source.suggest import edit_distance
from controlplane.stack.model import Stack
from controlplane.stack.vllm_environment import nearest_variable

_MOST_EDITS = 2
_SHORTEST = 15
"""Characters; a short name that is near another one is as likely a variable of the owner's script."""


def check(stack: Stack) -> Iterator[Finding | Abstention]:
    for found in engine_variables(stack):
        near = _near(found)
        refused = is_on(found.engine, "fail_on_environ_validation")
        if is_missing(found) and (near or refused):
            yield Finding(
                f"{found.variable.name} is no variable of vLLM {found.version}"
                + (f"; the nearest is {near}" if near else "")
                + (", and --fail-on-environ-validation refuses to start with it" if refused else ""),
                at=found.variable.origin or found.variable.value,
                otherwise=found.engine.place,
                remedy=f"Write {near}." if near else "Take it out.",
                severity=Severity.ERROR if refused else None,
            )
    for engine, needs in missing_versions(stack):
        if any(is_ours(variable) for variable in variables_of(engine)):
            yield Abstention(needs.replace("arguments of", "variables of"), at=engine.place)


def _near(found: EngineVariable) -> str | None:
    """The variable that is meant for all one can tell: names are long, and a third of one is another name."""
    if len(found.variable.name) < _SHORTEST:
        return None
    near = nearest_variable(found.variable.name, found.version)
    close = near is not None and edit_distance(found.variable.name, near, _MOST_EDITS) <= _MOST_EDITS
    return near if close else None


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="A variable with a misspelled name is not read, and vLLM starts without it: the log has one generic "
    "line. With --fail-on-environ-validation it refuses any VLLM_ name that it does not know.",
    remedy="Correct the name of the variable.",
    sources=(
        "vLLM 0.8.5 to 0.33.0, envs.py (schemas/vllm/variables.json)",
        "vLLM 0.33.0, platforms/interface.py: Platform.validate_environ",
    ),
    bad=(example("", env="- {name: VLLM_LOGGING_LEVLE, value: DEBUG}  # fires"),),
    good=(example("", env="- {name: VLLM_LOGGING_LEVEL, value: DEBUG}\n- {name: VLLM_ACME_BUILD, value: '7'}"),),
    check=check,
)
