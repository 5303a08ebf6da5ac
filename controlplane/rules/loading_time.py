"""How long an engine may take until it answers: its start, and the weights that are read before."""

from __future__ import annotations

import math
import re

from controlplane.frozen import frozen
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.facts import Known, value_of
from controlplane.stack.model_catalogue import model as shape_of

_START_SECONDS = 90
"""Imports, memory profiling, compilation and graph capture of a first start (vLLM's V1 engine), without weights."""

_EAGER_START_SECONDS = 45
"""The same where nothing is compiled: with --enforce-eager, and with the engine that was the default before 0.8."""

_COMPILES_SINCE = (0, 8)

_WEIGHTS_UNKNOWN_SECONDS = 30
_BYTES_PER_SECOND = 500 * 10**6
"""What a network volume or a download from a hub gives one pod."""

_PARAMETERS = re.compile(r"(?<![0-9.A-Za-z])(?P<billions>\d{1,4}(?:\.\d{1,2})?)[bB](?![A-Za-z0-9])")


@frozen
class Loading:
    """How long a start may take, at the least that is to be allowed for."""

    seconds: int
    words: str
    formula: str
    is_counted: bool = True
    """Whether the size of the weights is known: without it the seconds are a lower bound for any model."""


def time_to_load(engine: DeployedEngine) -> Loading:
    """How long an engine may take from its start until it answers: an estimate, by the weights its name tells.

    Compiling and graph capture, which an eager engine does not do, plus the weights at the speed assumed for storage;
    where the size of the weights is not known, a bound that any model may exceed.
    """
    start = _START_SECONDS if _compiles(engine) else _EAGER_START_SECONDS
    weights = _weights_bytes(engine)
    if weights is None:
        seconds = start + _WEIGHTS_UNKNOWN_SECONDS
        words = f"vLLM may take {seconds} s and more to load a model and start"
        return Loading(seconds, words, f"{seconds} s, assumed", is_counted=False)
    seconds = start + math.ceil(weights / _BYTES_PER_SECOND)
    shown = f"{weights / 10**9:.0f} GB"
    return Loading(
        seconds,
        f"vLLM may take {seconds} s to read about {shown} of weights at 0.5 GB/s and start",
        f"{start} s + {shown} / 0.5 GB/s",
    )


def _compiles(engine: DeployedEngine) -> bool:
    numbers = re.findall(r"\d+", engine.version or "")[:2]
    old = len(numbers) == 2 and (int(numbers[0]), int(numbers[1])) < _COMPILES_SINCE
    return not old and value_of(engine.written("enforce_eager")) is not True


def _weights_bytes(engine: DeployedEngine) -> int | None:
    """From the billions of parameters in the model's name; two bytes each unless the name says fewer."""
    model = value_of(engine.engine.model)
    found = _PARAMETERS.findall(model.rpartition("/")[2]) if model else []
    if not model or len(found) != 1:
        return None
    return int(float(found[0]) * 10**9 * _bytes_each(model, engine))


def _bytes_each(model: str, engine: DeployedEngine) -> float:
    written, shape = engine.written("quantization"), shape_of(model)
    native = shape.quantization if shape is not None else ""
    name = f"{model} {native} {written.value if isinstance(written, Known) else ''}".lower()
    if any(mark in name for mark in ("awq", "gptq", "int4", "w4a16", "4bit", "nvfp4", "mxfp4", "fp4")):
        return 0.5
    return 1.0 if any(mark in name for mark in ("fp8", "int8", "w8a8", "8bit")) else 2.0
