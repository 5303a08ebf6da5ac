"""Engine -> the command line of its container.

One argument an item, `--flag=value`, so that a diff shows one line for one change; the model comes first. Switches
are written `--x` and `--no-x`, never `--disable-x` (which vLLM knows only since 0.33). JSON is compact with sorted
keys. An argument that takes several values has one item for each.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import cast

from controlplane.emit.bundle import Sourced, fixed, sourced
from controlplane.stack.engine import ArgumentValue, Engine
from controlplane.stack.facts import Fact, value_of
from controlplane.stack.vllm_arguments import Form, Spelling, arguments_of

_READING_ORDER = (
    "served_model_name",
    "revision",
    "tokenizer",
    "host",
    "port",
    "tensor_parallel_size",
    "pipeline_parallel_size",
    "data_parallel_size",
    "decode_context_parallel_size",
    "enable_expert_parallel",
    "distributed_executor_backend",
    "dtype",
    "quantization",
    "load_format",
    "max_model_len",
    "max_num_seqs",
    "max_num_batched_tokens",
    "gpu_memory_utilization",
    "kv_cache_memory_bytes",
    "kv_cache_dtype",
    "enable_prefix_caching",
    "enable_chunked_prefill",
    "scheduling_policy",
    "shutdown_timeout",
)
"""Identity, address, parallelism, weights, memory, scheduling; everything else follows by name."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """`command` and `args` of a container, an origin for each item."""

    command: tuple[Sourced, ...]
    args: tuple[Sourced, ...]


def command_line(engine: Engine) -> CommandLine:
    """The command line that starts an engine. Raises ValueError for a value that is not known."""
    known = arguments_of(value_of(engine.version))
    command = [fixed(_literal(word), "what starts the engine") for word in engine.launch]
    args = _model(engine)
    for name, fact in sorted(_arguments(engine).items(), key=lambda argument: _reading_order(argument[0])):
        args += _argument(known.named(name), fact)
    return CommandLine(tuple(command), tuple(args))


def _arguments(engine: Engine) -> dict[str, Fact[ArgumentValue]]:
    """All arguments; the served name is kept apart in an Engine unless there are several."""
    return {"served_model_name": cast(Fact[ArgumentValue], engine.served_model_name), **engine.arguments}


def _reading_order(name: str) -> tuple[int, str]:
    place = _READING_ORDER.index(name) if name in _READING_ORDER else len(_READING_ORDER)
    return place, name


def _model(engine: Engine) -> list[Sourced]:
    """Positional after `vllm serve`; the other ways to start the server know only `--model`."""
    model = sourced(engine.model)
    if model is None:
        return []
    positional = engine.launch[-1:] == ("serve",)
    text = _literal(str(model.value))
    return [Sourced(text if positional else f"--model={text}", model.origin)]


def _argument(spelling: Spelling, fact: Fact[ArgumentValue]) -> list[Sourced]:
    value = sourced(fact)
    if value is None:
        return []
    return [Sourced(_literal(word), value.origin) for word in words(spelling, value.value)]


def words(spelling: Spelling, value: ArgumentValue) -> list[str]:
    """The words that give an argument its value. A switch that vLLM cannot turn off has none for `false`.

    Raises ValueError for a number that is not finite.
    """
    if isinstance(value, bool):
        off = [spelling.off_flag] if spelling.off_flag else []
        return [spelling.flag] if value else off
    if isinstance(value, list) and spelling.form is Form.REPEATED:
        return [f"{spelling.flag}={_text(item)}" for item in value]
    if isinstance(value, list) and spelling.form is Form.SEPARATED:
        return [f"{spelling.flag}={','.join(map(_text, value))}"]
    if isinstance(value, list) and spelling.form is Form.MANY and len(value) > 1:
        return [spelling.flag, *(_text(item) for item in value)]
    if isinstance(value, list) and spelling.form is Form.MANY:
        value = value[0] if value else None
    return [f"{spelling.flag}={_text(value)}"]


def _text(value: ArgumentValue) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return "None"
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _literal(word: str) -> str:
    """The word with every `$` doubled: Kubernetes reads `$$` as `$`, and `$(NAME)` as a reference."""
    return word.replace("$", "$$")
