"""Prometheus metrics of one vLLM release, by the names its source gives them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from tools.schemas.release import Release

_NAME = re.compile(r"vllm:[a-zA-Z0-9_]*[a-zA-Z0-9]\Z")
_KINDS = ("gauge", "counter", "histogram", "summary")
_FOLDERS = ("vllm/v1/", "vllm/engine/", "vllm/entrypoints/", "vllm/distributed/", "vllm/parser/")
"""Where metrics are made. Elsewhere `vllm:` begins the names of operators and of trace spans."""

Facts = dict[str, object]


def metrics_of(release: Release) -> dict[str, Facts]:
    """By name: its kind, where the call that makes it tells, and whether it takes a flag to be shown.

    Names are as Prometheus' client keeps them: a counter's without `_total`, which it adds when it is asked.
    """
    found: dict[str, Facts] = {}
    for path, text in release.files.items():
        if path.startswith(_FOLDERS) and '"vllm:' in text:
            for name, facts in _metrics(ast.parse(text)):
                found[name] = {**facts, **found.get(name, {})}
    counters = {name for name, facts in found.items() if facts.get("kind") == "counter"}
    return {name.removesuffix("_total") if name in counters else name: facts for name, facts in found.items()}


def _metrics(tree: ast.Module) -> Iterator[tuple[str, Facts]]:
    constants = dict(_constants(tree))
    made = list(_made(tree, constants, hidden=False))
    yield from ((name, facts) for name, facts in made if name)
    unnamed = {facts["kind"] for name, facts in made if not name}
    named = {name for name, _ in made}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _NAME.match(node.value):
            looped = len(unnamed) == 1 and node.value not in named
            yield node.value, ({"kind": next(iter(unnamed))} if looped else {})


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                yield name, text


def _made(node: ast.AST, constants: Mapping[str, str], *, hidden: bool) -> Iterator[tuple[str, Facts]]:
    """The metrics that calls below a node make; those under `if ...show_hidden_metrics` are hidden.

    A name that the call takes from a loop is empty.
    """
    shown: Facts = {"hidden": True} if hidden else {}
    match node:
        case ast.Call() if _kind(node):
            for argument in _name_arguments(node):
                yield _text(argument, constants), {"kind": _kind(node), **shown}
        case ast.Dict():
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None and isinstance(value, ast.Call) and _kind(value) and _text(key, constants):
                    yield _text(key, constants), {"kind": _kind(value), **shown}
    concealed = isinstance(node, ast.If) and "show_hidden" in ast.unparse(node.test)
    for child in ast.iter_child_nodes(node):
        yield from _made(child, constants, hidden=hidden or concealed)


def _name_arguments(call: ast.Call) -> list[ast.expr]:
    """The argument that names the metric, if the call has one."""
    named: list[ast.expr] = [keyword.value for keyword in call.keywords if keyword.arg == "name"]
    return named or [a for a in call.args[:1] if isinstance(a, ast.Constant) and "vllm:" in ast.unparse(a)]


def _text(node: ast.expr, constants: Mapping[str, str]) -> str:
    match node:
        case ast.Constant(value=str(text)):
            pass
        case ast.Name(id=constant) | ast.Attribute(attr=constant):
            text = constants.get(constant, "")
        case _:
            return ""
    return text if _NAME.match(text) else ""


def _kind(call: ast.Call) -> str:
    """`gauge` of `Gauge(...)`, `self._gauge_cls(...)`, `prometheus_client.Gauge(...)`, `GaugeMetadata(...)`."""
    callee = ast.unparse(call.func).rpartition(".")[2].lower()
    return next((kind for kind in _KINDS if kind in callee), "")
