"""Values that stand where something else was meant: every type, every size, every text that YAML trips over."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Callable
from random import Random
from typing import Any

import yaml

WORDS = (
    "", " ", "a", "0", "-1", "1", "8", "1.5", "-0.0", "1e400", "1_000", "0x1F", "012", "12:30", "true",
    "yes", "null", "~",
    ".nan", ".inf", "-.inf", "2026-11-29", "100m", "1Gi", "1Ei", "9" * 30 + "Ei", "1e3", "25%", "-5%", "1k", "0.1m",
    "nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "NVIDIA-H100-80GB-HBM3", "H100", "auto", "fp8", "bfloat16", "RUNNING",
    "{{ .Values.x }}", "${NAME}", "$(NAME)", "$NAME", "{% if x %}", "<NAME>", "[[x]]", "a=b", "a,b", "a b",
    "a/b", "a:b",
    "vllm/vllm-openai:v0.20.0", "vllm/vllm-openai:latest", "rayproject/ray-llm:2.52.0-py311-cu128",
    "rayproject/ray:2.46.0",
    "ghcr.io/x/y@sha256:00", ":", "@", "x:@y", "vllm/vllm-openai:v99999999999999999999.1",
    "https://u:p@host/x", "\x00",
    "\x1b[31mred", "\u202etxt", "\ufeff", "\u2028", "\x85", "\ud83d\ude80", "é", "日本", "🚀" * 3, "a\nb",
    "a\r\nb", "\ta",
    "'", '"', "\\", "`", "'unclosed", '"unclosed', "\\\n", "$(", "${", "$((1+", "]]>", "<a>&amp;",
    "::error::x", "%0A", "#x",
    "# controlplane: ignore[vllm/] why", "--", "-", "--a", "&a", "*a", "!a", "<<", "---", "...", "{", "}",
    "[", "]", "{}",
    "[]", '{"a": 1}', '{"a": [', '[1, 2', "NaN", "Infinity", "-Infinity", "TensorrtExecutionProvider", "²",
    "١", "½", "+1",
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 3, 8, 16, 255, 65536, 2**31 - 1, 2**31, 2**63, 2**64, -(2**63), 10**30, 10**400, 0.0, -0.0,
    0.1, 0.5, 0.9,
    1.0, 1.5, 1e308, 1e-320, float("nan"), float("inf"), float("-inf"), True, False, None,
)  # fmt: skip
OTHERS: tuple[Callable[[], Any], ...] = (
    list, dict, lambda: [None], lambda: [[]], lambda: {"": None}, lambda: {"a": {}}, lambda: [{}],
    lambda: [1, "a", None],
    lambda: datetime.date(2026, 11, 29), lambda: datetime.datetime(2026, 11, 29, 1, 2, 3, tzinfo=datetime.UTC),
    lambda: b"\x00\xff", lambda: {"valueFrom": {}}, lambda: {"name": "a", "value": 1}, lambda: {None: 1,
    1: 2, 1.5: 3},
    lambda: {True: "a", "a\nb": "c"}, lambda: "x" * 5000, lambda: "a " * 2500, lambda: list(range(200)),
)  # fmt: skip


def anything(chance: Random) -> Any:
    """Any value."""
    kind = chance.random()
    if kind < 0.45:
        return chance.choice(WORDS)
    if kind < 0.75:
        return chance.choice(NUMBERS)
    if kind < 0.95:
        return chance.choice(OTHERS)()
    return nested(chance.choice((3, 30, 90, 200)), chance.choice(("list", "dict")))


def nested(depth: int, kind: str) -> Any:
    """Collections in collections."""
    value: Any = "x"
    for _ in range(depth):
        value = [value] if kind == "list" else {"a": value}
    return value


def places(tree: Any) -> list[tuple[Any, Any]]:
    """Every container and key in a tree, parents first."""
    found: list[tuple[Any, Any]] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        found += [(node, key) for key in keys]
        waiting += [node[key] for key in keys]
    return found


def changed(chance: Random, documents: list[Any]) -> list[Any]:
    """A copy of some documents with a few values replaced, moved, doubled, renamed or taken out."""
    made: list[Any] = copy.deepcopy(documents)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        spots = places(made)
        if spots:
            _change(chance, spots, *chance.choice(spots))
    return made


def _change(chance: Random, spots: list[tuple[Any, Any]], node: Any, key: Any) -> None:
    kind = chance.random()
    if kind < 0.55:
        node[key] = anything(chance)
    elif kind < 0.65:
        other, name = chance.choice(spots)
        node[key] = copy.deepcopy(other[name])
    elif kind < 0.7:
        other, name = chance.choice(spots)
        if node is not other[name] and all(container is not node for container, _ in places(other[name])):
            node[key] = other[name]
    elif kind < 0.8:
        del node[key]
    elif kind < 0.9 and isinstance(node, list):
        node.insert(key, copy.deepcopy(node[key]))
    elif isinstance(node, dict):
        node[chance.choice(spots)[1] if chance.random() < 0.7 else chance.choice(WORDS)] = node.pop(key)


def written(chance: Random, documents: list[Any]) -> str:
    """Documents as YAML in one of the styles that people's tools write; a value that is its own part is left out."""
    options: dict[str, Any] = {
        "default_flow_style": chance.choice((False, False, False, None, True)),
        "default_style": chance.choice((None, None, None, None, '"', "'", "|")),
        "allow_unicode": chance.random() < 0.7,
        "width": chance.choice((20, 80, 10_000)),
        "indent": chance.choice((2, 2, 4)),
        "sort_keys": False,
    }
    try:
        return yaml.dump_all(documents, Dumper=yaml.CSafeDumper, **options)
    except (yaml.YAMLError, RecursionError, UnicodeEncodeError):
        return "apiVersion: v1\nkind: Service\n"


def scrambled(chance: Random, text: str) -> str:
    """A text with a few of its lines and characters changed."""
    for _ in range(chance.choice((1, 1, 2, 4, 10))):
        text = _scramble(chance, text)
    return text


def _scramble(chance: Random, text: str) -> str:
    kind = chance.randrange(8)
    at = chance.randrange(len(text) + 1)
    if kind == 0:
        return text[:at] + chance.choice(WORDS) + text[at:]
    if kind == 1:
        return text[:at] + text[at + chance.choice((1, 1, 2, 20)) :]
    if kind == 2:
        return text[:at] + chance.choice("\t\r\n :-#'\"{}[],&*!|>%@`\\\0\x85\u2028\ufeff\x1b\ud800") + text[at + 1 :]
    lines = text.splitlines(keepends=True) or [""]
    line = chance.randrange(len(lines))
    if kind == 3:
        del lines[line]
    elif kind == 4:
        lines.insert(chance.randrange(len(lines)), lines[line])
    elif kind == 5:
        lines[line] = chance.choice(("  ", "    ", "- ", "\t")) + lines[line]
    elif kind == 6:
        lines[line] = lines[line][chance.choice((1, 2, 4)) :]
    else:
        other = chance.randrange(len(lines))
        lines[line], lines[other] = lines[other], lines[line]
    return "".join(lines)
