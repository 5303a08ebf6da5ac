"""What vLLM's `get_kwargs` makes of a configuration class: argparse keywords for every field, from its annotation.

Follows `_compute_kwargs` of vllm/engine/arg_utils.py, 0.8.5 to 0.33.0. Where releases differ the difference is read
from that function itself (`Rules`), so that one reading serves all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tools.schemas.expressions import (
    Scope,
    ancestry,
    base_names,
    enum_members,
    evaluate,
    field_value,
    flat,
    is_enum,
)
from tools.schemas.values import Class, EnumMember, External, Function, Generic, Instance, Union, Unresolved, Value

Keywords = dict[Value, Value]

_LITERAL = "typing.Literal"
_PLAIN_NAMES = {"typing.List": "list", "typing.Dict": "dict", "typing.Tuple": "tuple", "typing.Set": "set"}
_CONSTRAINED: Mapping[str, tuple[str, dict[str, Value]]] = {
    "pydantic.PositiveInt": ("int", {"gt": 0}),
    "pydantic.NonNegativeInt": ("int", {"ge": 0}),
    "pydantic.PositiveFloat": ("float", {"gt": 0}),
    "pydantic.NonNegativeFloat": ("float", {"ge": 0}),
}
_BOUNDS = ("ge", "gt", "le", "lt")


class FieldTable(dict[Value, Value]):
    """What `get_kwargs` returned: keywords by field name. A function that is handed one is followed."""


@dataclass(frozen=True, slots=True)
class FieldSource:
    """What argparse is not told: where the field is, its bounds, and the names only a type checker knows.

    `default` is the field's own, which the parser may have been told to leave unset.
    """

    where: str
    default: Value
    bounds: dict[str, Value]
    known: tuple[Value, ...] = ()
    json_of: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """Where releases of `get_kwargs` differ."""

    human_readable: Mapping[str, str]
    """Field names whose integers take suffixes, and the function that reads them."""
    open_literals: bool
    """A Literal beside `str` only suggests its values (0.9 and later)."""
    optional_value: bool
    """`bool | str | None` is a flag with an optional value rather than a switch."""
    dict_classes: bool
    """A subclass of dict counts as dict (0.31 and later)."""


def rules_of(function: ast.FunctionDef, module: ast.Module) -> Rules:
    """Read the rules off `get_kwargs` (or `_compute_kwargs`) and its module."""
    constants = {n.value for n in ast.walk(function) if isinstance(n, ast.Constant)}
    metavar = any(isinstance(n, ast.Constant) and n.value == "metavar" for n in ast.walk(module))
    dict_classes = any(isinstance(n, ast.FunctionDef) and n.name == "is_dict_subclass" for n in module.body)
    return Rules(dict(_human_readable(function)), metavar, "const" in constants, dict_classes)


def _human_readable(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    named_sets = {
        n.targets[0].id: n.value
        for n in ast.walk(function)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
    }
    for node in ast.walk(function):
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Compare)):
            continue
        readers = [n.id for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name) and "human" in n.id]
        compared = node.test.comparators[0]
        where = named_sets.get(compared.id, compared) if isinstance(compared, ast.Name) else compared
        if readers and ast.unparse(node.test.left) == "name":
            yield from ((str(c.value), readers[0]) for c in ast.walk(where) if isinstance(c, ast.Constant))


def field_table(scope: Scope, cls: Class, rules: Rules) -> FieldTable:
    """The keywords of every field of a configuration class, bases first."""
    table = FieldTable()
    for parent in reversed(list(ancestry(scope, cls))):
        body = parent.node.body
        for statement, following in zip(body, [*body[1:], None], strict=True):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                inner = Scope(parent.module, scope.calls)
                table[statement.target.id] = _keywords(inner, cls, statement, _doc(following), rules)
    return table


def _doc(following: ast.stmt | None) -> str:
    match following:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return text
    return ""


def _keywords(scope: Scope, cls: Class, statement: ast.AnnAssign, doc: str, rules: Rules) -> Keywords:
    assert isinstance(statement.target, ast.Name)  # noqa: S101 - the only caller's case
    name = statement.target.id
    declared = evaluate(statement.value, scope) if statement.value else Unresolved("required")
    annotation = _annotation(scope, statement.annotation)
    hints = [_as_dict(scope, hint, rules) for hint in _hints(scope, annotation)]
    keywords: Keywords = {"default": field_value(scope, declared), "help": doc}
    keywords.update(_typed(name, hints, rules))
    if None in hints and not has(hints, "bool"):
        keywords["type"] = Instance("optional_type", (keywords.get("type"),))
    bounds = _bounds_of(annotation) | _field_bounds(declared)
    known = () if keywords.get("choices") else _known(scope, statement.annotation)
    json_of = next((h.name for h in hints if isinstance(h, Class) and _is_dataclass(h)), "")
    keywords["field"] = FieldSource(f"{cls.name}.{name}", keywords["default"], bounds, known, json_of)
    return keywords


def _annotation(scope: Scope, node: ast.expr) -> Value:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = ast.parse(node.value, mode="eval").body
    return evaluate(node, scope)


def _as_dict(scope: Scope, hint: Value, rules: Rules) -> Value:
    subclass = isinstance(hint, Class) and "dict" in base_names(scope, hint)
    return External("builtins.dict") if rules.dict_classes and subclass else hint


def _typed(name: str, hints: list[Value], rules: Rules) -> Keywords:
    """The keywords that the types give; the order of the questions is that of `_compute_kwargs`."""
    if any(_is_dataclass(hint) for hint in hints):
        return {"type": External("json.loads")}
    if rules.optional_value and len(hints) == 3 and has(hints, "bool") and has(hints, "str") and None in hints:
        return {"type": External("builtins.str"), "nargs": "?", "const": True}
    if has(hints, "bool"):
        return {"action": External("argparse.BooleanOptionalAction")}
    literal = generic(hints, _LITERAL)
    if literal is not None:
        return _literal(literal, open_ended=rules.open_literals and has(hints, "str"))
    for collection in ("tuple", "list", "set"):
        found = generic(hints, f"builtins.{collection}")
        if found is not None:
            return _collection(found, collection)
    if has(hints, "int"):
        reader = rules.human_readable.get(name)
        return {"type": Instance(reader) if reader else External("builtins.int")}
    return _last_types(hints)


def _last_types(hints: list[Value]) -> Keywords:
    if has(hints, "float"):
        return {"type": External("builtins.float")}
    if has(hints, "dict"):
        others = [hint for hint in hints if hint is not None and not has([hint], "dict")]
        mixed = has(hints, "str") or any(_is_foreign(hint) for hint in others)
        return {"type": Instance("union_dict_and_str") if mixed else External("json.loads")}
    return {"type": External("builtins.str")}


def _literal(literal: Generic, *, open_ended: bool) -> Keywords:
    options = literal_values(literal)
    kind = External(f"builtins.{type(options[0]).__name__}")
    return {"type": kind} if open_ended else {"type": kind, "choices": in_order(options)}


def _collection(found: Generic, collection: str) -> Keywords:
    element, endless = found.arguments[0], Ellipsis in found.arguments
    if isinstance(element, Union):
        element = External("builtins.str")
    nargs: Value = "+" if collection != "tuple" or endless else len(found.arguments)
    if isinstance(element, Generic) and is_literal(element):
        return {**_literal(element, open_ended=False), "nargs": nargs}
    return {"type": element, "nargs": nargs}


def _known(scope: Scope, annotation: ast.expr) -> tuple[Value, ...]:
    """The values of a Literal that argparse does not enforce, or that only a type checker sees."""
    typed = Scope(scope.module, scope.calls, typed=True)
    hints = _hints(typed, _annotation(typed, annotation))
    literal = generic(hints, _LITERAL)
    if literal:
        return tuple(in_order(literal_values(literal)))
    enums = [hint for hint in hints if isinstance(hint, Class) and is_enum(scope, hint)]
    return tuple(_enum_spellings(enum_members(scope, enums[0]))) if enums else ()


def _enum_spellings(members: list[Value]) -> list[Value]:
    """What a user writes for members of an Enum: vLLM's configurations look strings up by upper-case name."""
    found = [member for member in members if isinstance(member, EnumMember)]
    if all(isinstance(member.value, int) for member in found):
        return [member.value for member in found]
    return in_order([member.name for member in found])


def in_order(values: Iterable[Value]) -> list[Value]:
    """Numbers by size, then the rest by spelling."""
    found = list(values)
    numbers, others = [v for v in found if isinstance(v, int | float)], [v for v in found if isinstance(v, str)]
    return [*sorted(numbers), *sorted(others)]


def _hints(scope: Scope, annotation: Value) -> list[Value]:
    """The annotation's types, unions and Annotated opened."""
    if isinstance(annotation, Union):
        return [hint for member in flat(list(annotation.members)) for hint in _hints(scope, member)]
    if isinstance(annotation, Generic) and _is_typing(annotation.origin, "Annotated", "SkipValidation"):
        return _hints(scope, annotation.arguments[0])
    if isinstance(annotation, str):
        return _hints(scope, evaluate(ast.parse(annotation, mode="eval").body, scope))
    if isinstance(annotation, External) and annotation.name in _CONSTRAINED:
        return [External(f"builtins.{_CONSTRAINED[annotation.name][0]}")]
    return [annotation]


def _bounds_of(annotation: Value) -> dict[str, Value]:
    bounds: dict[str, Value] = {}
    for member in flat([annotation]):
        if isinstance(member, External) and member.name in _CONSTRAINED:
            bounds |= _CONSTRAINED[member.name][1]
        elif isinstance(member, Generic) and _is_typing(member.origin, "Annotated"):
            for extra in member.arguments[1:]:
                bounds |= _field_bounds(extra)
    return bounds


def _field_bounds(declared: Value) -> dict[str, Value]:
    if not isinstance(declared, Instance):
        return {}
    return {key: declared.keywords[key] for key in _BOUNDS if declared.keywords.get(key) is not None}


def _is_typing(origin: Value, *names: str) -> bool:
    return isinstance(origin, External) and origin.name.rpartition(".")[2] in names


def is_literal(value: Generic) -> bool:
    """Whether this is a `Literal[...]`."""
    return _is_typing(value.origin, "Literal")


def literal_values(literal: Generic) -> list[Value]:
    """The values of a Literal, those of Literals inside it included."""
    nested = [literal_values(a) if isinstance(a, Generic) else [a] for a in literal.arguments]
    return [value for values in nested for value in values]


def plain_origin(hint: Value) -> str:
    """`builtins.list` of `list`, `list[int]` and `typing.List[int]`; empty for anything else."""
    origin = hint.origin if isinstance(hint, Generic) else hint
    if not isinstance(origin, External):
        return ""
    if _is_typing(origin, "Literal"):
        return _LITERAL
    return f"builtins.{_PLAIN_NAMES[origin.name]}" if origin.name in _PLAIN_NAMES else origin.name


def generic(hints: list[Value], name: str) -> Generic | None:
    """The first subscripted hint of that origin."""
    return next((h for h in hints if isinstance(h, Generic) and plain_origin(h) == name), None)


def has(hints: list[Value], name: str) -> bool:
    """Whether a builtin type is among the hints."""
    return any(plain_origin(hint) == f"builtins.{name}" for hint in hints)


def _is_foreign(hint: Value) -> bool:
    return not plain_origin(hint).startswith("builtins.")


def _is_dataclass(hint: Value) -> bool:
    return isinstance(hint, Class) and not {"config", "dataclass"}.isdisjoint(hint.decorators())


def kind_of(value: Value) -> tuple[str, bool, str]:
    """(kind, whether "None" is read as None, the reader of suffixes) of what argparse gets as `type`."""
    match value:
        case Instance(of="optional_type" | "parse_type" as wrapper, arguments=(inner, *_)):
            kind, optional, reader = kind_of(inner)
            return kind, optional or wrapper == "optional_type", reader
        case Instance(of="human_readable_int" | "human_readable_int_or_auto" as reader):
            return "int", False, reader
        case Instance(of="union_dict_and_str"):
            return "json_or_str", False, ""
        case External(name="json.loads"):
            return "json", False, ""
        case External(name="builtins.int" | "builtins.float" as name):
            return name.removeprefix("builtins."), False, ""
        case Function() as function:
            return _kind_of_function(function)
    return "str", False, ""


def _kind_of_function(function: Function) -> tuple[str, bool, str]:
    if function.name.startswith("human_readable_int"):
        return "int", False, function.name
    if function.name == "union_dict_and_str":
        return "json_or_str", False, ""
    return ("json" if function.name in ("from_cli", "from_json") else "str"), False, ""
