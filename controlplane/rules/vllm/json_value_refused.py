"""A key of a JSON argument has a value that its configuration does not take."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import Releases
from controlplane.rules.engine_json import JsonKey, json_keys
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.engine_values import limits, shown
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import listed
from controlplane.stack.model import Stack

_VALIDATES = Releases("0.10.2")
"""Older configuration classes are plain dataclasses, which take what they are given."""


def check(stack: Stack) -> Iterator[Finding]:
    for found in json_keys(stack):
        needed = _needed(found) if _VALIDATES.has(found.version) else None
        if needed is not None:
            yield Finding(
                f"{found.path} is {shown(found.value)}; {needed} is needed",
                at=found.origin or found.fact,
                otherwise=found.engine.place,
                remedy=f"Write {needed}.",
            )


def _needed(found: JsonKey) -> str | None:
    """What the key takes where the value is another: one of a closed list, or a number within limits."""
    known, value = found.known, found.value
    if known is None or isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str) and any(mark in value for mark in ("$(", "${", "{{")):
        return None
    if known.choices:
        return None if value in known.choices else listed(known.choices, "or")
    if isinstance(value, str) or known.bounds.allow(value):
        return None
    return f"a number {limits(known.bounds)}"


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="A JSON argument fills a configuration class whose fields have closed lists of values and limits. The "
    "engine checks them when it makes its configuration and ends before it loads anything.",
    remedy="Write a value that the message names.",
    sources=("vLLM 0.8.5 to 0.33.0, fields of the classes in config/ (schemas/vllm/json-keys.json)",),
    bad=(example('- --kv-transfer-config\n- \'{"kv_connector": "NixlConnector", "kv_role": "both"}\'  # fires'),),
    good=(example('- --kv-transfer-config\n- \'{"kv_connector": "NixlConnector", "kv_role": "kv_both"}\''),),
    check=in_every_release(check),
)
