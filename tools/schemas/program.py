"""The modules of a package as names to be looked up: no code runs, imports are followed only inside the package."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tools.schemas.values import Class, External, Function, Unresolved, Value


@dataclass(eq=False)
class Module:
    """One module: `names` holds what it binds at run time, `typed` what only a type checker sees.

    `starred` are the modules of which it imports everything.
    """

    program: Program
    name: str
    is_package: bool
    names: dict[str, ast.AST] = field(default_factory=dict)
    typed: dict[str, ast.AST] = field(default_factory=dict)
    starred: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"Module({self.name})"


@dataclass(eq=False)
class Program:
    """A package's files, parsed on demand."""

    files: Mapping[str, str]
    modules: dict[str, Module] = field(default_factory=dict)

    def module(self, name: str) -> Module | None:
        """The module of that dotted name, or None where the package has none."""
        if name not in self.modules:
            base = name.replace(".", "/")
            path = next((p for p in (f"{base}.py", f"{base}/__init__.py") if p in self.files), None)
            if path is None:
                return None
            self.modules[name] = self._parse(name, path)
        return self.modules[name]

    def _parse(self, name: str, path: str) -> Module:
        module = Module(self, name, path.endswith("__init__.py"))
        for bound, node, typed in _bindings(ast.parse(self.files[path]).body, typed=False):
            table = module.typed if typed else module.names
            if bound == "*" and isinstance(node, ast.ImportFrom):
                module.starred.append(imported(module, node)[0])
                continue
            if typed or not isinstance(table.get(bound), ast.ClassDef):
                table[bound] = node
        return module


def _bindings(body: Iterable[ast.stmt], *, typed: bool) -> Iterator[tuple[str, ast.AST, bool]]:
    """(name, what binds it, whether only under TYPE_CHECKING) of every binding at a module's top level."""
    for statement in body:
        if isinstance(statement, ast.If):
            checking = "TYPE_CHECKING" in ast.unparse(statement.test)
            yield from _bindings(statement.orelse, typed=typed)
            yield from _bindings(statement.body, typed=typed or checking)
        elif isinstance(statement, ast.Try):
            yield from _bindings([s for handler in statement.handlers for s in handler.body], typed=typed)
            yield from _bindings(statement.body, typed=typed)
        else:
            yield from ((name, node, typed) for name, node in _bound(statement))


def _bound(statement: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    match statement:
        case ast.ClassDef() | ast.FunctionDef():
            yield statement.name, statement
        case ast.Import():
            for alias in statement.names:
                yield (alias.asname or alias.name.partition(".")[0]), ast.Import([alias])
        case ast.ImportFrom():
            for alias in statement.names:
                yield (alias.asname or alias.name), ast.ImportFrom(statement.module, [alias], statement.level)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
            yield name, value


def imported(module: Module, node: ast.Import | ast.ImportFrom) -> tuple[str, str]:
    """(module, attribute) of an import of one name; the attribute is empty for `import x`."""
    alias = node.names[0]
    if isinstance(node, ast.Import):
        return (alias.name if alias.asname else alias.name.partition(".")[0]), ""
    base = node.module or ""
    if node.level:
        parts = module.name.split(".")
        keep = len(parts) - node.level + (1 if module.is_package else 0)
        base = ".".join([*parts[:keep], *([base] if base else [])])
    return base, alias.name


def definition(module: Module, node: ast.AST) -> Value:
    """A class or function of the package as a value."""
    if isinstance(node, ast.ClassDef):
        return Class(module, node)
    if isinstance(node, ast.FunctionDef):
        return Function(module, node)
    return Unresolved(f"{module.name}: {type(node).__name__}")


def builtin(name: str) -> Value:
    """A builtin by name, or what is missing."""
    return External(f"builtins.{name}") if hasattr(builtins, name) else Unresolved(name)
