"""The kinds there are, and which keys each of their parts knows."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from controlplane.diagnostics import KeyPath
from controlplane.policy.fleet import Fleet
from controlplane.policy.guardrail import Guardrail
from controlplane.policy.machine_policy import MachinePolicy
from controlplane.policy.memory_policy import MemoryPolicy
from controlplane.policy.model_service import ModelService
from controlplane.policy.rollout_policy import RolloutPolicy
from controlplane.policy.task_policy import TaskPolicy

PolicyModel = Fleet | MachinePolicy | TaskPolicy | MemoryPolicy | RolloutPolicy | ModelService | Guardrail

KINDS: Final[Mapping[str, type[PolicyModel]]] = {
    "Fleet": Fleet,
    "MachinePolicy": MachinePolicy,
    "TaskPolicy": TaskPolicy,
    "MemoryPolicy": MemoryPolicy,
    "ModelService": ModelService,
    "RolloutPolicy": RolloutPolicy,
    "Guardrail": Guardrail,
}

SECTIONS: Final[Mapping[str, str]] = {
    "machine": "MachinePolicy",
    "task": "TaskPolicy",
    "memory": "MemoryPolicy",
    "rollout": "RolloutPolicy",
}
"""Sections of a ModelService, and the kind that a named policy for each has."""


def known_keys(kind: str, path: KeyPath) -> tuple[str, ...]:
    """The keys that the mapping at `path` of a document of this kind may have; empty where any may stand."""
    models: list[type[BaseModel]] = [KINDS[kind]]
    for part in path:
        if isinstance(part, str):
            models = [child for model in models for child in _models_under(model, part)]
    return tuple(sorted({key for model in models for key in _fields(model)}))


@functools.cache
def _fields(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _models_under(model: type[BaseModel], key: str) -> list[type[BaseModel]]:
    field = _fields(model).get(key)
    return _models_in(field.annotation) if field is not None else []


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models_in(argument)]
