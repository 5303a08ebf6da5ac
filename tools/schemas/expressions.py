"""Expressions of Python source, evaluated as far as the source alone tells."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from tools.schemas.program import Module, builtin, definition, imported
from tools.schemas.values import Class, EnumMember, External, Function, Generic, Instance, Union, Unresolved, Value

Calls = Callable[["Scope", Value, list[Value], dict[str, Value]], Value]
"""How a call is answered: scope, callee, positional and keyword arguments."""

_OPERATORS: Mapping[type[ast.operator], Callable[..., Value]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.BitOr: operator.or_,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[..., Value]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_TYPES = (External, Class, Generic, Union)
_ENUMS = ("Enum", "IntEnum", "StrEnum")
_EXTERNAL_VALUES: Mapping[str, Value] = {"sys.argv": ["vllm", "serve"], "ssl.CERT_NONE": 0, "argparse.SUPPRESS": None}


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a name is looked up; `typed` prefers what only a type checker sees."""

    module: Module
    calls: Calls
    typed: bool = False
    local: dict[str, Value] = field(default_factory=dict)
    owner: Class | None = None

    def inside(self, module: Module) -> Scope:
        """The top level of another module."""
        return Scope(module, self.calls, self.typed)


def look_up(scope: Scope, name: str) -> Value:
    """What `name` is bound to."""
    if name in scope.local:
        return scope.local[name]
    return module_attribute(scope, scope.module, name, or_builtin=True)


def module_attribute(scope: Scope, module: Module, name: str, *, or_builtin: bool = False) -> Value:
    """`module.name`: what it binds, or its submodule."""
    tables = (module.typed, module.names) if scope.typed else (module.names, module.typed)
    node = next((table[name] for table in tables if name in table), None)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return _import(scope, module, node)
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return definition(module, node)
    if isinstance(node, ast.expr):
        return evaluate(node, scope.inside(module))
    for source in module.starred:
        target = module.program.module(source)
        found = module_attribute(scope, target, name) if target else Unresolved(name)
        if not isinstance(found, Unresolved):
            return found
    submodule = module.program.module(f"{module.name}.{name}")
    if submodule is not None:
        return submodule
    return builtin(name) if or_builtin else Unresolved(f"{module.name}.{name}")


def _import(scope: Scope, module: Module, node: ast.Import | ast.ImportFrom) -> Value:
    source, attribute = imported(module, node)
    target = module.program.module(source)
    if target is None:
        return _external(f"{source}.{attribute}".rstrip("."))
    return module_attribute(scope, target, attribute) if attribute else target


def _external(name: str) -> Value:
    return _EXTERNAL_VALUES.get(name, External(name))


def evaluate(node: ast.expr, scope: Scope) -> Value:
    """The value of an expression; Unresolved where the source does not tell."""
    handler = _HANDLERS.get(type(node))
    return handler(node, scope) if handler else Unresolved(ast.unparse(node))


def attribute(scope: Scope, base: Value, name: str, text: str) -> Value:
    """`base.name`."""
    match base:
        case Module():
            return module_attribute(scope, base, name)
        case External():
            return _external(f"{base.name}.{name}")
        case Class():
            return class_attribute(scope, base, name)
        case EnumMember(name=member, value=value) if name in ("name", "value"):
            return member if name == "name" else value
    return Unresolved(text)


def ancestry(scope: Scope, cls: Class) -> Iterator[Class]:
    """The class and its bases inside the package, nearest first."""
    yield cls
    for base in cls.node.bases:
        parent = evaluate(base, scope.inside(cls.module))
        if isinstance(parent, Class):
            yield from ancestry(scope, parent)


def base_names(scope: Scope, cls: Class) -> set[str]:
    """The last parts of the names of all bases, however far up, as written."""
    return {
        ast.unparse(base).partition("[")[0].rpartition(".")[2]
        for parent in ancestry(scope, cls)
        for base in parent.node.bases
    }


def is_enum(scope: Scope, cls: Class) -> bool:
    """Whether a class derives from an Enum."""
    return not base_names(scope, cls).isdisjoint(_ENUMS)


def class_attribute(scope: Scope, cls: Class, name: str) -> Value:
    """`cls.name`: a method, an enum member or a field's default."""
    if name == "__doc__":
        return ast.get_docstring(cls.node) or ""
    for parent in ancestry(scope, cls):
        for statement in parent.node.body:
            found = _member(scope, cls, parent, statement, name)
            if found is not None:
                return found.value
    return Unresolved(f"{cls.name}.{name}")


@dataclass(frozen=True, slots=True)
class _Found:
    value: Value


def _member(scope: Scope, cls: Class, parent: Class, statement: ast.stmt, name: str) -> _Found | None:
    match statement:
        case ast.FunctionDef(name=found) if found == name:
            static = any(ast.unparse(d) == "staticmethod" for d in statement.decorator_list)
            return _Found(Function(parent.module, statement, parent, None if static else cls))
        case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
            plain = evaluate(value, scope.inside(parent.module))
            return _Found(EnumMember(cls.name, name, plain) if is_enum(scope, cls) else plain)
        case ast.AnnAssign(target=ast.Name(id=found), value=value) if found == name and value is not None:
            return _Found(field_value(scope.inside(parent.module), evaluate(value, scope.inside(parent.module))))
    return None


def field_value(scope: Scope, declared: Value) -> Value:
    """A field's default from what is assigned to it: `Field(...)` and `field(...)` are looked into."""
    if not (isinstance(declared, Instance) and declared.of in ("Field", "field")):
        return declared
    if "default_factory" in declared.keywords:
        return scope.calls(scope, declared.keywords["default_factory"], [], {})
    missing = Unresolved("required")
    return declared.keywords.get("default", declared.arguments[0] if declared.arguments else missing)


def _constant(node: ast.Constant, _: Scope) -> Value:
    return node.value


def _name(node: ast.Name, scope: Scope) -> Value:
    return look_up(scope, node.id)


def _attribute(node: ast.Attribute, scope: Scope) -> Value:
    return attribute(scope, evaluate(node.value, scope), node.attr, ast.unparse(node))


def _elements(nodes: list[ast.expr], scope: Scope) -> list[Value]:
    result: list[Value] = []
    for node in nodes:
        value = evaluate(node.value if isinstance(node, ast.Starred) else node, scope)
        if isinstance(node, ast.Starred) and isinstance(value, list | tuple | set | dict):
            result.extend(value)
        else:
            result.append(value)
    return result


def _list(node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Value:
    elements = _elements(node.elts, scope)
    return tuple(elements) if isinstance(node, ast.Tuple) else elements


def _dict(node: ast.Dict, scope: Scope) -> Value:
    result: dict[Value, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        item = evaluate(value, scope)
        if key is not None:
            result[evaluate(key, scope)] = item
        elif isinstance(item, dict):
            result.update(item)
        else:
            return Unresolved(ast.unparse(node))
    return result


def _subscript(node: ast.Subscript, scope: Scope) -> Value:
    base, index = evaluate(node.value, scope), node.slice
    if isinstance(base, dict):
        return base.get(evaluate(index, scope), Unresolved(ast.unparse(node)))
    if isinstance(base, list | tuple) or base == External("sys.argv"):
        return _index(base, index, scope, node)
    if isinstance(base, _TYPES):
        return _generic(base, index, scope)
    return Unresolved(ast.unparse(node))


def _index(base: Value, index: ast.expr, scope: Scope, node: ast.expr) -> Value:
    assert isinstance(base, list | tuple)  # noqa: S101 - the only callers' case
    if isinstance(index, ast.Slice):
        edges = [evaluate(edge, scope) if edge else None for edge in (index.lower, index.upper, index.step)]
        start, stop, step = (edge if isinstance(edge, int) else None for edge in edges)
        return base[start:stop:step]
    at = evaluate(index, scope)
    return base[at] if isinstance(at, int) and -len(base) <= at < len(base) else Unresolved(ast.unparse(node))


def _generic(base: Value, index: ast.expr, scope: Scope) -> Value:
    parts = _elements(list(index.elts), scope) if isinstance(index, ast.Tuple) else [evaluate(index, scope)]
    if base in (External("typing.Optional"), External("typing.Union")):
        optional = [None] if base == External("typing.Optional") else []
        return Union(tuple(flat([*parts, *optional])))
    return Generic(base, tuple(parts))


def flat(members: list[Value]) -> Iterator[Value]:
    """The members of a union, unions among them opened."""
    for member in members:
        if isinstance(member, Union):
            yield from member.members
        else:
            yield member


def _binary(node: ast.BinOp, scope: Scope) -> Value:
    left, right = evaluate(node.left, scope), evaluate(node.right, scope)
    if isinstance(node.op, ast.BitOr) and (isinstance(left, _TYPES) or isinstance(right, _TYPES)):
        return Union(tuple(flat([left, right])))
    try:
        return _OPERATORS[type(node.op)](left, right)
    except (KeyError, TypeError):
        return Unresolved(ast.unparse(node))


def _unary(node: ast.UnaryOp, scope: Scope) -> Value:
    value = evaluate(node.operand, scope)
    if isinstance(node.op, ast.Not) and not isinstance(value, Unresolved):
        return not value
    if isinstance(node.op, ast.USub) and isinstance(value, int | float):
        return -value
    return Unresolved(ast.unparse(node))


def _compare(node: ast.Compare, scope: Scope) -> Value:
    left, right = evaluate(node.left, scope), evaluate(node.comparators[0], scope)
    if isinstance(left, Unresolved) or isinstance(right, Unresolved) or len(node.ops) > 1:
        return Unresolved(ast.unparse(node))
    try:
        return _COMPARISONS[type(node.ops[0])](left, right)
    except TypeError:
        return Unresolved(ast.unparse(node))


def _boolean(node: ast.BoolOp, scope: Scope) -> Value:
    stops = bool if isinstance(node.op, ast.Or) else operator.not_
    value: Value = None
    for operand in node.values:
        value = evaluate(operand, scope)
        if not isinstance(value, Unresolved) and stops(value):
            return value
        if isinstance(value, Unresolved):
            return Unresolved(ast.unparse(node))
    return value


def _conditional(node: ast.IfExp, scope: Scope) -> Value:
    test = evaluate(node.test, scope)
    if isinstance(test, Unresolved):
        return Unresolved(ast.unparse(node))
    return evaluate(node.body if test else node.orelse, scope)


def _comprehension(node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope) -> Value:
    generator = node.generators[0]
    source, target = evaluate(generator.iter, scope), generator.target
    if isinstance(source, Class) and is_enum(scope, source):
        source = enum_members(scope, source)
    if len(node.generators) > 1 or not isinstance(source, list | tuple | dict) or not isinstance(target, ast.Name):
        return Unresolved(ast.unparse(node))
    result = []
    for item in source:
        inner = Scope(scope.module, scope.calls, scope.typed, {**scope.local, target.id: item}, scope.owner)
        if all(evaluate(condition, inner) is not False for condition in generator.ifs):
            result.append(evaluate(node.elt, inner))
    return result


def enum_members(scope: Scope, cls: Class) -> list[Value]:
    """The members of an Enum in the order of their definition."""
    assigned = [s.targets[0] for s in cls.node.body if isinstance(s, ast.Assign)]
    return [class_attribute(scope, cls, target.id) for target in assigned if isinstance(target, ast.Name)]


def _joined(node: ast.JoinedStr, scope: Scope) -> Value:
    parts = [evaluate(v.value if isinstance(v, ast.FormattedValue) else v, scope) for v in node.values]
    if any(isinstance(part, Unresolved) for part in parts):
        return Unresolved(ast.unparse(node))
    return "".join(map(str, parts))


def _lambda(node: ast.Lambda, scope: Scope) -> Value:
    return Function(scope.module, node)


def _call(node: ast.Call, scope: Scope) -> Value:
    callee = evaluate(node.func, scope) if not _is_method(node, scope) else Unresolved("")
    arguments = _elements(node.args, scope)
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = evaluate(keyword.value, scope)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, dict):
            keywords.update(value)
        else:
            keywords["**"] = value
    if isinstance(node.func, ast.Attribute) and isinstance(callee, Unresolved):
        callee = Method(evaluate(node.func.value, scope), node.func.attr, ast.unparse(node.func))
    return scope.calls(scope, callee, arguments, keywords)


def _is_method(node: ast.Call, scope: Scope) -> bool:
    """Whether the function is a method of a plain value (a list, a dict, a string)."""
    return isinstance(node.func, ast.Attribute) and isinstance(
        evaluate(node.func.value, scope), list | dict | str | tuple
    )


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a value that is no module, class or external name; `text` is the call's source."""

    base: Value
    name: str
    text: str


_HANDLERS: Mapping[type[ast.expr], Callable[..., Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.List: _list,
    ast.Tuple: _list,
    ast.Set: _list,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.SetComp: _comprehension,
    ast.JoinedStr: _joined,
    ast.Lambda: _lambda,
    ast.Call: _call,
}
