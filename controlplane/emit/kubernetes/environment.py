"""The environment variables of a container. Secrets are written by reference only: the Stack holds no values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from controlplane.emit.bundle import Sourced, sourced
from controlplane.stack.pods import ConfigKey, EnvVar, FieldPath, SecretKey


def environment(variables: Sequence[EnvVar]) -> list[dict[str, Any]] | None:
    """`env` in the order given: a later variable may refer to an earlier one."""
    return [_variable(variable) for variable in variables] or None


def _variable(variable: EnvVar) -> dict[str, Any]:
    value = sourced(variable.value)
    if value is None:
        return {"name": variable.name}
    name = Sourced(variable.name, variable.origin or value.origin)
    if isinstance(value.value, str):
        # The API server stores an empty value as none at all.
        return {"name": name, "value": value if value.value else None}
    origin = value.origin
    return {"name": name, "valueFrom": Sourced(_reference(value.value), origin)}


def _reference(source: SecretKey | ConfigKey | FieldPath) -> dict[str, Any]:
    match source:
        case SecretKey():
            return {"secretKeyRef": _key(source)}
        case ConfigKey():
            return {"configMapKeyRef": _key(source)}
        case FieldPath():
            return {"fieldRef": {"fieldPath": source.path}}
        case _:
            assert_never(source)


def _key(source: SecretKey | ConfigKey) -> dict[str, Any]:
    return {"name": source.name, "key": source.key, "optional": source.optional or None}
