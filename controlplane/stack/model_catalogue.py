"""Shapes of well-known models by their name on the hub, from `schemas/catalogue/models.json`.

Names are compared without regard to case. A path, or the name of somebody's own fine-tune, is not in the catalogue
even where it ends like one that is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from controlplane.frozen import frozen
from controlplane.stack.schema_files import read_schema


@frozen
class ModelShape:
    """What a checkpoint's `config.json` says (of the text model, where it has several parts).

    `max_position_embeddings` is the longest sequence that vLLM derives from it. `quantization` is `quant_method` of
    the checkpoint, empty where its weights are not quantized. `dtype` is that of the checkpoint. `kv_heads` equal
    `attention_heads` where the model has no grouped attention. `multimodal` models take images or sound too.
    """

    name: str
    architecture: str
    model_type: str
    layers: int
    attention_heads: int
    kv_heads: int
    head_size: int
    hidden_size: int
    vocab_size: int
    max_position_embeddings: int
    dtype: str = ""
    quantization: str = ""
    multimodal: bool = False
    experts: int = 0
    latent_attention: bool = False
    """Multi-head latent attention (DeepSeek): one KV head whatever `kv_heads` says."""
    by_hand: bool = False
    """Typed by hand; otherwise read from the `config.json` itself."""
    parameters: int = 0
    """How many weights it has, all of `dtype`; 0 where they are quantized or were not counted."""

    @property
    def source(self) -> str:
        """Where the numbers are from, for evidence."""
        return f"{'catalogue, typed from ' if self.by_hand else ''}config.json of {self.name}"


def model(name: str) -> ModelShape | None:
    """The shape of a model by its hub name, or None where the catalogue does not have it."""
    return _models().get(name.casefold())


def models() -> tuple[ModelShape, ...]:
    """Every model of the catalogue, by name."""
    return tuple(_models().values())


@cache
def _models() -> Mapping[str, ModelShape]:
    shapes: dict[str, Any] = read_schema("catalogue", "models.json")["shapes"]
    return {name.casefold(): ModelShape(name=name, **shape) for name, shape in sorted(shapes.items())}
