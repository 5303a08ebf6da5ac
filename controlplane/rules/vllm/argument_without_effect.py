"""An argument is taken and does nothing.

Either the release keeps it for the sake of old command lines, or what it belongs to is off.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.frozen import frozen
from controlplane.rules.engine_arguments import (
    Releases,
    engines_with_tables,
    in_table,
    is_off,
    is_on,
    is_unset,
    spelled,
    whole_number,
)
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.engine import WrittenArgument
from controlplane.stack.facts import Known, origin_of, value_of
from controlplane.stack.model import Stack


@frozen
class _Dead:
    """An argument that some releases read and use nowhere."""

    releases: Releases
    why: str
    remedy: str


_OFFLOADING = "Take it out; KV blocks in host memory are kv_offloading_size, from 0.11.1 on."
_DEAD = {
    "swap_space": _Dead(Releases("0.11.0", "0.18.0"), "the V1 engine has no swap: it recomputes", _OFFLOADING),
    "num_lookahead_slots": _Dead(Releases("0.11.0", "0.12.0"), "no scheduler reads it", "Take it out."),
    "max_parallel_loading_workers": _Dead(Releases("0.11.1"), "it is not supported and ignored", "Take it out."),
    **dict.fromkeys(
        ("tokenizer_pool_size", "tokenizer_pool_type", "tokenizer_pool_extra_config"),
        _Dead(Releases("0.8.5", "0.10.0"), "there is no pool of tokenizers any more", "Take it out."),
    ),
}
"""Read in vLLM 0.8.5 to 0.33.0: nothing but the configuration class itself uses them."""

_NEEDS_SWITCH = {
    **dict.fromkeys(("max_loras", "max_lora_rank", "max_cpu_loras", "lora_dtype"), "enable_lora"),
    "fully_sharded_loras": "enable_lora",
    "tool_call_parser": "enable_auto_tool_choice",
    "eplb_config": "enable_eplb",
}
_NEEDS_NO_REFUSAL = {"prefix_caching_hash_algo": "enable_prefix_caching"}
"""What these need is on by default, whatever the parser's default says (V1 engine; the table has None)."""
_NEEDS_VALUE = {"kv_offloading_backend": "kv_offloading_size"}
_IDLE_WHEN_EAGER = ("cudagraph_capture_sizes", "max_cudagraph_capture_size", "cuda_graph_sizes")


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        for written in engine.engine.written:
            argument = in_table(table, written)
            if argument is None or argument.deprecated or value_of(engine.written(argument.name)) is False:
                continue
            dead = _DEAD.get(argument.name)
            if dead is not None and dead.releases.has(engine.version):
                yield _finding(engine, written, f"does nothing in vLLM {table.version}: {dead.why}", dead.remedy)
            yield from _idle(engine, written, argument.name)


def _idle(engine: DeployedEngine, written: WrittenArgument, name: str) -> Iterator[Finding]:
    switch, needed = _NEEDS_SWITCH.get(name), _NEEDS_VALUE.get(name)
    refused = _NEEDS_NO_REFUSAL.get(name)
    if refused is not None and value_of(engine.written(refused)) is False:
        switch = refused
    if switch is not None and is_off(engine, switch) and not _carries_an_error(engine, name):
        other = spelled(engine, switch)
        yield _finding(engine, written, f"does nothing without {other}", f"Add {other}, or take it out.")
    if needed is not None and is_unset(engine, needed):
        other = spelled(engine, needed)
        yield _finding(engine, written, f"does nothing without {other}", f"Add {other} in GiB, or take it out.")
    if name in _IDLE_WHEN_EAGER and is_on(engine, "enforce_eager"):
        yield _finding(
            engine,
            written,
            f"does nothing with {spelled(engine, 'enforce_eager')}: no CUDA graph is captured",
            "Take one of the two out.",
        )
    if name == "gpu_memory_utilization" and isinstance(engine.written("kv_cache_memory_bytes"), Known):
        yield _fraction(engine, written)


def _carries_an_error(engine: DeployedEngine, name: str) -> bool:
    """Redundant experts without load balancing are refused, of which another rule speaks."""
    value = value_of(engine.written(name))
    return isinstance(value, dict) and bool(value.get("num_redundant_experts"))


def _fraction(engine: DeployedEngine, written: WrittenArgument) -> Finding:
    size = engine.written("kv_cache_memory_bytes")
    return Finding(
        f"{written.spelling} does not size the KV cache: {spelled(engine, 'kv_cache_memory_bytes')} is "
        f"{whole_number(size)} bytes, and the fraction is left as a check of free memory at the start",
        at=written.key_origin,
        otherwise=engine.place,
        remedy="Take it out, or leave the size to the fraction.",
        related=((origin_of(size), "the size that counts"),),
        severity=Severity.INFO,
    )


def _finding(engine: DeployedEngine, written: WrittenArgument, fact: str, remedy: str) -> Finding:
    return Finding(f"{written.spelling} {fact}", at=written.key_origin, otherwise=engine.place, remedy=remedy)


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="vLLM reads the argument, says nothing, and behaves as if it was not there: whoever wrote it believes "
    "in a protection or a speed that is not there, and looks elsewhere when it fails.",
    remedy="Take the argument out, or switch on what it belongs to.",
    sources=(
        "vLLM 0.8.5 to 0.33.0, config/ and v1/: where each of these arguments is used",
        "vLLM 0.33.0, parser/parser_manager.py: no tool parser without --enable-auto-tool-choice",
        "vLLM 0.33.0, engine/arg_utils.py: no LoRAConfig without --enable-lora",
        "vLLM 0.33.0, v1/worker/gpu_worker.py: kv_cache_memory_bytes",
    ),
    bad=(
        example("- --tool-call-parser=hermes  # fires\n- --max-loras=4  # fires"),
        example("- --swap-space=16  # fires", version="0.12.0"),
        example("- --gpu-memory-utilization=0.9  # fires\n- --kv-cache-memory-bytes=40g"),
        example("- --enforce-eager\n- --max-cudagraph-capture-size=512  # fires"),
    ),
    good=(
        example("- --tool-call-parser=hermes\n- --enable-auto-tool-choice\n- --enable-lora\n- --max-loras=4"),
        example("- --kv-offloading-size=16\n- --kv-offloading-backend=native"),
    ),
    check=in_every_release(check),
)
