"""Keys of the JSON objects that arguments of vLLM take, from the generated `schemas/vllm/json-keys.json`.

They are the fields of the configuration class that the argument fills: `Argument.json_of` names it, `class_of` also
where the annotation of an old release does not. Objects inside objects name their class in turn (`Key.json_of`).
"""

from __future__ import annotations

from dataclasses import field
from functools import cache

from controlplane.frozen import frozen
from controlplane.source.suggest import nearest
from controlplane.stack.histories import History, Removal
from controlplane.stack.schema_files import read_schema
from controlplane.stack.vllm_tables import Bounds


@frozen
class Key:
    """One key of one release.

    `kind` is what the command line would make of it (bool, int, float, str, list, json, json_or_str); `choices` are
    all its values, empty where the source does not close them; `json_of` is the class of the object it holds.
    """

    name: str
    kind: str = ""
    choices: tuple[str | int, ...] = ()
    bounds: Bounds = field(default_factory=Bounds)
    json_of: str = ""


def class_of(argument: str, json_of: str = "") -> str:
    """The class that an argument's object fills; empty where its keys are the user's own (`hf_overrides`)."""
    return json_of or str(read_schema("vllm", "json-keys.json")["by_argument"].get(argument, ""))


@cache
def keys_of(config_class: str, version: str) -> frozenset[str] | None:
    """The keys that a class may have in a release; None where no table tells, or the release lacks the class."""
    possible = _history().possible(version) or frozenset()
    return frozenset(name.partition(".")[2] for name in possible if name.startswith(f"{config_class}.")) or None


def key(config_class: str, name: str, version: str) -> Key | None:
    """What a release says of a key, or None where it lacks it for certain or no table tells."""
    if name not in (keys_of(config_class, version) or ()):
        return None
    facts = dict(_history().facts(f"{config_class}.{name}", version))
    bounds = Bounds(**facts.pop("bounds", {}))
    return Key(name, choices=tuple(facts.pop("choices", ())), bounds=bounds, **facts)


def removed_key(config_class: str, name: str, version: str) -> Removal | None:
    """What became of a key that `version` no longer has, or None; `Removal.name` is the key alone."""
    found = _history().removal(f"{config_class}.{name}", version)
    if found is None:
        return None
    return Removal(name, found.last_in, found.gone_in, found.replacement, found.successor, found.source)


def nearest_key(config_class: str, name: str, version: str) -> str | None:
    """The key of the class that is spelled most like an unknown one, or None where none is near."""
    return nearest(name, keys_of(config_class, version) or ())


def key_since(config_class: str, name: str) -> str | None:
    """The first release read that has the key, or None if none has."""
    return _history().since(f"{config_class}.{name}")


@cache
def _history() -> History:
    content = read_schema("vllm", "json-keys.json")
    return History(tuple(content["versions"]), content["keys"])
