"""Keys of the JSON objects that arguments of one vLLM release take: fields of its configuration classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from tools.schemas.expressions import Scope, ancestry
from tools.schemas.field_arguments import FieldSource, field_table, in_order, kind_of
from tools.schemas.parser_calls import Follower, Recorder, parser_rules
from tools.schemas.program import Program
from tools.schemas.release import Release
from tools.schemas.values import Class, External, Value

BY_ARGUMENT = {
    "compilation_config": "CompilationConfig",
    "kv_transfer_config": "KVTransferConfig",
    "override_pooler_config": "PoolerConfig",
    "speculative_config": "SpeculativeConfig",
}
"""What JSON arguments fill whose annotation names no class, which is so up to 0.10."""

_FILLED_BY_VLLM = {
    "SpeculativeConfig": {
        "draft_model_config",
        "draft_parallel_config",
        "enable_chunked_prefill",
        "disable_log_stats",
        "target_model_config",
        "target_parallel_config",
    }
}
"""Fields that a user's object does not set: `create_speculative_config` adds them itself (0.8.5 to 0.33)."""


def keys_of(release: Release, arguments: Mapping[str, Mapping[str, object]]) -> dict[str, dict[str, object]]:
    """By `Class.key`: kind, choices and bounds of every field that a JSON argument of the release can set."""
    program = Program(release.files)
    follower = Follower(parser_rules(program), Recorder())
    classes = _configuration_classes(program)
    wanted = [str(entry["json_of"]) for entry in arguments.values() if "json_of" in entry]
    wanted += [cls for name, cls in BY_ARGUMENT.items() if name in arguments]
    found: dict[str, dict[str, object]] = {}
    seen: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name in seen or name not in classes:
            continue
        seen.add(name)
        keys = dict(_keys(classes[name], follower))
        wanted += [str(facts["json_of"]) for facts in keys.values() if "json_of" in facts]
        found |= {f"{name}.{key}": facts for key, facts in keys.items()}
    return dict(sorted(found.items()))


def _configuration_classes(program: Program) -> dict[str, Class]:
    """Classes by name in `vllm/config`, and the few that live beside what they configure."""
    found: dict[str, Class] = {}
    for path, text in program.files.items():
        if "Config" in text and (path.startswith("vllm/config") or "class QuantizationConfigArgs" in text):
            module = program.module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
            if module is not None:
                nodes = [n for n in (*module.names.values(), *module.typed.values()) if isinstance(n, ast.ClassDef)]
                found |= {node.name: Class(module, node) for node in nodes}
    return found


def _keys(cls: Class, follower: Follower) -> Iterator[tuple[str, dict[str, object]]]:
    scope = Scope(cls.module, follower.call)
    closed = set(_closed(scope, cls)) | _FILLED_BY_VLLM.get(cls.name, set())
    for name, keywords in field_table(scope, cls, follower.rules).items():
        if str(name) not in closed and not str(name).startswith("_") and isinstance(keywords, dict):
            yield str(name), dict(_facts(keywords))


def _closed(scope: Scope, cls: Class) -> Iterator[str]:
    """Fields that nobody may set: `init=False`, and what belongs to the class alone."""
    for parent in ancestry(scope, cls):
        for statement in parent.node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                    if "ClassVar" in ast.unparse(annotation) or _uninitialised(value):
                        yield name


def _uninitialised(value: ast.expr | None) -> bool:
    keywords = value.keywords if isinstance(value, ast.Call) else []
    closed = any(keyword.arg == "init" and ast.unparse(keyword.value) == "False" for keyword in keywords)
    return closed or (value is not None and ast.unparse(value).startswith("PrivateAttr"))


def _facts(keywords: Mapping[Value, Value]) -> Iterator[tuple[str, object]]:
    source = keywords.get("field")
    choices = keywords.get("choices")
    yield "kind", _kind(keywords)
    if isinstance(choices, list | tuple) and all(isinstance(choice, str | int | float) for choice in choices):
        yield "choices", in_order(dict.fromkeys(choices))
    if isinstance(source, FieldSource):
        if source.bounds:
            yield "bounds", source.bounds
        if source.json_of:
            yield "json_of", source.json_of


def _kind(keywords: Mapping[Value, Value]) -> str:
    if keywords.get("action") == External("argparse.BooleanOptionalAction"):
        return "bool"
    if keywords.get("nargs") in ("+", "*") or isinstance(keywords.get("nargs"), int):
        return "list"
    return kind_of(keywords.get("type"))[0]
