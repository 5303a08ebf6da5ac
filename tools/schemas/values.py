"""What the static reading of Python source yields where the value is not a plain Python one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.schemas.program import Module

Value = object
"""A Python literal (or list, tuple, set, dict of values), or one of the classes below."""


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Not known from the source alone; `why` says what it would take."""

    why: str


@dataclass(frozen=True, slots=True)
class External:
    """A name that lives outside the package: `builtins.int`, `typing.Literal`, `torch.dtype`."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Class:
    """A class of the package."""

    module: Module
    node: ast.ClassDef

    @property
    def name(self) -> str:
        return self.node.name

    def decorators(self) -> Iterator[str]:
        """The last part of each decorator's name."""
        for decorator in self.node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            yield target.attr if isinstance(target, ast.Attribute) else ast.unparse(target)


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function, method or lambda of the package; `bound` is what stands for its first parameter."""

    module: Module
    node: ast.FunctionDef | ast.Lambda
    owner: Class | None = None
    bound: Value = None

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "lambda"


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an Enum of the package."""

    enum: str
    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class Instance:
    """A call whose result is only described: `Field(ge=1)`, `CompilationConfig()`, `optional_type(int)`."""

    of: str
    arguments: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Generic:
    """A subscripted type: `Literal["a"]`, `list[int]`, `Annotated[int, Field(gt=0)]`."""

    origin: Value
    arguments: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """`A | B`, `Union[A, B]` or `Optional[A]`, flat."""

    members: tuple[Value, ...]
