"""Environment variables of one vLLM release, from `vllm/envs.py` and from whatever else reads the environment."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from tools.schemas.release import Release

_READERS = {"get", "getenv", "setdefault", "pop"}
_CHOICES = {"env_with_choices", "env_list_with_choices", "env_set_with_choices"}
_KINDS = {"bool", "int", "float", "str"}


def variables_of(release: Release) -> dict[str, dict[str, object]]:
    """What the release says of every variable, by name.

    `declared`: it is a key of `environment_variables`, the set that vLLM itself compares with. Others are only read
    somewhere (by the build, by a kernel), and setting them is no mistake either.
    """
    envs = ast.parse(release.files["vllm/envs.py"])
    table = next(value for name, value in _assignments(envs) if name == "environment_variables")
    kinds = dict(_annotations(envs))
    found: dict[str, dict[str, object]] = {name: {} for name in sorted(_read_elsewhere(release.files))}
    for key, value in zip(table.keys, table.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            kind = kinds.get(key.value)
            found[key.value] = {"declared": True, **({"kind": kind} if kind else {}), **_choices(value)}
    return found


def _assignments(tree: ast.Module) -> Iterator[tuple[str, ast.Dict]]:
    for statement in tree.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as value):
                yield name, value
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as value):
                yield name, value


def _annotations(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The plain kinds that the block for type checkers gives; None beside them falls away."""
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            text = ast.unparse(node.annotation).replace("Optional[", "").rstrip("]")
            kind = text.replace("None", "").strip(" |")
            if kind in _KINDS:
                yield node.target.id, kind


def _choices(value: ast.expr) -> dict[str, object]:
    """The values that a reader with choices takes, where they are literals."""
    match value:
        case ast.Call(func=ast.Name(id=reader), args=[_, _, ast.List(elts=elements), *_]) if reader in _CHOICES:
            literals = [e.value for e in elements if isinstance(e, ast.Constant)]
            folded = not any(k.arg == "case_sensitive" and ast.unparse(k.value) == "True" for k in value.keywords)
            several = reader != "env_with_choices"
            return {
                "choices": literals,
                **({"any_case": True} if folded else {}),
                **({"several": True} if several else {}),
            }
    return {}


def _read_elsewhere(files: Mapping[str, str]) -> Iterator[str]:
    for text in files.values():
        if "VLLM_" in text and ("environ" in text or "getenv" in text):
            yield from (name for name in _reads(ast.parse(text)) if name.startswith("VLLM_"))


def _reads(tree: ast.Module) -> Iterator[str]:
    """Names of variables that are read by `os.environ[...]`, `os.environ.get`, `os.getenv` or `in os.environ`."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name))):
                yield name
            case ast.Call(func=ast.Attribute(attr=reader), args=[ast.Constant(value=str(name)), *_]):
                if reader in _READERS and "env" in ast.unparse(node.func):
                    yield name
            case ast.Compare(left=ast.Constant(value=str(name)), comparators=[ast.Attribute(attr="environ")]):
                yield name
