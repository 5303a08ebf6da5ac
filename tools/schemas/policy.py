"""Write `schemas/policy/`: a JSON Schema for each kind of policy, and `policy.json` for all of them.

    python -m tools.schemas.policy --write
    python -m tools.schemas.policy --check

Everything comes from the models in `controlplane/policy`: the text under a field is its description here. An editor
needs `policy.json` alone: it looks at `kind` and applies the right one.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from controlplane.policy.kinds import KINDS
from controlplane.policy.vocabulary import API_VERSION, DURATION, write_duration

FOLDER = Path(__file__).parents[2] / "schemas" / "policy"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
BASE = f"https://{API_VERSION.replace('/', '/schemas/')}/"

_EXACTLY_ONE: Mapping[str, Mapping[str, Any]] = {
    "ModelSource": {"minProperties": 1, "maxProperties": 1},
    "EnvEntry": {"oneOf": [{"required": ["value"]}, {"required": ["secret"]}, {"required": ["config"]}]},
}
"""What the models check in code."""

Schema = dict[str, Any]


def files() -> dict[str, str]:
    """Name and text of every file."""
    schemas = {kind: schema(kind) for kind in KINDS}
    named = {f"{_file(kind)}.json": content for kind, content in schemas.items()}
    named["policy.json"] = combined(schemas)
    return {name: json.dumps(content, indent=2, ensure_ascii=False) + "\n" for name, content in named.items()}


def schema(kind: str) -> Schema:
    """The schema of one kind, complete in itself."""
    models = {model.__name__: model for model in _reachable(KINDS[kind])}
    raw = KINDS[kind].model_json_schema(by_alias=True, mode="validation")
    definitions = {name: _finish(name, models[name], body) for name, body in raw.pop("$defs").items()}
    root = _finish(kind, KINDS[kind], raw)
    root["properties"] = {"$schema": {"type": "string", "description": "For editors."}, **root["properties"]}
    return {
        "$schema": DIALECT,
        "$id": f"{BASE}{_file(kind)}.json",
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def combined(schemas: Mapping[str, Schema]) -> Schema:
    """One schema for a file that may hold any kind."""
    definitions: Schema = {}
    for kind, content in schemas.items():
        definitions |= content["$defs"]
        definitions[kind] = {key: value for key, value in content.items() if not key.startswith("$")}
    return {
        "$schema": DIALECT,
        "$id": f"{BASE}policy.json",
        "description": "A policy of any kind.",
        "type": "object",
        "required": ["apiVersion", "kind"],
        "properties": {"apiVersion": {"const": API_VERSION}, "kind": {"enum": list(schemas)}},
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
                "then": {"$ref": f"#/$defs/{kind}"},
            }
            for kind in schemas
        ],
        "$defs": dict(sorted(definitions.items())),
    }


def _file(kind: str) -> str:
    return "".join(f"-{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(kind))


def _reachable(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield model
    for field in model.model_fields.values():
        for child in _models_in(field.annotation):
            yield from _reachable(child)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _finish(name: str, model: type[BaseModel], body: Schema) -> Schema:
    """Descriptions added, defaults as people write them; titles and null, which no policy writes, taken out."""
    described = descriptions(model)
    properties = {}
    for key, value in body["properties"].items():
        plain = _plain(value)
        properties[key] = {"description": described[key], **plain} if key in described else plain
    rest = {key: value for key, value in body.items() if key not in ("title", "properties", "description")}
    documented = " ".join((model.__doc__ or "").split())
    return {"description": documented, **rest, "properties": properties, **_EXACTLY_ONE.get(name, {})}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: _plain(item) for key, item in value.items() if key != "title" and not (key == "default" and item is None)
    }
    if kept.get("pattern") == DURATION and isinstance(kept.get("default"), int):
        kept["default"] = write_duration(kept["default"])
    choices = [choice for choice in kept.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        kept = {**{key: item for key, item in kept.items() if key != "anyOf"}, **choices[0]}
    elif choices:
        kept["anyOf"] = choices
    return kept


def descriptions(model: type[BaseModel]) -> dict[str, str]:
    """The text under each field, by the key that a policy writes; those of the model's bases included."""
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base.__module__.startswith("controlplane."):
            found |= _written_under_fields(base)
    return {field.alias or name: found[name] for name, field in model.model_fields.items() if name in found}


def _written_under_fields(model: type[BaseModel]) -> dict[str, str]:
    body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    statements = body.body if isinstance(body, ast.ClassDef) else []
    found = {}
    for field, text in itertools.pairwise(statements):
        if not isinstance(text, ast.Expr) or not isinstance(text.value, ast.Constant):
            continue
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            found[field.target.id] = " ".join(str(text.value.value).split())
    return found


def stale() -> list[str]:
    """The files that are not as they should be, those that should not be there included."""
    wanted = files()
    there = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.json")}
    return sorted(name for name in {*wanted, *there} if wanted.get(name) != there.get(name))


def main(arguments: list[str]) -> int:
    """Exit status: 0 done or fresh, 1 stale, 2 usage."""
    if arguments == ["--write"]:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name in stale():
            (FOLDER / name).unlink(missing_ok=True)
        for name, text in files().items():
            (FOLDER / name).write_text(text, "utf-8")
        return 0
    if arguments == ["--check"]:
        for name in stale():
            print(f"stale: schemas/policy/{name}", file=sys.stderr)
        return 1 if stale() else 0
    print("usage: python -m tools.schemas.policy --check|--write", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
