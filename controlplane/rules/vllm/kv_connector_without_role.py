"""A KV connector is named without its role."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, spelled
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine, _ in engines_with_tables(stack):
        config = engine.written("kv_transfer_config")
        value = value_of(config)
        if isinstance(value, dict) and value.get("kv_connector") and value.get("kv_role") is None:
            yield Finding(
                f"{spelled(engine, 'kv_transfer_config').partition('.')[0]} names kv_connector "
                f"{value['kv_connector']} and no kv_role, so the engine refuses to start",
                at=config,
                otherwise=engine.place,
                remedy="Add kv_role: kv_producer, kv_consumer or kv_both.",
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="A connector has to know whether its engine gives KV blocks, takes them, or both, and vLLM does not "
    "guess (`Please specify kv_role when kv_connector is set`).",
    remedy="Add the role.",
    sources=(
        "vLLM 0.8.5 to 0.33.0, KVTransferConfig (config/kv_transfer.py; 0.8 to 0.11: kv_disagg_role in the message)",
    ),
    bad=(example('- --kv-transfer-config\n- \'{"kv_connector": "NixlConnector"}\'  # fires'),),
    good=(example('- --kv-transfer-config\n- \'{"kv_connector": "NixlConnector", "kv_role": "kv_both"}\''),),
    check=in_every_release(check),
)
