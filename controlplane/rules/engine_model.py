"""The shape of the model that an engine serves."""

from __future__ import annotations

from controlplane.rules.engine_arguments import is_unset
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.model_catalogue import ModelShape, model

_CHANGES_IT = ("hf_overrides", "hf_config_path", "config_format", "model_impl")


def shape_of(engine: DeployedEngine) -> ModelShape | None:
    """The catalogue's shape of the model; None where it is not in there, or arguments may give it another."""
    name = engine.model_name
    if name is None or not all(is_unset(engine, argument) for argument in _CHANGES_IT):
        return None
    return model(name)


def kv_heads_divide(shape: ModelShape, ranks: int) -> bool:
    """Whether KV heads go into tensor parallel ranks, or ranks into KV heads; latent attention has one for all."""
    more, fewer = max(shape.kv_heads, ranks), min(shape.kv_heads, ranks)
    return shape.latent_attention or fewer == 0 or more % fewer == 0


def tensor_parallel_sizes(shape: ModelShape, most: int) -> list[int]:
    """The tensor parallel sizes up to `most` that the model's heads allow."""
    return [n for n in range(1, most + 1) if shape.attention_heads % n == 0 and kv_heads_divide(shape, n)]
