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
_COMPUTED = re.compile(r"[\])]((?:\s*\.\s*[A-Za-z_]\w*(?!\w|\s*\())+)")
"""Fields of what is no variable: `workload.engines[0].version`, `(a ? b : c).version`."""
_KEY = re.compile(r"""(?<=[\w\])])\[\s*(["'])([A-Za-z_]\w*)\1\s*\]""")
"""`engine.arguments["max_num_seqs"]` names the same as with a dot."""
_OWN = re.compile(r"\.\s*(?:all|exists|exists_one|map|filter)\s*\(\s*([A-Za-z_]\w*)\s*,")
"""A macro's own variable; it may be called like one of ours and is another all the same."""
_HAS = re.compile(r"\bhas\s*\(")
_MAPS = ("arguments", "labels", "annotations", "node_selector")
"""What is told apart by keys: whoever asks for it as a whole has to know all of them."""
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

    @property
    def is_sayable(self) -> bool:
        """Whether a message can show the value: a text, number or boolean, or a list or map of them."""
        return PACKAGE not in self.compiled.return_type().name()

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
    """The dotted paths in an expression, without what stands in texts.

    `variable` is empty where the path does not begin at one of the expression's variables.
    """
    dotted = _KEY.sub(lambda match: f".{match[2]}".ljust(len(match[0])), text)
    bare = _TEXT.sub(lambda match: " " * len(match[0]), dotted)
    own = set(_OWN.findall(bare))
    asked = _ends_of_has(bare)
    for match in _PATH.finditer(bare):
        variable, _, below = _squeezed(match[0]).partition(".")
        yield Named("" if variable in own else variable, below, match.start(), _end(bare, match) in asked)
    for match in _COMPUTED.finditer(bare):
        yield Named("", _squeezed(match[1])[1:], match.start(1), _end(bare, match) in asked)


def _ends_of_has(text: str) -> frozenset[int]:
    """Where the brackets of each `has(` are closed: the path that ends there is asked for, whatever begins it."""
    return frozenset(_closing(text, match.end()) for match in _HAS.finditer(text))


def _closing(text: str, start: int) -> int:
    """Where the bracket ends that was opened before `start`."""
    depth = 1
    for index in range(start, len(text)):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if depth == 0:
            return index
    return len(text)


def _end(text: str, match: re.Match[str]) -> int:
    """The first character behind a path that is no space."""
    return len(text) - len(text[match.end() :].lstrip())


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
    key = wanted.removeprefix(".")
    as_map = key.rpartition(".")[2] in _MAPS
    return any(_is_named(path, wanted, whole) or (as_map and f".{key}." in f".{path}.") for path in paths)


def _is_named(path: str, wanted: str, whole: bool) -> bool:
    if whole:
        return path == wanted or wanted.startswith(f"{path}.")
    # Below a variable of the expression's own it is not known what part is meant: `.arguments.max_num_seqs`.
    return f".{path}".endswith(wanted) or f"{wanted}.".startswith(f".{path.rpartition('.')[2]}.")


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
