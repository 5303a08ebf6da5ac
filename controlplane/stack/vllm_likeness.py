"""Images of somebody's own that start vLLM's server by themselves: told by their name and their arguments.

A name alone tells nothing (a router, a benchmark, an exporter are called after vLLM too), and neither do arguments
(`--model` and `--port` are everybody's): both together are taken for an engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.regex import regex
from controlplane.stack.facts import Fact, Known
from controlplane.stack.vllm_arguments import SHORT_FLAGS
from controlplane.stack.vllm_tables import introduced, normalized_flag

_NAME = regex(r"(?:[^/@]+/)*(?P<name>[^/:@]+)(?::[^/:@]+)?(?:@[^/]+)?\Z")
_OTHER_PROGRAMS = regex(
    r"sglang|lmcache|router|exporter|scal(er|ing)|gateway|controller|operator|sidecar|proxy|metrics|dashboard|bench"
    r"|client|sim|mock|omni|test|loadgen|download|tokenizer|runtime|engine-manager|agent|plugin|init|cache|stack"
)
"""Programs beside vLLM, or in its place, whose images are called after it."""

_COMMON: Final = frozenset({"model", "host", "port", "api_key", "seed", "revision", "tokenizer", "help", "config"})
"""Arguments that servers of many projects take."""

_OWN_AT_LEAST: Final = 3


def may_be_vllm(image: Fact[str]) -> bool:
    """Whether the last part of an image's name says vLLM, and nothing in it another program."""
    match = _NAME.match(image.value) if isinstance(image, Known) else None
    return match is not None and "vllm" in match["name"] and not _OTHER_PROGRAMS.search(match["name"])


def starts_like_vllm(image: Fact[str], args: Sequence[str]) -> bool:
    """Whether an image without a `command` is an engine: called after vLLM, `--model` and one more of its flags."""
    if not args or not args[0].startswith("-") or not may_be_vllm(image):
        return False
    names = _arguments(args)
    return "model" in names and bool(names - _COMMON)


def resembles_vllm(image: Fact[str], args: Sequence[str]) -> bool:
    """Whether a container that was taken for no engine may be one all the same."""
    # Most containers are neither, and need no table read.
    if not may_be_vllm(image) and not any(word.startswith("--model") for word in args):
        return False
    names = _arguments(args)
    if may_be_vllm(image):
        return bool(names)
    match = _NAME.match(image.value) if isinstance(image, Known) else None
    is_other = match is not None and _OTHER_PROGRAMS.search(match["name"]) is not None
    return not is_other and "model" in names and len(names - _COMMON) >= _OWN_AT_LEAST


def _arguments(args: Sequence[str]) -> set[str]:
    """The canonical names of the flags that some release of vLLM has."""
    flags = (normalized_flag(word.split()[0]) for word in args if word.startswith("-") and word.split())
    names = (SHORT_FLAGS.get(flag) or flag.lstrip("-").replace("-", "_") for flag in flags)
    return {name for name in names if name == "model" or introduced(name) is not None}
