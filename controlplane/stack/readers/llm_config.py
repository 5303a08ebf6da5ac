"""An LLMConfig of Ray Serve LLM: the engine it starts, its Serve deployment and its placement group.

Read as Ray 2.60 does (`llm/_internal/serve/core/configs/llm_config.py`, `engines/vllm/vllm_models.py`,
`core/server/builder.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from controlplane.frozen import frozen
from controlplane.stack.engine import ArgumentValue, Engine, WrittenArgument
from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why, derived, value_of, value_or
from controlplane.stack.manifest_fields import Field, is_templated
from controlplane.stack.pods import EnvVar
from controlplane.stack.readers.ray_embedded import merged_variables, runtime_variables
from controlplane.stack.readers.serve_deployment import WrittenOptions, bundle, read_options
from controlplane.stack.serve import Bundle, PlacementGroup, ServeDeployment

_MOST_DEVICES: Final = 1024
_HINT: Final = 0.001
"""What an engine asks of `accelerator_type:X`, so that only nodes with that accelerator are taken."""


_NO_VERSION: Final = Unknown(Why.VERSION, "an image rayproject/ray-llm:X.Y.Z whose vLLM is pinned, or --assume vllm=")


@frozen
class Placement:
    """Where an LLMConfig stands: its application, what begins the names of its deployments, its engine's role.

    With `replica_is_rank` every data parallel rank is a replica of its own. `variables` are the application's.
    """

    application: str
    prefix: str = "LLMServer:"
    role: str = ""
    replica_is_rank: bool = False
    variables: tuple[EnvVar, ...] = ()


@frozen
class ReadLLM:
    """What an LLMConfig makes; no engine where another server than vLLM's is named."""

    deployment: ServeDeployment
    engine: Engine | None


def read_llm(field: Field, place: Placement) -> ReadLLM:
    """One LLMConfig, at its place in an application."""
    model_id = field.at("model_loading_config", "model_id").text()
    name = _deployment_name(field, model_id, place.prefix)
    is_vllm = not field["server_cls"].is_set and field["llm_engine"].value in (None, "vLLM")
    engine = Engine(
        role=place.role,
        pod_set="",
        container="",
        version=_NO_VERSION,
        model=_model(field, model_id),
        arguments={key: _argument(field["engine_kwargs"][key]) for key in _keys(field["engine_kwargs"])},
        launch=(),
        served_model_name=model_id,
        complete=isinstance(field["engine_kwargs"].value, dict | None),
        serve_deployment=(place.application, value_of(name) or ""),
        accelerator_type=_accelerator_type(field),
        written=_written(field["engine_kwargs"]),
        variables=merged_variables(place.variables, runtime_variables(field["runtime_env"])),
        origin=model_id.origin if isinstance(model_id, Known) else field.origin,
    )
    return ReadLLM(_deployment(field, name, place, engine, is_vllm=is_vllm), engine if is_vllm else None)


def _model(field: Field, model_id: Fact[str]) -> Fact[str]:
    """Where the weights come from: `model_source`, a bucket's address in it, or the id."""
    source = field.at("model_loading_config", "model_source")
    if not source.is_set:
        return model_id
    return source["bucket_uri"].text() if isinstance(source.value, dict) else source.text()


def _deployment_name(field: Field, model_id: Fact[str], prefix: str) -> Fact[str]:
    """`LLMServer:` and the model's id without slashes and points, unless the deployment is named."""
    named = field.at("deployment_config", "name").text()
    if isinstance(named, Known):
        return Known(prefix + named.value, named.origin)
    if not isinstance(model_id, Known):
        return Unknown(Why.UNRESOLVED, "the model's id")
    made = prefix + model_id.value.replace("/", "--").replace(".", "_")
    return derived(made, "the name that Serve LLM gives a deployment", [("model_id", model_id)])


_A10_AS_READ = "A10, which Serve LLM reads as A10G"


def _accelerator_type(field: Field) -> Fact[str]:
    fact = field["accelerator_type"].text()
    is_a10 = isinstance(fact, Known) and fact.value == "A10"
    return derived("A10G", _A10_AS_READ, [("accelerator_type", fact)]) if is_a10 else fact


def _keys(field: Field) -> list[str]:
    """The keys of a map, null values included; anything but a map is a finding."""
    if isinstance(field.value, dict):
        return list(field.value)
    list(field.entries())
    return []


def _argument(field: Field) -> Fact[ArgumentValue]:
    if _has_template(field.value):
        return Unknown(Why.TEMPLATED, f"{field.path[-1]} rendered")
    return Known(field.value, field.origin)


def _has_template(value: Any) -> bool:
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str) and is_templated(one):
            return True
        if isinstance(one, dict):
            pending += one.values()
        elif isinstance(one, list):
            pending += one
    return False


def _written(kwargs: Field) -> tuple[WrittenArgument, ...]:
    """`engine_kwargs` in the order of the text. Nothing says how much would have to go, so they have no words."""
    return tuple(
        WrittenArgument(
            spelling=key,
            name=key,
            key_origin=kwargs[key].key_origin,
            origin=kwargs[key].origin,
            text=kwargs[key].value if isinstance(kwargs[key].value, str) else None,
            verbatim=kwargs.source.editable(kwargs[key].path),
        )
        for key in (kwargs.value if isinstance(kwargs.value, dict) else ())
    )


def _deployment(field: Field, name: Fact[str], place: Placement, engine: Engine, *, is_vllm: bool) -> ServeDeployment:
    options = field["deployment_config"]
    one: Fact[int] = derived(1, "Serve LLM's default without num_replicas")
    times = _ranks(engine) if place.replica_is_rank else 1
    made = read_options(options, place.application, name, default_replicas=one, times=times)
    return replace(
        made,
        placement_group=_placement_group(field, engine),
        accelerator_type=engine.accelerator_type,
        engine=engine.role if is_vllm else "",
        is_llm=True,
        options=WrittenOptions(field),
        origin=engine.origin,
    )


def _ranks(engine: Engine) -> int:
    return value_or(_degree(engine, "data_parallel_size"), 1)


def _degree(engine: Engine, name: str) -> Fact[int]:
    """A degree of parallelism, 1 where it is not written."""
    fact = engine.arguments.get(name, ABSENT)
    if fact == ABSENT:
        return derived(1, f"vLLM's default for {name}")
    value = value_of(fact)
    if isinstance(fact, Known) and isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return Known(value, fact.origin)
    return Unknown(Why.UNRESOLVED, f"{name} as a whole number")


def _placement_group(field: Field, engine: Engine) -> PlacementGroup:
    """The bundles of the engine's workers, as written or derived. Serve adds the replica's actor to the first."""
    config = field["placement_group_config"]
    strategy = config["strategy"].text()
    return PlacementGroup(
        bundles=_bundles(field, engine),
        strategy=derived("PACK", "Serve LLM's default strategy") if strategy == ABSENT else strategy,
        written=config.is_set,
        origin=config.key_origin if config.is_set else engine.origin,
    )


def _bundles(field: Field, engine: Engine) -> Fact[tuple[Bundle, ...]]:
    config = field["placement_group_config"]
    listed, repeated = config["bundles"], config["bundle_per_worker"]
    if listed.is_set and not repeated.is_set:
        bundles = tuple(_hinted(bundle(item), engine) for item in listed.items())
        return Known(bundles, listed.origin) if bundles else Unknown(Why.UNRESOLVED, "the bundles")
    devices = _devices(engine)
    if not isinstance(devices, Known):
        return Unknown(Why.UNRESOLVED, "the degrees of parallelism")
    if repeated.is_set:
        return Known((_hinted(bundle(repeated), engine),) * devices.value, repeated.origin)
    return _default_bundles(field, engine, devices)


def _default_bundles(field: Field, engine: Engine, devices: Known[int]) -> Fact[tuple[Bundle, ...]]:
    """A device for each worker; a slice of TPUs is placed by its replica, once that runs."""
    kind = _kind(field, engine)
    if kind is None or field.at("accelerator_config", "topology").is_set:
        return Unknown(Why.RUNTIME, "the hosts of the accelerators")
    one: Fact[float] = derived(1.0, "Serve LLM's default bundle for each worker")
    made = Bundle({kind: one}, engine.origin)
    made = made if kind == "CPU" else _hinted(made, engine)
    return derived((made,) * devices.value, "tensor x pipeline bundles", [("devices", devices)])


def _kind(field: Field, engine: Engine) -> str | None:
    written = field.at("accelerator_config", "kind")
    if written.is_set:
        return {"cpu": "CPU", "gpu": "GPU", "tpu": "TPU"}.get(str(written.value))
    return "TPU" if (value_of(engine.accelerator_type) or "").startswith("TPU-") else "GPU"


def _devices(engine: Engine) -> Fact[int]:
    """Tensor x pipeline; other degrees have no part in it."""
    tensor, pipeline = _degree(engine, "tensor_parallel_size"), _degree(engine, "pipeline_parallel_size")
    if not isinstance(tensor, Known) or not isinstance(pipeline, Known):
        return Unknown(Why.UNRESOLVED, "the degrees of parallelism")
    devices = tensor.value * pipeline.value
    if devices > _MOST_DEVICES:
        return Unknown(Why.UNRESOLVED, f"at most {_MOST_DEVICES} devices")
    return derived(
        devices, f"{tensor.value} x {pipeline.value} devices", [("tensor", tensor), ("pipeline", pipeline)]
    )


def _hinted(made: Bundle, engine: Engine) -> Bundle:
    accelerator = engine.accelerator_type
    if not isinstance(accelerator, Known):
        return made
    hint = {f"accelerator_type:{accelerator.value}": Known(_HINT, accelerator.origin)}
    return replace(made, resources={**hint, **made.resources})
