"""Fields of pydantic models of a package, from their source alone: kind, default, bounds, choices, nested model."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from tools.schemas.expressions import Scope, ancestry, enum_members, evaluate, field_value, flat, is_enum
from tools.schemas.field_arguments import literal_values, plain_origin
from tools.schemas.program import Program
from tools.schemas.values import Class, EnumMember, External, Generic, Instance, Union, Unresolved, Value

Facts = dict[str, object]

_PLAIN = {"bool", "int", "float", "str", "dict", "list"}
_CONSTRAINED: Mapping[str, tuple[str, dict[str, int]]] = {
    "PositiveInt": ("int", {"gt": 0}),
    "NonNegativeInt": ("int", {"ge": 0}),
    "PositiveFloat": ("float", {"gt": 0}),
    "NonNegativeFloat": ("float", {"ge": 0}),
    "StrictInt": ("int", {}),
}
_BOUNDS = ("ge", "gt", "le", "lt")
_FORBIDS = re.compile(r"extra\s*=\s*(?:['\"]forbid['\"]|Extra\.forbid)")
_CONVERSIONS: Mapping[str, type] = {"builtins.int": int, "builtins.float": float, "builtins.str": str}


def model_class(program: Program, module: str, name: str) -> Class:
    """A class by module and name. Raises LookupError."""
    home = program.module(module)
    found = evaluate(ast.Name(name), Scope(home, _call)) if home else None
    if not isinstance(found, Class):
        raise LookupError(f"no class {module}.{name}")
    return found


def forbids_unknown(cls: Class) -> bool:
    """Whether pydantic refuses keys that are no field (`extra="forbid"`); by default it ignores them."""
    return any(_FORBIDS.search(ast.unparse(parent.node)) for parent in ancestry(Scope(cls.module, _call), cls))


def fields_of(cls: Class) -> dict[str, Facts]:
    """The fields that a user can set, bases first."""
    found: dict[str, Facts] = {}
    for parent, statement in _declared(cls):
        assert isinstance(statement.target, ast.Name)  # noqa: S101 - _declared() chose it
        found[statement.target.id] = dict(_facts(statement, Scope(parent.module, _call)))
    return found


def with_nested(cls: Class) -> Iterator[Class]:
    """A model and those that its fields hold, however deep."""
    seen: set[str] = set()
    waiting = [cls]
    while waiting:
        current = waiting.pop()
        if current.name not in seen:
            seen.add(current.name)
            yield current
            for parent, statement in _declared(current):
                waiting += _models(statement, Scope(parent.module, _call))


def _declared(cls: Class) -> Iterator[tuple[Class, ast.AnnAssign]]:
    for parent in reversed(list(ancestry(Scope(cls.module, _call), cls))):
        for statement in parent.node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name)) if not name.startswith("_") and name != "model_config":
                    if "ClassVar" not in ast.unparse(statement.annotation):
                        yield parent, statement


def _models(statement: ast.AnnAssign, scope: Scope) -> list[Class]:
    hints = _hints(_annotation(statement, scope))
    return [hint for hint in hints if isinstance(hint, Class) and not is_enum(scope, hint)]


def _annotation(statement: ast.AnnAssign, scope: Scope) -> Value:
    node = statement.annotation
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = ast.parse(node.value, mode="eval").body
    return evaluate(node, scope)


def _hints(annotation: Value) -> list[Value]:
    """The types of an annotation; those of a list's elements too, since a list of models is written as maps."""
    if isinstance(annotation, Union):
        return [hint for member in flat(list(annotation.members)) for hint in _hints(member)]
    if isinstance(annotation, Generic) and plain_origin(annotation) == "builtins.list":
        return [annotation, *(hint for element in annotation.arguments for hint in _hints(element))]
    return [annotation]


def _facts(statement: ast.AnnAssign, scope: Scope) -> Iterator[tuple[str, object]]:
    hints = _hints(_annotation(statement, scope))
    names = [name for name in map(_name, hints) if name]
    kinds = [_CONSTRAINED[name][0] if name in _CONSTRAINED else name for name in names]
    kinds = list(dict.fromkeys(kind for kind in kinds if kind in _PLAIN))
    models = _models(statement, scope)
    if "list" in kinds:
        yield "kind", "list"
    elif kinds and not models:
        yield "kind", kinds[0] if len(kinds) == 1 else kinds
    elif models:
        yield "kind", "dict"
    if models:
        yield "model", models[0].name
    yield from _choices(hints, scope)
    declared = evaluate(statement.value, scope) if statement.value else Unresolved("required")
    bounds: Facts = {key: value for name in names for key, value in _CONSTRAINED.get(name, ("", {}))[1].items()}
    if isinstance(declared, Instance) and declared.of == "Field":
        bounds |= {
            key: declared.keywords[key] for key in _BOUNDS if isinstance(declared.keywords.get(key), int | float)
        }
    if bounds:
        yield "bounds", bounds
    yield from _default(field_value(scope, declared))


def _choices(hints: list[Value], scope: Scope) -> Iterator[tuple[str, object]]:
    """All values of an enumeration or a Literal, unless any other text is taken too."""
    if any(_name(hint) == "str" for hint in hints):
        return
    for hint in hints:
        if isinstance(hint, Class) and is_enum(scope, hint):
            members = enum_members(scope, hint)
            yield "choices", sorted(str(m.value) for m in members if isinstance(m, EnumMember))
        elif isinstance(hint, Generic) and _name(hint) == "Literal":
            yield "choices", sorted(str(value) for value in literal_values(hint))


def _default(value: Value) -> Iterator[tuple[str, object]]:
    match value:
        case EnumMember(enum="DEFAULT"):
            pass  # Serve's mark for "not set": what it means is decided later
        case EnumMember(value=plain):
            yield "default", plain
        case External() if value.name.startswith("builtins."):
            yield "required", True
        case bool() | int() | float() | str() | None:
            yield "default", value
        case Unresolved(why="required"):
            yield "required", True


def _name(hint: Value) -> str:
    """The last part of a type's name, with that of a subscripted one; empty for None and classes of the package."""
    origin = plain_origin(hint) or (hint.name if isinstance(hint, External) else "")
    if isinstance(hint, Generic) and isinstance(hint.origin, External) and not origin:
        origin = hint.origin.name
    return origin.rpartition(".")[2]


def _call(_: Scope, callee: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    """What a call is worth: fields are kept, the environment is empty, the rest is not known."""
    match callee:
        case External(name=name) if name.rpartition(".")[2] == "Field":
            required = bool(arguments) and arguments[0] is Ellipsis
            return Instance("Field", () if required else tuple(arguments), keywords)
        case External(name="os.getenv" | "os.environ.get") if len(arguments) > 1:
            return arguments[1]
        case External(name=name) if name in _CONVERSIONS and _is_plain(arguments):
            return _CONVERSIONS[name](arguments[0])
        case Class(name=name):
            return Instance(name, tuple(arguments), keywords)
    return Unresolved("a call")


def _is_plain(arguments: list[Value]) -> bool:
    return len(arguments) == 1 and isinstance(arguments[0], int | float | str)
