"""One deployment of a Ray Serve configuration (Ray 2.60, `serve/schema.py`, DeploymentSchema).

What is not listed is what the application's code says: absent means not written. Pydantic takes most numbers in
quotes, so they are read as numbers here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, Final

from controlplane.stack.facts import ABSENT, Fact, Known, Origin, Unknown, Why, derived
from controlplane.stack.manifest_fields import Field
from controlplane.stack.pods import Count, CountOwner
from controlplane.stack.ray import RayResources
from controlplane.stack.serve import Bundle, PlacementGroup, ServeDeployment

_FROM_CODE: Final = Unknown(Why.UNRESOLVED, "the application's code")
_AUTO_MOST: Final = 100
"""`max_replicas` of `num_replicas: auto` (Ray 2.60, AutoscalingConfig.default)."""
_STRICT: Final = ("num_replicas", "max_queued_requests")
"""Options of DeploymentSchema that take no number in quotes."""
_DEEPEST_OPTION: Final = 4
_LONGEST_KEY: Final = 200


def read_deployment(field: Field, application: str) -> ServeDeployment:
    """An entry of an application's `deployments`."""
    made = read_options(field, application, field["name"].text(), default_replicas=_FROM_CODE)
    for option in _STRICT:
        _refuse_quoted(field[option])
    return replace(
        made,
        placement_group=_placement_group(field),
        options=WrittenOptions(field) if isinstance(field.value, dict) else {},
        origin=field["name"].origin if field["name"].is_set else field.origin,
    )


def _refuse_quoted(field: Field) -> None:
    if isinstance(field.value, str) and field.value != "auto" and _parsed(field.value) is not None:
        field.report("a whole number without quotes")


def read_options(
    field: Field, application: str, name: Fact[str], *, default_replicas: Fact[int], times: int = 1
) -> ServeDeployment:
    """The options that every deployment has; `times`: replicas that Serve starts for each one that is written."""
    scaling = field["autoscaling_config"]
    actor = field["ray_actor_options"]
    count = ABSENT if field["num_replicas"].value == "auto" else whole_number(field["num_replicas"])
    initial = _times(_whole(scaling, "initial_replicas"), times)
    return ServeDeployment(
        name=name,
        application=application,
        replicas=_scaled(field, initial, times) if _is_autoscaled(field) else _fixed(count, default_replicas, times),
        initial_replicas=initial,
        max_ongoing_requests=_whole(field, "max_ongoing_requests"),
        target_ongoing_requests=_number(scaling, "target_ongoing_requests"),
        max_queued_requests=_whole(field, "max_queued_requests"),
        max_replicas_per_node=_whole(field, "max_replicas_per_node"),
        graceful_shutdown_timeout_s=_number(field, "graceful_shutdown_timeout_s"),
        health_check_period_s=_number(field, "health_check_period_s"),
        health_check_timeout_s=_number(field, "health_check_timeout_s"),
        autoscaled=_is_autoscaled(field),
        actor=_actor(actor),
        accelerator_type=actor["accelerator_type"].text(),
        num_replicas=count,
    )


def overridden(made: ServeDeployment, listed: ServeDeployment) -> ServeDeployment:
    """A deployment that a builder makes, with what `deployments` lists under its name in place of its own."""
    names = [one.name for one in fields(ServeDeployment) if one.name not in ("name", "replicas")]
    facts = {name: getattr(listed, name) for name in names if isinstance(getattr(listed, name), Known)}
    if listed.autoscaled or isinstance(listed.replicas.max, Known):
        facts |= {"replicas": listed.replicas, "autoscaled": listed.autoscaled}
    if listed.actor != RayResources():
        facts["actor"] = listed.actor
    return replace(made, **facts)


def _is_autoscaled(field: Field) -> bool:
    return field["autoscaling_config"].is_set or field["num_replicas"].value == "auto"


def _beside_autoscaling(field: Field) -> Fact[int]:
    """The number that is written although an autoscaling config is."""
    written = field["num_replicas"]
    return whole_number(written) if field["autoscaling_config"].is_set and written.value != "auto" else ABSENT


def _fixed(count: Fact[int], default: Fact[int], times: int) -> Count:
    fact = default if count == ABSENT else count
    fact = _times(fact, times)
    return Count(fact, fact, fact)


def _scaled(field: Field, initial: Fact[int], times: int) -> Count:
    """Replicas that Serve sets between bounds; `auto` has another default than an autoscaling config.

    Groups of ranks always begin with that of `auto` (Ray 2.60, `serving_patterns/data_parallel/dp_server.py`).
    """
    scaling = field["autoscaling_config"]
    most = _AUTO_MOST if field["num_replicas"].value == "auto" or times > 1 else 1
    return Count(
        min=_or_default(scaling["min_replicas"], 1, times),
        desired=Unknown(Why.RUNTIME, "the load") if initial == ABSENT else initial,
        max=_or_default(scaling["max_replicas"], most, times),
        owner=CountOwner.SERVE,
    )


def _or_default(field: Field, default: int, times: int) -> Fact[int]:
    fact = whole_number(field)
    if fact == ABSENT:
        fact = derived(default, f"Serve's default for {field.path[-1]}")
    return _times(fact, times)


def _times(fact: Fact[int], times: int) -> Fact[int]:
    if times == 1 or not isinstance(fact, Known):
        return fact
    return derived(fact.value * times, f"{fact.value} groups of {times} data parallel ranks", [("groups", fact)])


def _actor(options: Field) -> RayResources:
    """`ray_actor_options`: what each replica's actor asks of its node."""
    if not options.is_set:
        return RayResources()
    return RayResources(
        cpu=_number(options, "num_cpus"),
        gpu=_number(options, "num_gpus"),
        memory_bytes=_whole(options, "memory"),
        custom={name: number(amount) for name, amount in options["resources"].entries()},
    )


def _placement_group(field: Field) -> PlacementGroup | None:
    bundles = field["placement_group_bundles"]
    if not bundles.is_set:
        return None
    return PlacementGroup(
        bundles=Known(tuple(bundle(item) for item in bundles.items()), bundles.origin),
        strategy=field["placement_group_strategy"].text(),
        origin=bundles.key_origin,
    )


def bundle(field: Field) -> Bundle:
    """One bundle: amounts by Ray's names."""
    return Bundle({name: number(amount) for name, amount in field.entries()}, field.origin)


class WrittenOptions(Mapping[str, Origin]):
    """The place of every key below a deployment by its dotted path. Places are worked out when asked for."""

    __slots__ = ("_fields",)

    def __init__(self, field: Field) -> None:
        self._fields = dict(_keys_below(field))

    def __getitem__(self, path: str) -> Origin:
        return self._fields[path].key_origin

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)


def _keys_below(field: Field) -> Iterator[tuple[str, Field]]:
    pending: list[tuple[str, Field, int]] = [("", field, 0)]
    while pending:
        prefix, parent, depth = pending.pop()
        for key, value in parent.value.items():
            if len(key) > _LONGEST_KEY:
                continue
            inner = parent[key]
            yield f"{prefix}{key}", inner
            if isinstance(value, dict) and depth < _DEEPEST_OPTION:
                pending.append((f"{prefix}{key}.", inner, depth + 1))


def _number(field: Field, key: str) -> Fact[float]:
    return number(field[key]) if field.gives(key) else ABSENT


def _whole(field: Field, key: str) -> Fact[int]:
    return whole_number(field[key]) if field.gives(key) else ABSENT


def number(field: Field) -> Fact[float]:
    """A number, in quotes or not; true is 1."""
    parsed = _parsed(field.value)
    return field.number() if parsed is None else Known(parsed, field.origin)


def whole_number(field: Field) -> Fact[int]:
    """A whole number, in quotes or not; true is 1."""
    parsed = field.value if isinstance(field.value, float) else _parsed(field.value)
    if parsed is None or not parsed.is_integer():
        return field.integer()
    return Known(int(parsed), field.origin)


def _parsed(value: Any) -> float | None:
    """The number that pydantic makes of a switch or a text, if it is a finite one."""
    if isinstance(value, bool):
        return float(value)
    if not isinstance(value, str) or not value.isascii() or len(value) > _LONGEST_KEY:
        return None
    try:
        parsed = float(value)
    except ValueError:
        return None
    return parsed if abs(parsed) < 1e300 else None
