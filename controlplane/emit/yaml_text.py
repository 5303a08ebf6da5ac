"""Bundle -> YAML text, to the byte the same for the same Bundle.

Keys stand in the order in which the builders made them, which is the order for reading. `explained_yaml` ends each
line that holds a value with a comment of its origin; to a YAML reader both texts are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from controlplane.diagnostics import KeyPath, render_path
from controlplane.emit.bundle import Bundle, EmittedObject, Manifest
from controlplane.emit.yaml_scalars import chomping, comment, fits_literal_block, scalar, text
from controlplane.stack.facts import Declared, Derived, Input, Origin

_SEPARATOR = "---\n"


@dataclass(frozen=True, slots=True)
class _Line:
    """A line; `path` leads to the value that ends on it, None where there is none or a comment cannot stand."""

    text: str
    path: KeyPath | None = None


def to_yaml(bundle: Bundle) -> str:
    """All manifests as one YAML stream in apply order."""
    return _SEPARATOR.join(manifest_yaml(made.manifest) for made in bundle.objects)


def explained_yaml(bundle: Bundle) -> str:
    """The same stream with the origin of every value in a comment behind it."""
    return _SEPARATOR.join(_explained(made) for made in bundle.objects)


def manifest_yaml(manifest: Manifest) -> str:
    """One manifest as YAML, ending in a line break."""
    return "".join(f"{line.text}\n" for line in _mapping(manifest, (), 0))


def _explained(made: EmittedObject) -> str:
    return "".join(f"{line.text}{_comment(made, line.path)}\n" for line in _mapping(made.manifest, (), 0))


def _comment(made: EmittedObject, path: KeyPath | None) -> str:
    origin = None if path is None else made.origin_of(path)
    return f"  # {explain(origin)}" if origin is not None else ""


def explain(origin: Origin) -> str:
    """An origin in one line: the place and path in the policy, or the formula and what went in."""
    return comment(_explanation(origin))


def _explanation(origin: Origin) -> str:
    match origin:
        case Declared():
            return f"{origin.span} {render_path(origin.path)}".rstrip()
        case Derived():
            inputs = ", ".join(_input(used) for used in origin.inputs)
            return f"{origin.formula} [{inputs}]" if inputs else origin.formula
        case _:
            return str(origin)


def _input(used: Input) -> str:
    return f"{used.name} {scalar(used.value)} from {_explanation(used.origin)}"


def _mapping(value: Mapping[str, Any], path: KeyPath, indent: int) -> Iterator[_Line]:
    for key, item in value.items():
        yield from _entry(f"{' ' * indent}{text(key)}:", item, (*path, key), indent)


def _entry(head: str, item: Any, path: KeyPath, indent: int) -> Iterator[_Line]:
    """A key and its value. Items of a list stand at the indentation of their key, as kubectl writes them."""
    if isinstance(item, Mapping) and item:
        yield _Line(head)
        yield from _mapping(item, path, indent + 2)
    elif _is_list(item) and item:
        yield _Line(head)
        yield from _sequence(item, path, indent)
    else:
        yield from _leaf(head, item, path, indent)


def _sequence(items: Sequence[Any], path: KeyPath, indent: int) -> Iterator[_Line]:
    for index, item in enumerate(items):
        if (isinstance(item, Mapping) or _is_list(item)) and item:
            yield from _hung(item, (*path, index), indent)
        else:
            yield from _leaf(f"{' ' * indent}-", item, (*path, index), indent)


def _hung(item: Mapping[str, Any] | Sequence[Any], path: KeyPath, indent: int) -> Iterator[_Line]:
    """A collection behind a dash: its first line takes the place of the indentation."""
    nested = _mapping(item, path, indent + 2) if isinstance(item, Mapping) else _sequence(item, path, indent + 2)
    first = next(nested)
    yield _Line(f"{' ' * indent}- {first.text.lstrip(' ')}", first.path)
    yield from nested


def _leaf(head: str, item: Any, path: KeyPath, indent: int) -> Iterator[_Line]:
    if isinstance(item, str) and fits_literal_block(item):
        yield _Line(f"{head} |{chomping(item)}", path)
        for line in item.removesuffix("\n").split("\n"):
            yield _Line(f"{' ' * (indent + 2)}{line}" if line else "")
    elif isinstance(item, Mapping) or _is_list(item):
        yield _Line(f"{head} {'{}' if isinstance(item, Mapping) else '[]'}", path)
    else:
        yield _Line(f"{head} {scalar(item)}", path)


def _is_list(item: Any) -> bool:
    return isinstance(item, Sequence) and not isinstance(item, str)
