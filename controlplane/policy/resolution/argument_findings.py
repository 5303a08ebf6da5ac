"""Findings about vLLM's arguments: which have another home, which the version does not have, what to write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controlplane.diagnostics import Diagnostic, Layer, RelatedSpan, Severity
from controlplane.policy.findings import finding
from controlplane.policy.resolution.setting import Setting, evidence
from controlplane.source import nearest
from controlplane.stack.vllm_tables import ArgumentTable, Removal, introduced, nearest_versions, removed

_PLAIN_HTTP: Final = "Remove it; the probes and the Service speak HTTP. End TLS at a gateway before the Service."
_ONE_POD: Final = "Remove it; runtime deployment keeps an engine, with all its ranks, in one pod."
_OF_SEVERAL_PODS: Final = (
    "nnodes",
    "node_rank",
    "master_addr",
    "data_parallel_address",
    "data_parallel_rank",
    "data_parallel_size_local",
    "data_parallel_start_rank",
    "data_parallel_external_lb",
    "data_parallel_hybrid_lb",
    "data_parallel_multi_port_external_lb",
)

KEYS: Final[Mapping[str, str]] = {
    "tensorParallel": "tensor_parallel_size",
    "pipelineParallel": "pipeline_parallel_size",
    "maxModelLen": "max_model_len",
    "maxNumSeqs": "max_num_seqs",
    "maxNumBatchedTokens": "max_num_batched_tokens",
    "gpuMemoryUtilization": "gpu_memory_utilization",
    "kvCacheDtype": "kv_cache_dtype",
    "dtype": "dtype",
    "quantization": "quantization",
    "enablePrefixCaching": "enable_prefix_caching",
    "schedulingPolicy": "scheduling_policy",
}
"""Keys of the memory section and the arguments they set."""

DECIDED: Final[Mapping[str, str]] = {
    "model": "Set model.name and model.from.",
    "model_tag": "Set model.name and model.from.",
    "revision": "Set model.revision.",
    "served_model_name": "Set model.servedName.",
    "shutdown_timeout": "Set machine.termination.drain.",
    "host": "Remove it; the engine listens on all addresses of its pod.",
    "port": "Remove it; the engine listens on 8000. Set service.port for the Service's.",
    "api_key": "Put the key into a Secret and add {name: VLLM_API_KEY, secret: {name: …, key: …}} to env.",
    "hf_token": "Set model.from.hub.secret to a Secret's key.",
    "download_dir": "Set model.cache.",
    "config": "Write the arguments themselves.",
    "headless": "Remove it; the engine must answer requests.",
    "grpc": "Remove it; the probes and the clients of the Service speak HTTP.",
    "uds": "Remove it; the probes and the Service reach the engine over TCP.",
    **dict.fromkeys(("ssl_keyfile", "ssl_certfile", "enable_ssl_refresh"), _PLAIN_HTTP),
    **dict.fromkeys(_OF_SEVERAL_PODS, _ONE_POD),
}
"""Arguments with another home, and what to do instead."""


def has_a_home(setting: Setting, path: tuple[str, ...], name: str, key: str | None) -> Diagnostic:
    """An extra argument that has a key of its own, or that is decided elsewhere."""
    where = setting.service.memory.key_declared(*path)
    home = f"memory.{key}" if key is not None else ""
    return finding(
        "policy/misplaced-key",
        f"extraArgs.{path[-1]} has {'a key of its own: ' + home if key else 'another home'}",
        where.span,
        where.path,
        f"Set `{home}` instead." if key is not None else DECIDED[name],
    )


def set_twice(setting: Setting, path: tuple[str, ...], first: tuple[str, ...]) -> Diagnostic:
    """The same argument under two spellings."""
    section = setting.service.memory
    where, other = section.key_declared(*path), section.key_declared(*first)
    return finding(
        "policy/duplicate-argument",
        f"memory.{'.'.join(path)} and memory.{'.'.join(first)} set the same argument",
        where.span,
        where.path,
        f"Remove `{path[-1]}` from extraArgs.",
        layer=Layer.VLLM,
        related=(RelatedSpan(other.span, "the other"),),
    )


def unknown_argument(
    setting: Setting, table: ArgumentTable, path: tuple[str, ...], name: str, value: Any
) -> Diagnostic:
    """An argument that the version does not have under this name."""
    where = setting.service.memory.key_declared(*path)
    version = setting.spec.runtime.vllm
    fact, remedy = _why_unknown(table, path[-1], name, value, version)
    return finding(
        "policy/unknown-argument",
        f"memory.{'.'.join(path)} {fact}; runtime.vllm is {version}",
        where.span,
        where.path,
        remedy,
        layer=Layer.VLLM,
        evidence=(evidence("vLLM", setting.service.policy.fact(version, "spec", "runtime", "vllm")),),
    )


def _why_unknown(table: ArgumentTable, key: str, name: str, value: Any, version: str) -> tuple[str, str]:
    since, gone, meant = introduced(name), removed(name, version), _meant(table, key, value)
    if gone is not None:
        return f"is gone since vLLM {gone.gone_in} (last in {gone.last_in})", _instead(gone)
    if meant is not None:
        return "is no name of an argument", f"Write {meant}."
    if since is not None:
        return f"is in vLLM from {since} only", f"Remove it, or use an image with vLLM {since} or later."
    near = nearest(name, table.names())
    fact = "is no argument of `vllm serve`" + (f"; the nearest is {near}" if near else "")
    return fact, f"Write `{near}`." if near else "Remove it."


def _instead(gone: Removal) -> str:
    """The table's words of what replaces an argument; where nothing does, it begins by saying so."""
    words, _, reason = gone.replacement.partition(": ")
    if words in ("", "nothing", "drop it"):
        return f"Remove it{'' if reason in ('', 'drop it') else f'; {reason}'}."
    if words.startswith("no equivalent"):
        return f"Remove it; there is {gone.replacement}."
    return f"Use instead: {gone.replacement}."


def _meant(table: ArgumentTable, key: str, value: Any) -> str | None:
    """What to write for a negation, a short flag, a dotted flag, or a flag with its value behind an equals sign."""
    plain = key.lstrip("-").replace("_", "-")
    word, equals, _ = plain.partition("=")
    word, dot, below = word.partition(".")
    argument = table.argument(f"--{word}") or table.argument(f"-{word}")
    if argument is None:
        return None
    home = next((f"memory.{k}" for k, known in KEYS.items() if known == argument.name), None)
    if f"--{word}" in argument.no_flags:
        return f"`{argument.name}: {'false' if value is not False else 'true'}`"
    if dot:
        return f"`{argument.name}: {{{below.replace('-', '_')}: …}}`"
    return f"`{home or argument.name}: …`" if equals or f"--{word}" not in argument.flags else None


def unknown_version(setting: Setting) -> list[Diagnostic]:
    """A version of which no table answers for the arguments."""
    version = setting.spec.runtime.vllm
    where = setting.declared("spec", "runtime", "vllm")
    near = nearest_versions(version)
    return [
        finding(
            "policy/unknown-vllm-version",
            f"vLLM {version} is not known, so its arguments cannot be checked; the nearest known "
            f"{'are' if len(near) > 1 else 'is'} {' and '.join(near)}",
            where.span,
            where.path,
            f"Write {near[-1]}, if that is what the image holds.",
            layer=Layer.VLLM,
        )
    ]


def other_release(setting: Setting, table: ArgumentTable) -> list[Diagnostic]:
    """A remark where a release has no table of its own, and that of a neighbour answers for it."""
    if table.exact:
        return []
    where = setting.declared("spec", "runtime", "vllm")
    return [
        finding(
            "policy/nearest-vllm-version",
            f"vLLM {setting.spec.runtime.vllm} has no table of arguments; they are checked against those of "
            f"{table.source_version}",
            where.span,
            where.path,
            "Nothing, if the release exists: patches of one minor release rarely differ in arguments.",
            severity=Severity.INFO,
            layer=Layer.VLLM,
        )
    ]
