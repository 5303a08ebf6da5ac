"""What would have to be known of an engine before its arguments and variables can be judged."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.rules.rule import Abstention
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import ABSENT, Known, OneOf, Unknown, value_of
from controlplane.stack.model import Stack
from controlplane.stack.schema_files import release_of
from controlplane.stack.vllm_tables import load_table, versions


def missing_versions(stack: Stack) -> Iterator[tuple[DeployedEngine, str]]:
    """The engines of whose release no table tells, and what is missing."""
    for engine in engines_of(stack):
        needs = _version_needed(engine)
        if needs is not None:
            yield engine, needs


def unread_parts(stack: Stack) -> Iterator[Abstention]:
    """One abstention for every engine whose command line is not known to its end."""
    for engine in engines_of(stack):
        if not engine.engine.complete:
            yield Abstention(_unread(engine), at=engine.place)


def _version_needed(engine: DeployedEngine) -> str | None:
    fact = engine.engine.version
    if isinstance(fact, OneOf):
        return None
    if not isinstance(fact, Known):
        needs = fact.needs if isinstance(fact, Unknown) else ""
        return "the version of vLLM" + (f": {needs}" if needs else "")
    if load_table(fact.value) is not None:
        return None
    release, known = release_of(fact.value), versions()
    newest = release_of(known[-1])
    if release is not None and newest is not None and release > newest:
        return f"the arguments of vLLM {fact.value}, which is newer than the newest table, {known[-1]}"
    return f"the arguments of vLLM {fact.value}; the tables go from {known[0]} to {known[-1]}"


def _unread(engine: DeployedEngine) -> str:
    path = value_of(engine.engine.arguments.get("config", ABSENT))
    is_read = any(not argument.spelling.startswith("-") for argument in engine.engine.written)
    if isinstance(path, str) and not is_read:
        return f"the file {path} that --config names"
    return "the part of the command line that could not be read"
