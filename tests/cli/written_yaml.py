"""Trees written as YAML in many styles, for tests of edits: block and flow, comments, blanks, line ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hypothesis import strategies as st

from controlplane.diagnostics import KeyPath
from controlplane.source import Value

WORDS = ("--swap-space=4", "vllm", "x y", "4", "true", "1.5", "--flag", "ünï", "a#b", "bad")
KEYS = ("args", "name", "limits", "nvidia.com/gpu", "env", "containers")

scalars = st.sampled_from(WORDS)
trees = st.recursive(
    scalars,
    lambda below: st.one_of(
        st.lists(below, min_size=1, max_size=4), st.dictionaries(st.sampled_from(KEYS), below, min_size=1, max_size=4)
    ),
    max_leaves=12,
)
roots = st.dictionaries(st.sampled_from(KEYS), trees, min_size=1, max_size=4)


@dataclass(slots=True)
class Writer:
    """Writes a tree; every choice of style is the next number of `choices`, which are used again from the start."""

    choices: list[int]
    used: int = 0
    lines: list[str] = field(default_factory=list)

    def choose(self, count: int) -> int:
        self.used += 1
        return self.choices[self.used % len(self.choices)] % count

    def text(self, tree: Value) -> str:
        """The whole document, with the line ends and the mark that the choices want."""
        self.lines = []
        self._block(tree, 0, "")
        line_end = ("\n", "\n", "\r\n")[self.choose(3)]
        mark = ("", "", "\ufeff")[self.choose(3)]
        end = (line_end, line_end, "")[self.choose(3)]
        return mark + line_end.join(self.lines) + end

    def _block(self, value: Value, indent: int, head: str) -> None:
        """Write a value whose line begins with `head` (a key or a dash, with what stands before)."""
        if not isinstance(value, dict | list):
            self._line(f"{head}{' ' if head.endswith(':') else ''}{self._scalar(value)}")
        elif self.choose(3) == 0:
            self._line(f"{head}{' ' if head.endswith(':') else ''}{self._flow(value)}")
        else:
            self._collection(value, indent, head)

    def _collection(self, value: dict[str, Value] | list[Value], indent: int, head: str) -> None:
        behind_dash = head.endswith("- ")
        if head and not behind_dash:
            self._line(head)
        first = head if behind_dash else ""
        pad = " " * indent
        for key in value if isinstance(value, dict) else range(len(value)):
            begin = first or pad
            below = value[key]  # type: ignore[index, call-overload]
            if isinstance(key, str):
                self._block(below, indent + (2, 4)[self.choose(2)], f"{begin}{key}:")
            else:
                self._block(below, indent + 2, f"{begin}- ")
            first = ""
            if not behind_dash and self.choose(4) == 0:
                self.lines.append((f"{pad}# comment: - x", "", "   ")[self.choose(3)])

    def _line(self, text: str) -> None:
        self.lines.append(text + ("", "", "", "  # why", " ")[self.choose(5)])

    def _flow(self, value: Value) -> str:
        space = ("", " ")[self.choose(2)]
        if isinstance(value, dict):
            inside = f",{space or ' '}".join(f"{key}: {self._flow(below)}" for key, below in value.items())
            return f"{{{space}{inside}{space}}}"
        if isinstance(value, list):
            comma = (", ", ",", " , ")[self.choose(3)]
            inside = comma.join(self._flow(below) for below in value)
            return f"[{space}{inside}{(space, ',')[self.choose(2)]}]"
        return self._scalar(value)

    def _scalar(self, value: Value) -> str:
        text = str(value)
        return (f'"{text}"', f"'{text}'", f'"{text}"')[self.choose(3)]


def leaves(value: Value, path: KeyPath = ()) -> Iterator[KeyPath]:
    """The paths of all scalars."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from leaves(below, (*path, key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from leaves(below, (*path, index))
    else:
        yield path


def with_value(value: Value, path: KeyPath, new: Value) -> Value:
    """The tree with another value at a path."""
    if not path:
        return new
    if isinstance(value, dict):
        return {key: with_value(below, path[1:], new) if key == path[0] else below for key, below in value.items()}
    assert isinstance(value, list)
    return [with_value(below, path[1:], new) if index == path[0] else below for index, below in enumerate(value)]


def without_items(value: Value, gone: set[KeyPath], path: KeyPath = ()) -> Value:
    """The tree without some items of lists; a list that is emptied stays as an empty one."""
    if isinstance(value, dict):
        return {key: without_items(below, gone, (*path, key)) for key, below in value.items()}
    if isinstance(value, list):
        kept = [(index, below) for index, below in enumerate(value) if (*path, index) not in gone]
        return [without_items(below, gone, (*path, index)) for index, below in kept]
    return value
