"""The `add_argument` calls that a function of the package would make, found by following its statements.

Only what decides about arguments is followed: functions that are handed the parser or a table of keywords. Nothing
of the package runs.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from tools.schemas.expressions import (
    Method,
    Scope,
    ancestry,
    base_names,
    class_attribute,
    enum_members,
    evaluate,
    is_enum,
)
from tools.schemas.field_arguments import FieldTable, Rules, field_table, literal_values, rules_of
from tools.schemas.program import Program, imported
from tools.schemas.values import Class, External, Function, Generic, Instance, Unresolved, Value

_MUTATED = {"append", "remove", "extend", "insert", "pop", "update", "setdefault"}
_READ = {"items", "keys", "values", "get", "copy", "index", "join", "replace", "lower", "upper", "strip", "split"}
_READ |= {"removeprefix", "removesuffix", "format", "startswith", "endswith"}
_FIELDS = {"pydantic.Field": "Field", "pydantic.fields.Field": "Field", "dataclasses.field": "field"}
_WRAPPERS = {"optional_type", "parse_type"}


@dataclass(frozen=True, slots=True)
class Call:
    """One `add_argument`: the module that makes it, the option strings, the keywords."""

    module: str
    flags: tuple[str, ...]
    keywords: dict[str, Value]


@dataclass(slots=True)
class Recorder:
    """Stands for the parser and every group of it."""

    calls: list[Call] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Return:
    value: Value


def recorded(program: Program, module: str, cls: str, method: str) -> Recorder:
    """Follow a method from its first statement, the parser among its parameters."""
    home = program.module(module)
    if home is None:
        raise LookupError(f"no module {module}")
    follower = Follower(parser_rules(program), Recorder())
    owner = evaluate(ast.Name(cls), Scope(home, follower.call))
    function = class_attribute(Scope(home, follower.call), owner, method) if isinstance(owner, Class) else owner
    if not isinstance(function, Function):
        raise LookupError(f"no {module}.{cls}.{method}")
    follower.follow(function, [follower.recorder], {})
    return follower.recorder


def parser_rules(program: Program) -> Rules:
    """How this release turns fields into arguments."""
    tree = ast.parse(program.files["vllm/engine/arg_utils.py"])
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    return rules_of(functions.get("_compute_kwargs", functions["get_kwargs"]), tree)


@dataclass(slots=True)
class Follower:
    """Follows statements; `recorder` collects what is added to the parser."""

    rules: Rules
    recorder: Recorder

    def follow(self, function: Function, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The value that the function returns."""
        scope = Scope(function.module, self.call, local={}, owner=function.owner)
        positional = [a.arg for a in function.node.args.args]
        bound = [function.bound] if function.bound is not None else []
        scope.local.update(zip(positional, [*bound, *arguments], strict=False))
        scope.local.update(keywords)
        for name, default in zip(reversed(positional), reversed(function.node.args.defaults), strict=False):
            scope.local.setdefault(name, evaluate(default, scope))
        if isinstance(function.node, ast.Lambda):
            return evaluate(function.node.body, scope)
        returned = self._block(function.node.body, scope)
        return returned.value if returned else None

    def _block(self, body: list[ast.stmt], scope: Scope) -> _Return | None:
        for statement in body:
            returned = self._statement(statement, scope)
            if returned is not None:
                return returned
        return None

    def _statement(self, statement: ast.stmt, scope: Scope) -> _Return | None:
        match statement:
            case ast.Return():
                return _Return(evaluate(statement.value, scope) if statement.value else None)
            case ast.If():
                return self._if(statement, scope)
            case ast.For():
                return self._for(statement, scope)
            case ast.With() | ast.Try():
                return self._block(statement.body, scope)
            case _:
                self._effect(statement, scope)
        return None

    def _if(self, statement: ast.If, scope: Scope) -> _Return | None:
        test = evaluate(statement.test, scope)
        if isinstance(test, Unresolved):
            self.recorder.undecided.append(f"{scope.module.name}: {ast.unparse(statement.test)}")
            return None
        return self._block(statement.body if test else statement.orelse, scope)

    def _effect(self, statement: ast.stmt, scope: Scope) -> None:
        match statement:
            case ast.Expr():
                evaluate(statement.value, scope)
            case ast.Assign(targets=[target]):
                _assign(target, evaluate(statement.value, scope), scope)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                _assign(target, evaluate(value, scope), scope)
            case ast.Delete():
                _delete(statement, scope)
            case ast.ImportFrom() | ast.Import():
                _import(statement, scope)
            case ast.FunctionDef():
                scope.local[statement.name] = Function(scope.module, statement)
            case ast.AugAssign():
                self._add(statement, scope)
            case ast.Pass() | ast.Raise() | ast.AnnAssign():
                pass
            case _:
                self.recorder.undecided.append(f"{scope.module.name}: {ast.unparse(statement)}")

    def _add(self, statement: ast.AugAssign, scope: Scope) -> None:
        current, more = evaluate(statement.target, scope), evaluate(statement.value, scope)
        if isinstance(current, list) and isinstance(more, list):
            _assign(statement.target, [*current, *more], scope)
        elif isinstance(current, str) and isinstance(more, str):
            _assign(statement.target, current + more, scope)
        else:
            self.recorder.undecided.append(f"{scope.module.name}: {ast.unparse(statement)}")

    def _for(self, statement: ast.For, scope: Scope) -> _Return | None:
        items = evaluate(statement.iter, scope)
        if not isinstance(items, list | tuple | dict):
            self.recorder.undecided.append(f"{scope.module.name}: for {ast.unparse(statement.iter)}")
            return None
        for item in list(items):
            _assign(statement.target, item, scope)
            self._block(statement.body, scope)
        return None

    def call(self, scope: Scope, callee: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The value of a call."""
        match callee:
            case Function():
                return self._function(scope, callee, arguments, keywords)
            case Class():
                empty_dict = not arguments and "dict" in base_names(scope, callee)
                return dict(keywords) if empty_dict else Instance(callee.name, tuple(arguments), keywords)
            case External():
                return _external(scope, callee.name, arguments, keywords)
            case Method(base=Recorder()):
                return self._parser(scope, callee.name, arguments, keywords)
            case Method(base=Instance(of="super"), name=name):
                return self._super(scope, name, arguments, keywords)
            case Method(base=list() | dict() | str() | tuple() as base, name=name) if name in _MUTATED | _READ:
                return _plain_method(base, name, arguments, callee.text)
            case Method():
                return Unresolved(callee.text)
        return callee if isinstance(callee, Unresolved) else Unresolved(str(callee))

    def _function(
        self, scope: Scope, function: Function, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        first = arguments[0] if arguments else None
        if function.name == "get_kwargs" and isinstance(first, Class):
            return field_table(scope, first, self.rules)
        if function.name == "get_field" and isinstance(first, Class):
            return class_attribute(scope, first, str(arguments[1]))
        if function.name in _WRAPPERS:
            return Instance(function.name, tuple(arguments))
        handed = [*arguments, *keywords.values()]
        if function.name == "lambda" or any(isinstance(a, Recorder | FieldTable) for a in handed):
            return self.follow(function, arguments, keywords)
        return Unresolved(f"{function.name}()")

    def _super(self, scope: Scope, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        for parent in list(ancestry(scope, scope.owner))[1:] if scope.owner else []:
            method = class_attribute(scope, parent, name)
            if isinstance(method, Function):
                return self.follow(method, arguments, keywords)
        return Unresolved(f"super().{name}()")

    def _parser(self, scope: Scope, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        if name == "add_argument":
            flags = tuple(str(flag) for flag in arguments)
            self.recorder.calls.append(Call(scope.module.name, flags, keywords))
        return self.recorder


def _assign(target: ast.expr, value: Value, scope: Scope) -> None:
    match target:
        case ast.Name(id=name):
            scope.local[name] = value
        case ast.Subscript(value=container, slice=key):
            holder = evaluate(container, scope)
            if isinstance(holder, dict):
                holder[evaluate(key, scope)] = value
        case ast.Tuple(elts=targets) if isinstance(value, list | tuple):
            for inner, item in zip(targets, value, strict=False):
                _assign(inner, item, scope)


def _delete(statement: ast.Delete, scope: Scope) -> None:
    for target in statement.targets:
        if isinstance(target, ast.Subscript):
            holder = evaluate(target.value, scope)
            if isinstance(holder, dict):
                holder.pop(evaluate(target.slice, scope), None)


def _import(statement: ast.Import | ast.ImportFrom, scope: Scope) -> None:
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            source, name = imported(scope.module, ast.ImportFrom(statement.module, [alias], statement.level))
            module = scope.module.program.module(source)
            found: Value = Unresolved(f"{source}.{name}")
            if module is not None:
                found = evaluate(ast.Name(name), scope.inside(module))
            scope.local[alias.asname or name] = found


def _plain_method(base: Value, name: str, arguments: list[Value], text: str) -> Value:
    try:
        result = getattr(base, name)(*arguments)
    except (TypeError, ValueError, KeyError):
        return Unresolved(text)
    return list(result) if name in ("items", "keys", "values") else result


def _external(scope: Scope, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    if name in _FIELDS:
        return Instance(_FIELDS[name], tuple(arguments), keywords)
    if name == "itertools.permutations" and isinstance(arguments[0], list):
        return list(itertools.permutations(arguments[0], *(n for n in keywords.values() if isinstance(n, int))))
    if name == "typing.cast":
        return arguments[1]
    if name == "builtins.super":
        return Instance("super")
    if name.endswith("typing.get_args") or name == "typing_extensions.get_args":
        return _get_args(arguments[0])
    if name in ("builtins.list", "builtins.tuple", "builtins.set", "builtins.sorted", "builtins.dict"):
        return _collected(scope, name, arguments)
    if name in ("builtins.int", "builtins.str", "builtins.float") and not isinstance(arguments[0], Unresolved):
        return {"int": int, "str": str, "float": float}[name.removeprefix("builtins.")](arguments[0])
    return Unresolved(f"{name}()")


def _collected(scope: Scope, name: str, arguments: list[Value]) -> Value:
    if not arguments:
        return {} if name == "builtins.dict" else []
    source = arguments[0]
    if isinstance(source, Class) and is_enum(scope, source):
        source = enum_members(scope, source)
    if not isinstance(source, list | tuple | dict):
        return Unresolved(f"{name}()")
    return sorted(source, key=str) if name == "builtins.sorted" else list(source)


def _get_args(value: Value) -> Value:
    match value:
        case Generic() if value.arguments:
            return literal_values(value)
        case _ if hasattr(value, "members"):
            return list(value.members)
    return Unresolved("get_args()")


def values_of(calls: list[Call]) -> Iterator[Call]:
    """The calls that add options, not positional arguments."""
    return (call for call in calls if call.flags and call.flags[0].startswith("-"))
