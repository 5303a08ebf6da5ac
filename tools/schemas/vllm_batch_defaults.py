"""Defaults of `max_num_batched_tokens` and `max_num_seqs` by device, as one vLLM release decides them.

Read from the `if` over the device's memory in `vllm/engine/arg_utils.py` (in `get_batch_defaults`, before 0.11.1 in
`_set_default_args` and `_set_default_args_v1`). A test that is not understood is an error, not a guess.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tools.schemas.release import Release

_FUNCTIONS = ("get_batch_defaults", "_set_default_args", "_set_default_args_v1")
_CAPABILITIES = {"is_gb10": [12, 1]}
_CONTEXTS = {"LLM_CLASS": "offline", "OPENAI_API_SERVER": "server"}

Tier = dict[str, object]


def tiers_of(release: Release) -> list[Tier]:
    """The first tier whose conditions a GPU meets is its own; the last has none. Raises ValueError."""
    tree = ast.parse(release.files["vllm/engine/arg_utils.py"])
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in _FUNCTIONS:
            found = next((s for s in ast.walk(node) if isinstance(s, ast.If) and _asks_memory(s.test)), None)
            if found is not None:
                return list(_tiers(found))
    raise ValueError(f"{release.version}: no default by device memory was found")


def _asks_memory(test: ast.expr) -> bool:
    return "device_memory >=" in ast.unparse(test)


def _tiers(statement: ast.If) -> Iterator[Tier]:
    yield {**_conditions(statement.test), **_values(statement.body)}
    match statement.orelse:
        case [ast.If() as nested] if _asks_memory(nested.test):
            yield from _tiers(nested)
        case body:
            yield _values(body)


def _conditions(test: ast.expr) -> Tier:
    found: Tier = {}
    for part in test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]:
        match part:
            case ast.Compare(
                left=ast.Name(id="device_memory"),
                ops=[ast.GtE()],
                comparators=[
                    ast.BinOp(left=ast.Constant(value=int(gib)), op=ast.Mult(), right=ast.Name(id="GiB_bytes"))
                ],
            ):
                found["memory_gib"] = gib
            case ast.Compare(left=ast.Constant(value=str(name)), ops=[ast.NotIn()]):
                found["not_named"] = name
            case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)) if name in _CAPABILITIES:
                found["not_capability"] = _CAPABILITIES[name]
            case _:
                raise ValueError(f"a condition on the device that is not understood: {ast.unparse(part)}")
    return found


def _values(body: list[ast.stmt]) -> Tier:
    found: Tier = {}
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name.removeprefix("default_")] = _by_context(value)
            case _:
                raise ValueError(f"a statement that is not understood: {ast.unparse(statement)}")
    return found


def _by_context(value: ast.expr) -> dict[str, object]:
    match value:
        case ast.Constant(value=int(number)):
            return dict.fromkeys(_CONTEXTS.values(), number)
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return {
                _CONTEXTS[key.attr]: number.value
                for key, number in pairs
                if isinstance(key, ast.Attribute) and isinstance(number, ast.Constant)
            }
    raise ValueError(f"a value that is not understood: {ast.unparse(value)}")
