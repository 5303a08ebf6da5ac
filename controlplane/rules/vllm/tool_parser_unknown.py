"""The tool call parser that is asked for is none of vLLM's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, is_on, is_unset, spelled, starts_from_keywords
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.source import nearest
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack

_NEWEST: Final = "0.33.0"
_READ: Final = """
    apertus beam cohere_command3 cohere_command4 deepseek_v3 deepseek_v31 deepseek_v32 deepseek_v4
    deepseek_v41 dots ernie45 functiongemma gemma4 gigachat3 glm45 glm47 granite granite-20b-fc granite4
    hermes hf hunyuan_a13b hy_v3 hy_v4 inkling internlm jamba k2_horizon kimi_k2 kimi_k3 lfm2 ling3
    llama3_json llama4_json llama4_pythonic longcat mimo minicpm5 minimax_m2 minimax_m3 mistral muse
    muse_glimmer musespark1x olmo3 openai phi4_mini_json plamo3 poolside_v1 pythonic qwen3_coder qwen3_json
    qwen3_xml seed_oss step3 step3p5 step5 xlam
"""
_NAMES_OF_NEWEST: Final = frozenset(_READ.split())
_NAMES: Final = _NAMES_OF_NEWEST | {"minimax", "zaya_xml"}
"""With those that were in earlier releases and are gone."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        written = engine.written("tool_call_parser")
        if starts_from_keywords(engine) or not isinstance(written, Known) or not isinstance(written.value, str):
            continue
        asked = is_on(engine, "enable_auto_tool_choice") and is_unset(engine, "tool_parser_plugin")
        name, flag = written.value, spelled(engine, "tool_call_parser")
        near = _near(name)
        if asked and "$" not in name and _is_unknown(name, table.source_version, near):
            yield Finding(
                f"{flag} is {name!r}, and vLLM {table.version} has no parser of that name"
                + (f"; the nearest is {near}" if near else ""),
                at=written,
                otherwise=engine.place,
                remedy=f"Write {near}." if near else "Write the name of the parser for this model.",
            )


def _is_unknown(name: str, version: str, near: str | None) -> bool:
    """Of the release whose names were read, every other name; of the rest, what is a slip of the pen."""
    if version == _NEWEST:
        return name not in _NAMES_OF_NEWEST
    return name not in _NAMES and near is not None


def _near(name: str) -> str | None:
    """The name that is meant for all one can tell: with other digits it is another model's."""
    near = nearest(name, sorted(_NAMES_OF_NEWEST))
    return near if near is not None and _digits(near) == _digits(name) else None


def _digits(name: str) -> list[str]:
    return [character for character in name if character.isdigit()]


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="With --enable-auto-tool-choice the server looks its parser up before it loads anything, and ends with "
    "`invalid tool call parser` where no release and no --tool-parser-plugin brings it.",
    remedy="Write the name of the parser for this model.",
    sources=(
        "vLLM 0.8.5, 0.11.0, 0.20.0 and 0.33.0: tool_parsers/__init__.py, entrypoints/openai/tool_parsers",
        "vLLM 0.33.0, entrypoints/common/cli_args.py: validate_parsed_serve_args",
    ),
    bad=(example("- --enable-auto-tool-choice\n- --tool-call-parser=mistrall  # fires"),),
    good=(example("- --enable-auto-tool-choice\n- --tool-call-parser=mistral"),),
    check=in_every_release(check),
)
