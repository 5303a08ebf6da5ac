"""vLLM's arguments: those that the policy sets and those that we decide, checked against the pinned version.

Nothing that vLLM would choose by itself is written down, so that a default follows the version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from controlplane.diagnostics import Diagnostic, Layer, RelatedSpan
from controlplane.policy.argument_names import canonical_name
from controlplane.policy.findings import finding
from controlplane.policy.resolution.argument_values import refusal
from controlplane.policy.resolution.setting import Setting, evidence
from controlplane.source import nearest
from controlplane.stack.engine import ArgumentValue
from controlplane.stack.facts import Fact, Known
from controlplane.stack.vllm_tables import ArgumentTable, introduced, load_table, nearest_versions, removed

_KEYS: Final[Mapping[str, str]] = {
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

_DECIDED: Final[Mapping[str, str]] = {
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
}
"""Arguments with another home, and what to do instead."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments by canonical name, and whether the version knows --shutdown-timeout."""

    values: Mapping[str, Fact[ArgumentValue]]
    drains: bool


def derive_arguments(setting: Setting) -> tuple[Arguments, list[Diagnostic]]:
    """The arguments of the engine, and findings about those that its version does not take."""
    table = load_table(setting.spec.runtime.vllm)
    findings = [] if table is not None else _unknown_version(setting)
    values: dict[str, Fact[ArgumentValue]] = {}
    places: dict[str, tuple[str, ...]] = {}
    for name, path, fact in (*_own(setting), *_extra(setting)):
        argument = table.argument(name) if table is not None else None
        canonical = argument.name if argument is not None else name
        key = next((k for k, known in _KEYS.items() if known == canonical), None)
        if path[0] == "extraArgs" and (key is not None or canonical in _DECIDED):
            findings.append(_has_a_home(setting, path, canonical, key))
        elif canonical in places:
            findings.append(_set_twice(setting, path, places[canonical]))
        else:
            findings += _judge(setting, table, name, path, fact)
            values[canonical], places[canonical] = fact, path
    drains = table is not None and table.argument("shutdown_timeout") is not None
    return Arguments(values, drains), findings


def _own(setting: Setting) -> Iterator[tuple[str, tuple[str, ...], Known[Any]]]:
    """Arguments that have a key. TP is always written: the pod's GPUs follow from it."""
    section = setting.service.memory
    said = section.value
    given: dict[str, Any] = {
        "tensorParallel": said.tensor_parallel,
        "pipelineParallel": said.pipeline_parallel,
        "maxModelLen": said.max_model_len,
        "maxNumSeqs": said.max_num_seqs,
        "maxNumBatchedTokens": said.max_num_batched_tokens,
        "gpuMemoryUtilization": said.gpu_memory_utilization,
        "kvCacheDtype": said.kv_cache_dtype,
        "dtype": said.dtype,
        "quantization": said.quantization,
        "enablePrefixCaching": said.enable_prefix_caching,
        "schedulingPolicy": said.scheduling_policy,
    }
    for key, value in given.items():
        fact = section.fact(value, key)
        if isinstance(fact, Known):
            yield _KEYS[key], (key,), fact


def _extra(setting: Setting) -> Iterator[tuple[str, tuple[str, ...], Known[Any]]]:
    section = setting.service.memory
    for key in sorted(section.value.extra_args):
        fact = section.fact(section.value.extra_args[key], "extraArgs", key)
        if isinstance(fact, Known):
            yield canonical_name(key), ("extraArgs", key), fact


def _judge(
    setting: Setting, table: ArgumentTable | None, name: str, path: tuple[str, ...], fact: Known[Any]
) -> list[Diagnostic]:
    """What is wrong with one argument."""
    if table is None:
        return []
    argument = table.argument(name)
    if argument is None:
        return [_unknown_argument(setting, table, path, name)]
    refused = refusal(argument, fact.value)
    if refused is None:
        return []
    where = setting.service.memory.declared(*path)
    message = f"memory.{'.'.join(path)} {refused.fact} for vLLM {table.source_version}"
    return [finding("policy/bad-argument-value", message, where.span, where.path, refused.remedy, layer=Layer.VLLM)]


def _has_a_home(setting: Setting, path: tuple[str, ...], name: str, key: str | None) -> Diagnostic:
    where = setting.service.memory.declared(*path)
    home = f"memory.{key}" if key is not None else ""
    return finding(
        "policy/misplaced-key",
        f"extraArgs.{path[-1]} has {'a key of its own: ' + home if key else 'another home'}",
        where.span,
        where.path,
        f"Set `{home}` instead." if key is not None else _DECIDED[name],
    )


def _set_twice(setting: Setting, path: tuple[str, ...], first: tuple[str, ...]) -> Diagnostic:
    section = setting.service.memory
    where, other = section.declared(*path), section.declared(*first)
    return finding(
        "policy/duplicate-argument",
        f"memory.{'.'.join(path)} and memory.{'.'.join(first)} set the same argument",
        where.span,
        where.path,
        f"Remove `{path[-1]}` from extraArgs.",
        layer=Layer.VLLM,
        related=(RelatedSpan(other.span, "the other"),),
    )


def _unknown_argument(setting: Setting, table: ArgumentTable, path: tuple[str, ...], name: str) -> Diagnostic:
    where = setting.service.memory.declared(*path)
    version = setting.spec.runtime.vllm
    since, gone = introduced(name), removed(name, version)
    near = nearest(name, table.names())
    if gone is not None:
        fact = f"is gone since vLLM {gone.gone_in} (last in {gone.last_in})"
        remedy = f"Use instead: {gone.replacement}." if gone.replacement else "Remove it; nothing is needed instead."
    elif since is not None:
        fact = f"is in vLLM from {since} only"
        remedy = f"Remove it, or use an image with vLLM {since} or later."
    else:
        fact = "is no argument of `vllm serve`" + (f"; the nearest is {near}" if near else "")
        remedy = f"Write `{near}`." if near else "Remove it."
    return finding(
        "policy/unknown-argument",
        f"memory.{'.'.join(path)} {fact}; runtime.vllm is {version}",
        where.span,
        where.path,
        remedy,
        layer=Layer.VLLM,
        evidence=(evidence("vLLM", setting.service.policy.fact(version, "spec", "runtime", "vllm")),),
    )


def _unknown_version(setting: Setting) -> list[Diagnostic]:
    version = setting.spec.runtime.vllm
    where = setting.declared("spec", "runtime", "vllm")
    near = nearest_versions(version)
    return [
        finding(
            "policy/unknown-vllm-version",
            f"vLLM {version} is not known, so its arguments cannot be checked; the nearest known are "
            f"{' and '.join(near)}",
            where.span,
            where.path,
            f"Write {near[-1]}, if that is what the image holds.",
            layer=Layer.VLLM,
        )
    ]
