"""LoRA adapters are named and LoRA is off."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import Releases, engines_with_tables, is_off, spelled
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack

_LOADS_THEM = Releases("0.11.0")


def check(stack: Stack) -> Iterator[Finding]:
    for engine, _ in engines_with_tables(stack):
        modules = engine.written("lora_modules")
        named = isinstance(modules, Known) and bool(modules.value)
        if named and is_off(engine, "enable_lora") and _LOADS_THEM.has(engine.version):
            flag, switch = spelled(engine, "lora_modules"), spelled(engine, "enable_lora")
            yield Finding(
                f"{flag} names adapters and {switch} is not on: the engine refuses the first of them",
                at=modules,
                otherwise=engine.place,
                remedy=f"Add {switch}.",
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The server loads the named adapters when it starts. An engine without LoRA refuses each of them "
    "(`LoRA is not enabled`), and the server ends after it has loaded the whole model.",
    remedy="Switch LoRA on.",
    sources=(
        "vLLM 0.11.0 to 0.33.0, v1/worker/lora_model_runner_mixin.py and entrypoints/openai: init_static_loras",
    ),
    bad=(example("- --lora-modules=sql=registry.example/sql-lora  # fires"),),
    good=(example("- --lora-modules=sql=registry.example/sql-lora\n- --enable-lora"),),
    check=in_every_release(check),
)
