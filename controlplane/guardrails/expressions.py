"""One CEL expression: compiled with its types checked, and evaluated without ever guessing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from controlplane.guardrails.messages import PACKAGE, pool
from controlplane.guardrails.subjects import Described

TYPES: Final = {
    "workload": f"{PACKAGE}.Workload",
    "pods": f"{PACKAGE}.Pods",
    "container": f"{PACKAGE}.Container",
    "engine": f"{PACKAGE}.Engine",
    "deployment": f"{PACKAGE}.Deployment",
    "policy": "google.protobuf.Struct",
}
"""Variables, and the type of each."""

SCOPES: Final[Mapping[str, tuple[str, ...]]] = {
    "workload": ("workload",),
    "pods": ("workload", "pods"),
    "container": ("workload", "pods", "container"),
    "engine": ("workload", "engine"),
    "deployment": ("workload", "deployment"),
    "policy": ("policy",),
}
"""What a rule over each part may name."""

_TEXT = re.compile(r"""[rRbB]{0,2}("{3}.*?"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')""", re.DOTALL)
_PATH = re.compile(r"(?<![\w.])([A-Za-z_]\w*)((?:\s*\.\s*[A-Za-z_]\w*(?!\s*\())+)")
_HAS = re.compile(r"\bhas\s*\(\s*([\w.\s]+?)\s*\)")
_PLACE = re.compile(r"<input>:(\d+):(\d+): (.*)")
_LARGEST = 4096


class ExpressionError(Exception):
    """The expression is refused; `index` is where in its text."""

    def __init__(self, index: int, fact: str) -> None:
        super().__init__(fact)
        self.index = index
        self.fact = fact


@dataclass(frozen=True, slots=True)
class Named:
    """A path that an expression names, such as `engine.arguments.max_num_seqs`, and where it begins."""

    variable: str
    path: str
    index: int
    in_has: bool


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression and the paths it names."""

    text: str
    compiled: Any
    named: tuple[Named, ...]

    def evaluate(self, variables: Mapping[str, Described]) -> Any:
        """The value, None where a value that it needs is not known or its evaluation fails for these values."""
        if any(_is_missing(name, variables) for name in self.named):
            return None
        try:
            value = self.compiled.eval(data={name: part.value for name, part in variables.items()})
        except RuntimeError:
            return None
        return None if value.type().name() == "ERROR" else value.plain_value()


def compile_expression(text: str, over: str, wanted: str) -> Expression:
    """Compile one expression over a part; `wanted` is BOOL, or ANY. Raises ExpressionError."""
    if len(text) > _LARGEST:
        raise ExpressionError(0, f"the expression has {len(text)} characters; {_LARGEST} are the most")
    try:
        compiled = _environment(over).compile(text)
    except RuntimeError as error:
        raise _refused(text, str(error)) from error
    returned = compiled.return_type().name()
    if wanted != "ANY" and returned not in (wanted, "DYN"):
        raise ExpressionError(0, f"the expression gives {returned.lower()}; {wanted.lower()} is wanted")
    return Expression(text, compiled, tuple(named_paths(text)))


def named_paths(text: str) -> Iterator[Named]:
    """The dotted paths in an expression, without what stands in texts."""
    bare = _TEXT.sub(lambda match: " " * len(match[0]), text)
    asked = {_squeezed(match[1]) for match in _HAS.finditer(bare)}
    for match in _PATH.finditer(bare):
        path = _squeezed(match[0])
        variable, _, below = path.partition(".")
        yield Named(variable, below, match.start(), path in asked)


def _squeezed(path: str) -> str:
    return re.sub(r"\s+", "", path)


def _is_missing(name: Named, variables: Mapping[str, Described]) -> bool:
    """Whether the value at a path is not known, or nobody wrote it and the expression does not ask for that.

    A path of a variable of the expression's own (`workload.engines.all(e, e.version ...)`) is held against every
    part: whoever is not sure says nothing.
    """
    part = variables.get(name.variable)
    parts = [part] if part is not None else list(variables.values())
    ends = name.path if part is not None else f".{name.path}"
    for each in parts:
        if _any(each.unknown, ends, part is not None) or (
            not name.in_has and _any(each.absent, ends, part is not None)
        ):
            return True
    return False


def _any(paths: Iterable[str], wanted: str, whole: bool) -> bool:
    for path in paths:
        if path == wanted or (not whole and f".{path}".endswith(wanted)):
            return True
        if whole and wanted.startswith(f"{path}."):
            return True
    return False


def _refused(text: str, error: str) -> ExpressionError:
    """cel-cpp's error with its line and column as an index. Its columns count code points from 1."""
    match = _PLACE.search(error)
    if match is None:
        return ExpressionError(0, error.partition("\n")[0].removeprefix("INVALID_ARGUMENT: "))
    line, column = int(match[1]), int(match[2])
    starts = [0, *(i + 1 for i, character in enumerate(text) if character == "\n")]
    index = starts[min(line, len(starts)) - 1] + max(column - 1, 0)
    return ExpressionError(min(index, len(text)), match[3].removesuffix(" (in container '')"))


@cache
def _environment(over: str) -> Any:
    from cel_expr_python import cel

    variables = {name: cel.Type(TYPES[name]) for name in SCOPES[over]}
    return cel.NewEnv(descriptor_pool=pool(), variables=variables)
