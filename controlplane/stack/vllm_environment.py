"""Environment variables of vLLM, release by release, from the generated `schemas/vllm/variables.json`.

Known is what `vllm/envs.py` declares, which vLLM itself compares the environment with, and whatever else its source
reads. Variables of hardware plug-ins begin in ways of their own and are never judged.
"""

from __future__ import annotations

from functools import cache

from controlplane.frozen import frozen
from controlplane.source.suggest import nearest
from controlplane.stack.histories import History, Removal
from controlplane.stack.schema_files import read_schema


@frozen
class Variable:
    """One variable of one release. `kind` is bool, int, float, str, or empty where the source does not say.

    `choices` are all values that it takes, `any_case` in any case; with `several`, a list of them with commas.
    """

    name: str
    kind: str = ""
    choices: tuple[str, ...] = ()
    any_case: bool = False
    several: bool = False


def variable_known(name: str, version: str) -> bool | None:
    """Whether a release knows a variable; None where no table tells, and for those of plug-ins."""
    return None if _of_plugin(name) else _history().has(name, version)


def variable(name: str, version: str) -> Variable | None:
    """What a release says of a variable that it declares, or None."""
    facts = dict(_history().facts(name, version))
    if not facts.pop("declared", False):
        return None
    return Variable(name, choices=tuple(facts.pop("choices", ())), **facts)


def removed_variable(name: str, version: str) -> Removal | None:
    """What became of a variable that vLLM once declared and `version` no longer has, or None."""
    said = _history().entries.get(name, {}).get("says", ())
    declared = any(facts.get("declared") for _, facts in said)
    return _history().removal(name, version) if declared and not _of_plugin(name) else None


def nearest_variable(name: str, version: str) -> str | None:
    """The variable of the release that is spelled most like an unknown one, or None where none is near."""
    known = _history().possible(version)
    return nearest(name, (other for other in known if other.startswith("VLLM_"))) if known else None


def variable_since(name: str) -> str | None:
    """The first release read that has the variable, or None if none has."""
    return _history().since(name)


def _of_plugin(name: str) -> bool:
    return name.startswith(tuple(read_schema("vllm", "variables.json")["elsewhere"]))


@cache
def _history() -> History:
    content = read_schema("vllm", "variables.json")
    return History(tuple(content["versions"]), content["variables"])
