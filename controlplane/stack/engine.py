"""A vLLM engine as declared: its version, its model and its arguments, by their canonical names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from controlplane.stack.facts import ABSENT, Fact

ArgumentValue = str | int | float | bool | None | list["ArgumentValue"] | dict[str, "ArgumentValue"]
"""The value of an engine argument: a scalar, or the parsed form of a list or JSON argument."""


@dataclass(frozen=True, slots=True)
class Engine:
    """One vLLM engine.

    `role` names it inside its workload ("engine", "prefill", "decode", ...). `arguments` maps canonical names
    (`tensor_parallel_size`) to values; the model is not among them. `pod_set` and `container` say where it runs.
    `launch` is what starts it, empty when the image's entrypoint does. `complete` is False when part of the command
    line could not be read, so that an argument which is not listed may be set all the same.
    """

    role: str
    pod_set: str
    container: str
    version: Fact[str]
    model: Fact[str]
    arguments: Mapping[str, Fact[ArgumentValue]] = field(default_factory=dict)
    launch: tuple[str, ...] = ("vllm", "serve")
    served_model_name: Fact[str] = ABSENT
    complete: bool = True
