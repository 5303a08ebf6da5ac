"""A flag and its value, or several arguments, are one word, which vLLM's parser does not divide."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Applicability, Edit, Layer, Severity
from controlplane.regex import regex
from controlplane.rules.engine_arguments import in_table, starts_from_keywords
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.engine import WrittenArgument
from controlplane.stack.facts import Declared, Known
from controlplane.stack.model import Stack
from controlplane.stack.vllm_arguments import SHORT_FLAGS
from controlplane.stack.vllm_tables import introduced, load_table, normalized_flag

_FURTHER = regex(r"\s(--?[A-Za-z][\w.-]*)(?=[=\s]|\Z)")
_STRUCTURED = ("{", "[", "'", '"')
"""How values begin that may hold anything: JSON, and texts in quotes that no shell has taken off."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        if not starts_from_keywords(engine):
            yield from _of_engine(engine)


def _of_engine(engine: DeployedEngine) -> Iterator[Finding]:
    for argument in engine.engine.written:
        further = _further(argument.text or "")
        if argument.spelling.startswith("-") and (argument.blank is not None or further):
            yield _several(engine, argument, further) if further else _pair(engine, argument)
    places = [argument.origin for argument in engine.engine.written]
    for word in (engine.engine.model, *engine.engine.stray):
        if isinstance(word, Known) and word.origin not in places and (further := _further(word.value)):
            yield Finding(
                f"{further} stands in one word with {word.value.split()[0]}, and vLLM reads it as part of that",
                at=word,
                otherwise=engine.place,
            )


def _further(text: str) -> str | None:
    """A flag of vLLM inside what is one value to it."""
    if text.startswith(_STRUCTURED):
        return None
    return next((flag for flag in _FURTHER.findall(text) if _is_flag(flag)), None)


def _is_flag(flag: str) -> bool:
    return flag in SHORT_FLAGS or introduced(normalized_flag(flag).lstrip("-").replace("-", "_")) is not None


def _several(engine: DeployedEngine, argument: WrittenArgument, further: str) -> Finding:
    return Finding(
        f"{further} stands in one word with {argument.spelling}, and vLLM reads both as one argument",
        at=argument.key_origin,
        otherwise=engine.place,
        remedy="Write every argument as an item of its own.",
    )


def _pair(engine: DeployedEngine, argument: WrittenArgument) -> Finding:
    edits = () if _is_switch(engine, argument) else _edits(argument)
    shown = "" if "key" in argument.spelling else f" {argument.text.strip()}" if argument.text else ""
    return Finding(
        f"'{argument.spelling}{shown or ' …'}' is one word, which vLLM's parser does not divide",
        at=argument.key_origin,
        otherwise=engine.place,
        remedy=_remedy(engine, argument, shown.split()),
        edits=edits,
        applicability=Applicability.SAFE if edits else Applicability.DISPLAY_ONLY,
    )


def _is_switch(engine: DeployedEngine, argument: WrittenArgument) -> bool:
    table = load_table(engine.version) if engine.version is not None else None
    meant = in_table(table, argument) if table is not None else None
    return meant is not None and meant.kind == "bool"


def _remedy(engine: DeployedEngine, argument: WrittenArgument, parts: list[str]) -> str:
    flag = argument.spelling
    if _is_switch(engine, argument):
        return f"Write {flag} alone, or leave it out."
    if argument.alone:
        return f"Take the blank behind {flag} out."
    if len(parts) > 1 and not (argument.text or "").startswith(_STRUCTURED):
        return f"Write {flag} and each of {', '.join(parts)} as an item of its own."
    value = " ".join(parts) or "VALUE"
    return f"Write {flag}={value}, or two items, {flag} and {value}."


def _edits(argument: WrittenArgument) -> tuple[Edit, ...]:
    """An equals sign in the place of the blank, where what follows is the value as vLLM would read it."""
    value = argument.text or ""
    plain = value and not value.startswith(("'", '"')) and (value.startswith("{") or len(value.split()) == 1)
    if not (plain and argument.verbatim and isinstance(argument.blank, Declared)):
        return ()
    return (Edit(argument.blank.span, "="),)


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Every item of `args` is one word: no shell is there to divide it. argparse takes a word with a blank "
    "in it for no flag (`--max-model-len 8192`), so that `vllm serve` takes it for the model or ends with "
    "`unrecognized arguments`; of `--model=X --port=80` the value is `X --port=80`, a model that nobody has.",
    remedy="Write the flag and its value as two items, or as one with an equals sign.",
    sources=(
        "Python 3.12, argparse.ArgumentParser._parse_optional",
        "vLLM 0.8.5 to 0.33.0, utils/argparse_utils.py: FlexibleArgumentParser",
    ),
    bad=(
        example("- --max-model-len 8192  # fires\n- --max-num-seqs=8"),
        example("- --served-model-name=chat --max-num-seqs=8  # fires"),
    ),
    good=(example("- --max-model-len\n- '8192'\n- --max-num-seqs=8"),),
    check=check,
)
