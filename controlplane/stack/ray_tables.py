"""What releases of Ray let a Serve configuration say, from the generated `schemas/ray/`.

Models are named as in Ray's source: `ServeDeploySchema` is the whole `serveConfigV2`, `DeploymentSchema` one entry of
`deployments`, `LLMConfig` one of `llm_configs`. Most ignore a key that they do not know; `forbids_unknown` tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Any

from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.source.suggest import nearest
from controlplane.stack.histories import History, Removal
from controlplane.stack.schema_files import read_schema, release_of
from controlplane.stack.vllm_tables import Bounds

_RANGE = regex(r"(?P<operator>==|>=)(?P<version>\d+(?:\.\d+)*)\Z")


@frozen
class VersionRange:
    """The versions of vLLM that `ray[llm]` requires, as its metadata writes them (`>=0.11.0`, `==0.29.0`).

    An image `rayproject/ray-llm` has one of them; which one, only `==` tells.
    """

    text: str
    least: str
    exact: bool

    def admits(self, version: str) -> bool | None:
        """Whether a version is in the range; None for what is no version."""
        wanted, least = release_of(version), release_of(self.least)
        if wanted is None or least is None:
            return None
        return wanted == least if self.exact else wanted >= least


@frozen
class Option:
    """One field of one release.

    `kinds` are the plain kinds that it takes (bool, int, float, str, list, dict), empty where the source does not
    tell; `model` is the class of the map, or of the maps in the list, that it holds. `default` is None both for a
    default of None and where the field has none of its own.
    """

    name: str
    kinds: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    bounds: Bounds = field(default_factory=Bounds)
    model: str = ""
    default: str | int | float | bool | None = None
    required: bool = False


@frozen
class LlmDefaults:
    """What Serve LLM gives a deployment whose `deployment_config` says nothing.

    Since 2.49 both numbers are 10**9: nothing is held back, and autoscaling never starts.
    """

    max_ongoing_requests: int
    target_ongoing_requests: int
    max_replicas: int


SERVE_MAX_ONGOING_REQUESTS = 5
"""Plain Serve's default for `max_ongoing_requests`, Ray 2.44 to 2.60 (`ray/serve/_private/constants.py`)."""


def vllm_of_ray(ray_version: str) -> VersionRange | None:
    """The lock of `ray[llm]`; None where no release of that minor was read."""
    entry = _release(ray_version)
    found = _RANGE.match(entry["vllm"]) if entry else None
    return VersionRange(found[0], found["version"], found["operator"] == "==") if found else None


def accelerator_types(ray_version: str) -> frozenset[str] | None:
    """The accelerator types that a release names; None where no release of that minor was read."""
    entry = _release(ray_version)
    return frozenset(entry["accelerator_types"]) if entry else None


def llm_defaults(ray_version: str) -> LlmDefaults | None:
    """Serve LLM's own defaults; None where no release of that minor was read."""
    entry = _release(ray_version)
    return LlmDefaults(**entry["llm_defaults"]) if entry else None


@cache
@cache
def options(model: str, ray_version: str) -> frozenset[str] | None:
    """The fields that a model may have; None where no table tells, or the release lacks the model."""
    possible = _history().possible(ray_version) or frozenset()
    return frozenset(name.partition(".")[2] for name in possible if name.startswith(f"{model}.")) or None


@cache
def option(model: str, name: str, ray_version: str) -> Option | None:
    """What a release says of a field, or None where it lacks it for certain or no table tells."""
    if name not in (options(model, ray_version) or ()):
        return None
    facts = dict(_history().facts(f"{model}.{name}", ray_version))
    kind = facts.pop("kind", [])
    return Option(
        name,
        kinds=(kind,) if isinstance(kind, str) else tuple(kind),
        choices=tuple(facts.pop("choices", ())),
        bounds=Bounds(**facts.pop("bounds", {})),
        **facts,
    )


@cache
def forbids_unknown(model: str, ray_version: str) -> bool | None:
    """Whether a model refuses a key that it does not know, rather than ignoring it; None where no table tells."""
    found = _history().facts(model, ray_version).get("forbids_unknown")
    return None if found is None else bool(found)


@cache
def removed_option(model: str, name: str, ray_version: str) -> Removal | None:
    """What became of a field that the release no longer has, or None; `Removal.name` is the field alone."""
    found = _history().removal(f"{model}.{name}", ray_version)
    return Removal(name, found.last_in, found.gone_in) if found else None


@cache
def option_since(model: str, name: str) -> str | None:
    """The first release read that has the field, or None; the oldest one read stands for all before it."""
    return _history().since(f"{model}.{name}")


@cache
def nearest_option(model: str, name: str, ray_version: str) -> str | None:
    """The field of a model that is spelled most like an unknown one, or None where none is near."""
    return nearest(name, options(model, ray_version) or ())


def deployment_options(ray_version: str) -> frozenset[str] | None:
    """Keys of one entry of `deployments`, and of `deployment_config` in an LLMConfig."""
    return options("DeploymentSchema", ray_version)


def llm_config_fields(ray_version: str) -> frozenset[str] | None:
    """Keys of one entry of `llm_configs`."""
    return options("LLMConfig", ray_version)


def releases() -> tuple[str, ...]:
    """The releases that were read, oldest first."""
    return tuple(read_schema("ray", "releases.json")["releases"])


@cache
def _release(version: str) -> Mapping[str, Any] | None:
    """The release itself, or the nearest patch of its minor."""
    wanted = release_of(version)
    entries: Mapping[str, Mapping[str, Any]] = read_schema("ray", "releases.json")["releases"]
    same = {known: release_of(known) or () for known in entries} if wanted else {}
    minor = [known for known, numbers in same.items() if wanted and numbers[:2] == wanted[:2]]
    patch = wanted[2] if wanted else 0
    found = min(minor, key=lambda known: abs(same[known][2] - patch), default=None)
    return entries[found] if found else None


@cache
def _history() -> History:
    content = read_schema("ray", "fields.json")
    return History(tuple(content["versions"]), content["fields"])
