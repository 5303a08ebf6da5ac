"""What an engine takes for `max_num_seqs` and `max_num_batched_tokens` where nobody wrote them.

Follows `EngineArgs._set_default_max_num_seqs_and_batched_tokens_args` (`vllm/engine/arg_utils.py`, 0.11 to 0.33): the
default of the GPU, doubled in throughput mode, and neither more than the other allows. Anything it may depend on that
is not certain makes the answer unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from controlplane.stack.engine_defaults import BatchDefaults, batch_defaults
from controlplane.stack.engine_gpus import has_whole_gpus
from controlplane.stack.facts import ABSENT, Fact, Known, OneOf, Unknown, Why, derived, origin_of, value_of
from controlplane.stack.model_catalogue import model
from controlplane.stack.schema_files import release_of
from controlplane.stack.vllm_tables import load_table

if TYPE_CHECKING:
    from controlplane.stack.deployed_engine import DeployedEngine

BATCH_ARGUMENTS: Final = ("max_num_seqs", "max_num_batched_tokens")
_FIRST_WITHOUT_V0: Final = (0, 11, 0, 0)
"""Before it an engine may be V0, whose defaults are others."""
_FIRST_LIMITED_BY_LENGTH: Final = (0, 11, 1, 0)
_UNKNOWN: Final = Unknown(Why.RUNTIME)


def batch_argument(engine: DeployedEngine, name: str) -> Fact[int]:
    """The default of one of `BATCH_ARGUMENTS`; unknown unless all that decides about it is certain."""
    defaults, factor = _defaults(engine), _factor(engine)
    if defaults is None or factor is None or not _is_plain(engine):
        return _UNKNOWN
    value = _sequences(engine, defaults, factor)
    if name == "max_num_batched_tokens":
        value = _tokens(engine, defaults, factor, value)
    if value is None:
        return _UNKNOWN
    gpus = engine.gpu.values if isinstance(engine.gpu, OneOf) else (value_of(engine.gpu),)
    shown = " or ".join(gpu.name for gpu in gpus if gpu)
    origin = origin_of(engine.gpu)
    inputs = [("GPU", Known(shown, origin))] if origin else []
    return derived(value, f"vLLM {defaults.version}'s default on {shown}", inputs)


def _defaults(engine: DeployedEngine) -> BatchDefaults | None:
    """Those of the engine's GPU; of all its possible GPUs where they agree."""
    release = release_of(engine.version or "")
    if engine.version is None or release is None or release < _FIRST_WITHOUT_V0:
        return None
    if engine.container is None or not has_whole_gpus(engine.container):
        return None
    fact = engine.gpu
    gpus = (fact.value,) if isinstance(fact, Known) else fact.values if isinstance(fact, OneOf) else ()
    found = {batch_defaults(engine.version, gpu) for gpu in gpus}
    return found.pop() if len(found) == 1 else None


def _factor(engine: DeployedEngine) -> int | None:
    """2 in throughput mode, which releases have since 0.17."""
    table = load_table(engine.version) if engine.version else None
    if table is None or table.argument("performance_mode") is None:
        return 1
    mode = value_of(engine.argument("performance_mode"))
    return None if mode is None else 2 if mode == "throughput" else 1


def _is_plain(engine: DeployedEngine) -> bool:
    """Whether no batched all-to-all of experts can be in use, which brings a small budget of its own."""
    expert_parallel = engine.written("enable_expert_parallel")
    return engine.data_parallel == Known(1, _ANYWHERE) or expert_parallel in (ABSENT, Known(False, _ANYWHERE))


def _sequences(engine: DeployedEngine, defaults: BatchDefaults, factor: int) -> int | None:
    """Sequences as written, or the default, which is never more than the tokens of a step."""
    written = engine.written("max_num_seqs")
    if written != ABSENT:
        return value_of(engine.integer("max_num_seqs"))
    if engine.written("max_num_batched_tokens") == ABSENT:
        return defaults.max_num_seqs * factor
    tokens = value_of(engine.integer("max_num_batched_tokens"))
    return None if tokens is None else min(defaults.max_num_seqs * factor, tokens)


def _tokens(engine: DeployedEngine, defaults: BatchDefaults, factor: int, sequences: int | None) -> int | None:
    """The default tokens of a step, never more than all sequences at full length."""
    release = release_of(engine.version or "")
    length = _length(engine)
    if sequences is None or length is None or release is None:
        return None
    tokens = defaults.max_num_batched_tokens * factor
    return tokens if release < _FIRST_LIMITED_BY_LENGTH else min(tokens, sequences * length)


def _length(engine: DeployedEngine) -> int | None:
    """The longest sequence of a model that is known to generate text alone, with chunked prefill left on.

    Prefill that is not chunked, as that of models that embed, raises the budget to the longest sequence; images can
    raise it too.
    """
    shape = model(engine.model_name or "")
    chunked = engine.written("enable_chunked_prefill") in (ABSENT, Known(True, _ANYWHERE))
    others = all(engine.written(name) == ABSENT for name in ("runner", "convert", "task", "hf_overrides"))
    if (
        shape is None
        or shape.multimodal
        or not shape.architecture.endswith("ForCausalLM")
        or not (chunked and others)
    ):
        return None
    if engine.written("max_model_len") == ABSENT:
        return shape.max_position_embeddings
    written = value_of(engine.integer("max_model_len"))
    return written if written is not None and written > 0 else None  # `auto` is -1


_ANYWHERE: Final = derived(None, "").origin
"""An origin to compare facts by value: origins take no part in equality."""
