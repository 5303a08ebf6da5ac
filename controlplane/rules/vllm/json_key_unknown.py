"""A key of a JSON argument is none of its configuration's in the release that runs."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import Releases
from controlplane.rules.engine_json import json_keys
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.histories import Removal
from controlplane.stack.model import Stack
from controlplane.stack.vllm_json_keys import key_since, keys_of, nearest_key, removed_key

_FORBIDS = Releases("0.16.0")
"""Older configuration classes drop a key that they do not know, or refuse it; which differs from class to class."""


def check(stack: Stack) -> Iterator[Finding]:
    for found in json_keys(stack):
        if found.name not in (keys_of(found.config, found.version) or (found.name,)):
            fact, remedy = _what(found.config, found.name, found.version)
            yield Finding(
                f"{found.path} {fact}",
                at=found.origin or found.fact,
                otherwise=found.engine.place,
                remedy=remedy,
                severity=None if _FORBIDS.has(found.version) else Severity.WARNING,
            )


def _what(config: str, name: str, version: str) -> tuple[str, str]:
    removal, since = removed_key(config, name, version), key_since(config, name)
    if removal is not None:
        return f"is gone since vLLM {removal.gone_in}; {version} runs", _instead(removal)
    if since is not None and Releases(gone=since).has(version):
        return f"is in vLLM from {since} on; {version} runs", f"Use vLLM {since} or later, or take the key out."
    near = nearest_key(config, name, version)
    fact = f"is no key of {config} in vLLM {version}" + (f"; the nearest is {near}" if near else "")
    return fact, f"Write {near}." if near else "Take the key out."


def _instead(removal: Removal) -> str:
    words = removal.successor or removal.replacement
    return f"Use instead: {words}." if words and not words.startswith("nothing") else "Take the key out."


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="A JSON argument fills a configuration class, which takes no keys that it does not know: from 0.16 on "
    "the engine ends before it loads anything (`Unexpected keyword argument`), and before most classes dropped the "
    "key without a word. Keys come and go with releases like arguments.",
    remedy="Correct the key, or take it out.",
    sources=(
        "vLLM 0.8.5 to 0.33.0, fields of the classes in config/ (schemas/vllm/json-keys.json)",
        "vLLM 0.16.0 to 0.33.0, config/utils.py: every configuration class forbids further keys",
    ),
    bad=(
        example("- --compilation-config\n- '{\"level\": 3}'  # fires"),
        example("- --kv-transfer-config.kv_conector=NixlConnector  # fires\n- --kv-transfer-config.kv_role=kv_both"),
    ),
    good=(
        example("- --compilation-config\n- '{\"mode\": 3}'"),
        example("- --kv-transfer-config.kv_connector=NixlConnector\n- --kv-transfer-config.kv_role=kv_both"),
    ),
    check=in_every_release(check),
)
