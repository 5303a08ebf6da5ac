"""Asks Ray Serve LLM what it makes of each LLMConfig, and writes the fixture beside the tests.

Run it with a Python that has ray[default,serve]. vLLM, torch and clouds' clients are not needed: modules that Ray
imports from them are put up empty, but for the two classes whose fields name the arguments of an engine.
"""

from __future__ import annotations

import dataclasses
import importlib.machinery
import json
import logging
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import llm_configs

_EMPTY = frozenset(
    {"vllm", "torch", "transformers", "pyarrow", "numpy", "pandas", "fsspec", "boto3", "azure", "adlfs", "s3fs"}
    | {"openai", "huggingface_hub", "httpx"}
)
_ARGUMENTS = ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size", "max_model_len")


def _take_anything(*_: Any, **__: Any) -> None:
    """An `__init__` that does nothing."""


class _EmptyClass(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _empty_class(name)


def _empty_class(name: str) -> Any:
    return _EmptyClass(name, (), {"__init__": _take_anything})


class _EmptyModule(types.ModuleType):
    __path__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _empty_class(name)
        setattr(self, name, made)
        return made


class _Finder:
    """Finds an empty module for every name below those that are put up empty."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        del path, target
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]  # a loader
        return spec if name.split(".")[0] in _EMPTY else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _EmptyModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        arguments = [(name, object, None) for name in _ARGUMENTS]
        for name, fields in (("AsyncEngineArgs", arguments), ("FrontendArgs", [])):
            setattr(module, name, dataclasses.make_dataclass(name, fields))


def main() -> None:
    """Write the fixture."""
    logging.disable(logging.CRITICAL)
    sys.meta_path.insert(0, _Finder())  # type: ignore[arg-type]  # a finder in all that is asked of it
    import ray

    ray.get_runtime_context = lambda: types.SimpleNamespace(runtime_env={})
    rows = [{"config": name, **_row(config)} for name, config in llm_configs.llm_configs().items()]
    answers = ",\n    ".join(json.dumps(row) for row in rows)
    source = json.dumps({"ray": ray.__version__})
    text = f'{{\n  "source": {source},\n  "answers": [\n    {answers}\n  ]\n}}\n'
    (Path(__file__).parent.parent / "serve_llm.json").write_text(text)


def _row(fields: dict[str, Any]) -> dict[str, Any]:
    from ray.llm._internal.serve.core.configs.llm_config import LLMConfig
    from ray.llm._internal.serve.core.server.llm_server import LLMServer
    from ray.llm._internal.serve.engines.vllm.vllm_models import VLLMEngineConfig
    from ray.llm._internal.serve.serving_patterns.data_parallel.dp_server import DPServer

    asked = {"model_loading_config": {"model_id": "org/m-1.5"}, **fields}
    engine = VLLMEngineConfig.from_llm_config(LLMConfig(**asked))
    return {
        "fields": asked,
        "bundles": engine.placement_bundles,
        "strategy": engine.placement_strategy,
        "plain": _deployment(LLMServer, LLMConfig(**asked)),
        "ranked": _deployment(DPServer, LLMConfig(**asked)),
    }


def _deployment(server: Any, config: Any) -> dict[str, Any]:
    """What `build_llm_deployment` gives Serve (its last line binds the class, which needs a cluster)."""
    from ray.llm._internal.serve.core.server import builder
    from ray.serve._private.config import handle_num_replicas_auto
    from ray.serve.config import AutoscalingConfig

    options = server.get_deployment_options(config)
    name = f"{server.__name__}:{options.get('name', builder._get_deployment_name(config))}"
    merged = builder.maybe_apply_llm_deployment_config_defaults(builder.DEFAULT_DEPLOYMENT_OPTIONS, options)
    scaling, count = merged.get("autoscaling_config"), merged.get("num_replicas")
    if count == "auto":
        count, scaling = None, handle_num_replicas_auto(None, scaling)[1]
    if isinstance(scaling, dict):
        scaling = AutoscalingConfig(**scaling)
    bounds = _bounds(scaling) if scaling is not None and count is None else [count, count, None]
    return {"name": name, "replicas": bounds, "max_ongoing_requests": merged["max_ongoing_requests"]}


def _bounds(scaling: Any) -> Sequence[int | None]:
    return [scaling.min_replicas, scaling.max_replicas, scaling.initial_replicas]


if __name__ == "__main__":
    main()
