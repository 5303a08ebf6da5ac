"""The keys of JSON arguments, with what the release says of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controlplane.frozen import frozen
from controlplane.rules.engine_arguments import engines_with_tables, in_table
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.engine import ArgumentValue
from controlplane.stack.facts import Fact, Known, Origin
from controlplane.stack.model import Stack
from controlplane.stack.vllm_json_keys import Key, class_of, key, keys_of


@frozen
class JsonKey:
    """One key of an object: `path` as a dotted argument, `config` the class it fills, `known` None where it has none.

    `fact` is the whole argument; `origin` the place of the key where it was written as a dotted argument.
    """

    engine: DeployedEngine
    version: str
    fact: Fact[ArgumentValue]
    origin: Origin | None
    path: str
    config: str
    name: str
    value: ArgumentValue
    known: Key | None


def json_keys(stack: Stack) -> Iterator[JsonKey]:
    """Every key of every JSON argument whose class the release's table knows, those of objects inside included."""
    for engine, table in engines_with_tables(stack):
        seen: set[str] = set()
        for written in engine.engine.written:
            argument, value = in_table(table, written), engine.written(written.name)
            if argument is None or argument.name in seen or not isinstance(value, Known):
                continue
            seen.add(argument.name)
            config = class_of(argument.name, argument.json_of)
            if config and isinstance(value.value, dict):
                yield from _keys(engine, value, config, value.value, written.spelling.partition(".")[0])


def _keys(
    engine: DeployedEngine, fact: Fact[ArgumentValue], config: str, entries: Mapping[str, ArgumentValue], path: str
) -> Iterator[JsonKey]:
    version = engine.version or ""
    if keys_of(config, version) is None:
        return
    for name, value in entries.items():
        known, below = key(config, name, version), f"{path}.{name}"
        if known is not None and known.json_of and isinstance(value, dict):
            yield from _keys(engine, fact, known.json_of, value, below)
        else:
            yield JsonKey(engine, version, fact, _dotted(engine, below), below, config, name, value, known)


def _dotted(engine: DeployedEngine, path: str) -> Origin | None:
    return next((w.key_origin for w in engine.engine.written if w.spelling.removesuffix("+") == path), None)
