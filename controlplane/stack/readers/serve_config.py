"""A Ray Serve configuration: `serveConfigV2` of a RayService (Ray 2.60, `serve/schema.py`, ServeDeploySchema)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from controlplane.frozen import frozen
from controlplane.stack.engine import Engine
from controlplane.stack.facts import ABSENT, Fact, Known, derived, value_of, value_or
from controlplane.stack.manifest_fields import Field
from controlplane.stack.readers.llm_config import Placement, ReadLLM, read_llm
from controlplane.stack.readers.ray_embedded import REFUSED_BY_SERVE, embedded_root, runtime_variables
from controlplane.stack.readers.serve_deployment import overridden, read_deployment, whole_number
from controlplane.stack.serve import Serve, ServeApplication, ServeDeployment

_LISTED: Final = frozenset({"build_openai_app", "build_llm_deployments"})
_SINGLE: Final = frozenset({"build_dp_openai_app", "build_dp_deployment", "build_llm_deployment"})
_PREFILL_DECODE: Final = frozenset({"build_pd_openai_app"})
_MOST_ENGINES: Final = 1_000
"""Engines of one configuration that are read: an alias may repeat one without end."""
_PACKAGES: Final = ("pip", "uv", "conda", "image_uri", "container")
"""Keys of a runtime environment that change which packages there are."""


@frozen
class ReadServe:
    """The configuration, and one engine for each LLMConfig; their versions are the caller's to fill in."""

    serve: Serve
    engines: tuple[Engine, ...]


def read_serve(config: Field, roles: Iterable[str] = ()) -> ReadServe | None:
    """What a text like `serveConfigV2` says; None where there is none. `roles` are those of other engines."""
    if not config.is_set:
        return None
    root = embedded_root(config, REFUSED_BY_SERVE)
    if root is None:
        return ReadServe(Serve(complete=False, origin=config.key_origin), ())
    taken = Counter(roles)
    applications = [_application(field, taken) for field in root["applications"].items()]
    serve = Serve(
        applications=tuple(found.application for found in applications),
        proxy_location=root["proxy_location"].text(),
        http_port=whole_number(root.at("http_options", "port")),
        complete=_is_whole(root) and all(found.complete for found in applications),
        origin=config.key_origin,
    )
    return ReadServe(serve, tuple(engine for found in applications for engine in found.engines))


@frozen
class _ReadApplication:
    application: ServeApplication
    engines: tuple[Engine, ...]
    complete: bool


def _is_whole(root: Field) -> bool:
    """Whether the list of applications itself is there, and not a template that makes it."""
    return isinstance(root.value, dict) and isinstance(root.value.get("applications", []), list)


def _application(field: Field, taken: Counter[str]) -> _ReadApplication:
    name = field["name"].plain_text("default")
    import_path = field["import_path"].text()
    builder = _builder(value_or(import_path, ""))
    listed = [read_deployment(item, name) for item in field["deployments"].items()]
    found, complete = _llms(field, builder, name, taken) if builder else ([], True)
    application = ServeApplication(
        name=name,
        import_path=import_path,
        route_prefix=_route(field),
        deployments=_merged([llm.deployment for llm in found], listed),
        variables=runtime_variables(field["runtime_env"]),
        has_runtime_env=any(field["runtime_env"][key].is_set for key in _PACKAGES),
        origin=field["name"].origin if field["name"].is_set else field.origin,
    )
    engines = tuple(llm.engine for llm in found if llm.engine is not None)
    is_told = import_path == ABSENT or isinstance(import_path, Known)
    return _ReadApplication(application, engines, complete and is_told)


def _route(application: Field) -> Fact[str]:
    """The route as written, null meaning none; where nobody wrote one it is `/` (Ray, `ServeApplicationSchema`)."""
    if isinstance(application.value, dict) and "route_prefix" not in application.value:
        return derived("/", "Serve's default route_prefix")
    return application["route_prefix"].text()


def _builder(import_path: str) -> str | None:
    """The builder of Serve LLM that an import path names; None for a user's own code."""
    module, _, function = import_path.replace(":", ".").rpartition(".")
    known = _LISTED | _SINGLE | _PREFILL_DECODE
    is_ray = module in ("ray.serve.llm", "ray.llm") or module.startswith("ray.llm._internal.")
    return function if is_ray and function in known else None


def _llms(application: Field, builder: str, name: str, taken: Counter[str]) -> tuple[list[ReadLLM], bool]:
    """The LLMConfigs among a builder's arguments, and whether all of them could be read."""
    variables = runtime_variables(application["runtime_env"])
    found, complete = [], True
    for field, placement in _configs(application["args"], builder, name):
        # A text is the path of a file inside the image.
        if isinstance(field.value, dict) and len(taken) < _MOST_ENGINES:
            role = _free_role(field, placement, taken)
            found.append(read_llm(field, replace(placement, role=role, variables=variables)))
        else:
            complete = False
    return found, complete and bool(found)


def _configs(args: Field, builder: str, application: str) -> list[tuple[Field, Placement]]:
    if builder in _PREFILL_DECODE:
        prefill = Placement(application, "Prefill:", "prefill", replica_is_rank=True)
        decode = Placement(application, "Decode:", "decode", replica_is_rank=True)
        return [(args["prefill_config"], prefill), (args["decode_config"], decode)]
    if builder in _LISTED:
        return [(item, Placement(application)) for item in args["llm_configs"].items()]
    config = args["llm_config"] if args["llm_config"].is_set else args
    if builder == "build_llm_deployment":
        return [(config, Placement(application))]
    return [(config, Placement(application, "DPServer:", replica_is_rank=True))]


def _merged(llms: list[ServeDeployment], listed: list[ServeDeployment]) -> tuple[ServeDeployment, ...]:
    """The deployments of an application; what `deployments` lists overrides what a builder made of that name."""
    by_name = {value_of(one.name): one for one in listed if value_of(one.name) is not None}
    made = [overridden(llm, by_name[name]) if (name := value_of(llm.name)) in by_name else llm for llm in llms]
    names = {value_of(llm.name) for llm in llms}
    return (*made, *(one for one in listed if value_of(one.name) not in names or value_of(one.name) is None))


def _free_role(field: Field, placement: Placement, taken: Counter[str]) -> str:
    """A role that no other engine has: the model's id, behind its application's name or with a number if need be."""
    model_id = field.at("model_loading_config", "model_id").value
    role = placement.role or (model_id if isinstance(model_id, str) and model_id else "engine")
    if role in taken:
        role = f"{placement.application}/{role}"
    taken[role] += 1
    while taken[role] > 1:
        role = f"{role} ({taken[role]})"
        taken[role] += 1
    return role
