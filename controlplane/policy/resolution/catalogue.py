"""Sizes and shapes of well-known checkpoints, from the generated catalogue."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any

from controlplane.stack.facts import ABSENT, Fact, Known, Table
from controlplane.stack.model_catalogue import model as model_shape


@functools.cache
def _models() -> dict[str, Any]:
    table = resources.files("controlplane").joinpath("schemas", "catalogue", "models.json")
    models: dict[str, Any] = json.loads(table.read_text("utf-8"))["models"]
    return models


def estimated_weights(model: str) -> Fact[int]:
    """Bytes of a model's weights, estimated from its configuration; absent if the catalogue does not have it."""
    entry = _models().get(model)
    return Known(int(entry["weight_bytes"]), Table("model catalogue (estimate)", model)) if entry else ABSENT


def attention_heads(model: str) -> Fact[int]:
    """Attention heads of a model as its configuration says; absent if the catalogue does not have it."""
    shape = model_shape(model)
    heads = shape.attention_heads if shape else _models().get(model, {}).get("from", {}).get("num_attention_heads")
    return Known(int(heads), Table("model catalogue", model)) if heads else ABSENT
