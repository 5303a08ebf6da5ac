"""vLLM's arguments: those that the policy sets and those that we decide, checked against the pinned version.

Nothing that vLLM would choose by itself is written down, so that a default follows the version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.diagnostics import Diagnostic, Layer, Severity
from controlplane.policy.argument_names import canonical_name
from controlplane.policy.findings import finding
from controlplane.policy.resolution.argument_findings import (
    DECIDED,
    KEYS,
    has_a_home,
    other_release,
    set_twice,
    unknown_argument,
    unknown_version,
)
from controlplane.policy.resolution.argument_limits import check_limits
from controlplane.policy.resolution.argument_values import Refusal, as_read, refusal, remark
from controlplane.policy.resolution.setting import Setting
from controlplane.policy.secrets import looks_secret
from controlplane.stack.engine import ArgumentValue
from controlplane.stack.facts import Fact, Known
from controlplane.stack.vllm_arguments import arguments_of
from controlplane.stack.vllm_tables import ArgumentTable, load_table


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments by canonical name, and whether the version knows --shutdown-timeout."""

    values: Mapping[str, Fact[ArgumentValue]]
    drains: bool


def derive_arguments(setting: Setting) -> tuple[Arguments, list[Diagnostic]]:
    """The arguments of the engine, and findings about those that its version does not take."""
    table = load_table(setting.spec.runtime.vllm)
    findings = other_release(setting, table) if table is not None else unknown_version(setting)
    known = arguments_of(setting.spec.runtime.vllm)
    values: dict[str, Fact[ArgumentValue]] = {}
    places: dict[str, tuple[str, ...]] = {}
    for name, path, fact in (*_own(setting), *_extra(setting)):
        argument = table.argument(name) if table is not None else None
        canonical = argument.name if argument is not None else name
        key = next((k for k, known in KEYS.items() if known == canonical), None)
        if path[0] == "extraArgs" and (key is not None or canonical in DECIDED):
            findings.append(has_a_home(setting, path, canonical, key))
        elif canonical in places:
            findings.append(set_twice(setting, path, places[canonical]))
        else:
            findings += _judge(setting, table, name, path, fact)
            places[canonical] = path
            read = as_read(known.named(canonical), fact.value)
            if read is not None:
                values[canonical] = Known(read, fact.origin)
    findings += check_limits(setting, values, places)
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
            yield KEYS[key], (key,), fact


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
    if _holds_secret(fact.value):
        return [_literal_secret(setting, path)]
    if table is None:
        return []
    argument = table.argument(name)
    if argument is None:
        return [unknown_argument(setting, table, path, name, fact.value)]
    refused = refusal(argument, fact.value)
    if refused is not None:
        return [_about_value(setting, table, path, refused, "policy/bad-argument-value", Severity.ERROR)]
    odd = remark(argument, fact.value)
    if odd is not None:
        return [_about_value(setting, table, path, odd, "policy/unusual-argument-value", Severity.WARNING)]
    return []


def _about_value(
    setting: Setting, table: ArgumentTable, path: tuple[str, ...], why: Refusal, rule: str, severity: Severity
) -> Diagnostic:
    where = setting.service.memory.declared(*path)
    message = f"memory.{'.'.join(path)} {why.fact} (vLLM {table.source_version})"
    return finding(rule, message, where.span, where.path, why.remedy, severity=severity, layer=Layer.VLLM)


def _holds_secret(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_secret(child) for child in value.values())
    if isinstance(value, list):
        return any(map(_holds_secret, value))
    return isinstance(value, str) and looks_secret(value)


def _literal_secret(setting: Setting, path: tuple[str, ...]) -> Diagnostic:
    """Arguments stand in the pod's specification, which many may read."""
    where = setting.service.memory.key_declared(*path)
    return finding(
        "policy/literal-secret",
        f"memory.{'.'.join(path)} holds a secret in plain text (not shown)",
        where.span,
        where.path,
        "Take it out, give it to the engine as a variable that refers to a Secret (`env`), and replace the secret.",
    )
