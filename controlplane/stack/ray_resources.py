"""What a Ray node is told it has, and what the autoscaler believes it will have: two derivations from one group.

`told` follows KubeRay (operator 1.6.2, `controllers/ray/common/pod.go`: updateRayStartParamsResources,
generateRayStartCommand, addWellKnownAcceleratorResources) and `ray start`, which reads its flags; `believed` follows
Ray's autoscaler (Ray 2.60, `autoscaler/_private/kuberay/autoscaling_config.py`). Both look at the first container
only. ABSENT means that nothing is set: Ray then looks for itself, and the autoscaler finds none.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from typing import Final

from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.source import Quantity, QuantityError, parse_quantity
from controlplane.stack.facts import ABSENT, Fact, Known, Origin, Unknown, Why, derived, value_of
from controlplane.stack.ray import RayResources

_MIG = regex(r"nvidia\.com/mig-\d+g\.\d+gb\Z")
_ACCELERATORS: Final = {"aws.amazon.com/neuroncore": "neuron_cores", "google.com/tpu": "TPU"}
_FLAGS: Final = {"cpu": "num-cpus", "memory": "memory"}
_STANDARD: Final = frozenset({"CPU", "GPU", "TPU", "memory"})
_RUN_BY_SHELL = regex(r"[$`;&|<>()*?~#]")
"""What a shell may make something of that only the running container tells; inside quotes it may be harmless."""
_QUOTING = regex(r"""[\s'"\\]|\A\Z""")
_LONGEST: Final = 10_000
_TOPOLOGY: Final = "cloud.google.com/gke-tpu-topology"
_ACCELERATOR: Final = "cloud.google.com/gke-tpu-accelerator"
_TPU_GENERATIONS: Final = {
    "tpu-v4-podslice": ("v4", 2),
    "tpu-v5-lite-device": ("v5litepod", 1),
    "tpu-v5-lite-podslice": ("v5litepod", 1),
    "tpu-v5p-slice": ("v5p", 2),
    "tpu-v6e-slice": ("v6e", 1),
    "tpu7x": ("v7x", 2),
}
"""Ray's name of a GKE TPU, and its cores a chip (Ray 2.60, `_private/accelerators/tpu.py`)."""

_Amounts = Mapping[str, Fact[Quantity]]
_Numbers = Mapping[str, Fact[float]]


@frozen
class GroupShape:
    """What both derivations look at: two maps of the group, and the requests and limits of its first container.

    `unread` says why, where the container could not be read: then nothing is known of what it asks for.
    """

    start_params: Mapping[str, Fact[str]] = field(default_factory=dict)
    resources: Mapping[str, Fact[str]] = field(default_factory=dict)
    limits: _Amounts = field(default_factory=dict)
    requests: _Amounts = field(default_factory=dict)
    node_selector: Mapping[str, str] = field(default_factory=dict)
    unread: Unknown | None = None


def told(shape: GroupShape) -> RayResources:
    """What KubeRay writes into `ray start`, as `ray start` reads it."""
    flags, custom = _told_by_group(shape.resources)
    written = shape.start_params.get("resources", ABSENT)
    # A text that the operator cannot parse keeps it from looking for GPUs, too.
    looks = bool(custom) or _operator_reads(written)
    custom = custom or _resources_flag(written)
    return RayResources(
        cpu=_first(_flag(shape, flags, "num-cpus"), _nonzero(shape, "cpu", fall_back=True)),
        gpu=_first(_flag(shape, flags, "num-gpus"), _first_gpu(shape) if looks else ABSENT),
        memory_bytes=_bytes(_first(_flag(shape, flags, "memory"), _nonzero(shape, "memory", fall_back=False))),
        custom={**custom, **_accelerator(shape, custom)} if looks else custom,
    )


def believed(shape: GroupShape) -> RayResources:
    """What the autoscaler derives; without a CPU it fails, for the whole cluster."""
    custom = _believed_custom(shape)
    return RayResources(
        cpu=_first(_group_or_param(shape, "CPU", "num-cpus"), _limit_or_request(shape, "cpu")),
        gpu=_first(_group_or_param(shape, "GPU", "num-gpus"), _believed_gpu(shape)),
        memory_bytes=_bytes(_first(_group_or_param(shape, "memory", "memory"), _limit_or_request(shape, "memory"))),
        custom={**_believed_tpu(shape, custom), **custom},
    )


def is_gpu_for_kuberay(resource: str) -> bool:
    """Whether KubeRay takes a resource for GPUs: any that ends in "gpu", and plain MIG slices."""
    return resource.endswith("gpu") or _MIG.search(resource) is not None


def is_gpu_for_autoscaler(resource: str) -> bool:
    """Whether the autoscaler takes a resource for GPUs: any that ends in "gpu"."""
    return resource.endswith("gpu")


def _told_by_group(resources: Mapping[str, Fact[str]]) -> tuple[dict[str, Fact[float]], dict[str, Fact[float]]]:
    """What the group's `resources` write: flags of `ray start` by name, and custom resources."""
    flags: dict[str, Fact[float]] = {}
    custom: dict[str, Fact[float]] = {}
    for name, text in resources.items():
        amount = _quantity(text)
        if amount is None:
            continue
        lower = name.lower()
        flag = "num-gpus" if is_gpu_for_kuberay(lower) else _FLAGS.get(lower)
        if flag is None:
            custom[name] = amount if isinstance(amount, Unknown) else _exact(amount)
        elif flag in flags:
            # Go walks the map in an order of its own.
            flags[flag] = Unknown(Why.UNRESOLVED, f"only one entry of `resources` that sets {flag}")
        else:
            flags[flag] = _rounded_up(amount)
    return flags, custom


def _quantity(text: Fact[str]) -> Fact[Quantity] | None:
    """A text of `resources` as a quantity; None for what is none, which KubeRay skips."""
    if not isinstance(text, Known):
        return text if isinstance(text, Unknown) else _several("its value")
    try:
        return Known(parse_quantity(text.value), text.origin)
    except QuantityError:
        return None


def _flag(shape: GroupShape, flags: _Numbers, name: str) -> Fact[float]:
    return flags[name] if name in flags else _shell_number(shape.start_params.get(name, ABSENT), name)


def _shell_number(text: Fact[str], name: str) -> Fact[float]:
    """The whole number that `ray start` reads from a flag whose value a shell has read before."""
    word = _shell_word(text, name)
    return _python_int(word, name) if isinstance(word, Known) else _nothing(word)


def _shell_word(text: Fact[str], name: str) -> Fact[str]:
    if not isinstance(text, Known):
        return text
    if _RUN_BY_SHELL.search(text.value):
        return Unknown(Why.RUNTIME, f"the value of {name} in the running container")
    word = _only_word(text.value)
    return Unknown(Why.UNRESOLVED, f"{name} as one word of a shell") if word is None else Known(word, text.origin)


@lru_cache(maxsize=256)
def _only_word(text: str) -> str | None:
    """What a shell makes of a flag's value; None where that is not one word."""
    if not _QUOTING.search(text):
        return text
    try:
        # As KubeRay writes it: a blank in front ends the flag's word.
        words = shlex.split(f"={text}") if len(text) <= _LONGEST else []
    except ValueError:
        words = []
    return words[0][1:] if len(words) == 1 else None


def _python_int(text: Fact[str], name: str) -> Fact[float]:
    """A whole number as Python's `int` reads it."""
    if not isinstance(text, Known):
        return _nothing(text)
    try:
        return Known(float(int(text.value)), text.origin)
    except (ValueError, OverflowError):
        return Unknown(Why.UNRESOLVED, f"{name} as a whole number")


def _operator_reads(text: Fact[str]) -> bool:
    """Whether KubeRay can parse `rayStartParams.resources`: JSON of numbers in any number of quotes."""
    if not isinstance(text, Known):
        return True
    return _numbers(text.value.strip("'\"` ")) is not None


def _resources_flag(text: Fact[str]) -> dict[str, Fact[float]]:
    """The custom resources that `ray start --resources` reads; none where the text is none that it can read."""
    word = _shell_word(text, "resources")
    if not isinstance(word, Known):
        return {}
    return {name: Known(amount, word.origin) for name, amount in (_numbers(word.value) or {}).items()}


def _numbers(text: str) -> dict[str, float] | None:
    """A JSON map of numbers; None for any other text."""
    try:
        parsed = json.loads(text)
        if isinstance(parsed, dict) and all(_is_number(amount) for amount in parsed.values()):
            return {name: float(amount) for name, amount in parsed.items()}
    except (ValueError, OverflowError, RecursionError):
        pass
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _nonzero(shape: GroupShape, resource: str, *, fall_back: bool) -> Fact[float]:
    """A limit that is not zero; with `fall_back` the request, where there is none."""
    if shape.unread is not None:
        return shape.unread
    limit = shape.limits.get(resource, ABSENT)
    if _is_unset(limit):
        return _rounded_up(_unset_as_absent(shape.requests.get(resource, ABSENT))) if fall_back else ABSENT
    return _rounded_up(limit)


def _first_gpu(shape: GroupShape) -> Fact[float]:
    """The limit of the first resource by name that KubeRay takes for GPUs, unless it is zero."""
    if shape.unread is not None:
        return shape.unread
    limits = (shape.limits[name] for name in sorted(shape.limits) if is_gpu_for_kuberay(name))
    return _rounded_up(next((limit for limit in limits if not _is_unset(limit)), ABSENT))


def _accelerator(shape: GroupShape, custom: _Numbers) -> dict[str, Fact[float]]:
    """The first limit of another kind of accelerator, unless the custom resources have one already."""
    if any(name in custom for name in _ACCELERATORS.values()):
        return {}
    for resource in sorted(_ACCELERATORS):
        limit = shape.limits.get(resource, ABSENT)
        if not _is_unset(limit):
            return {_ACCELERATORS[resource]: _exact(limit)}
    return {}


def _group_or_param(shape: GroupShape, name: str, param: str) -> Fact[float]:
    """A standard resource of the group by its exact name, else the parameter of `ray start`."""
    return _first(_group_resource(shape, name), _python_int(shape.start_params.get(param, ABSENT), param))


def _group_resource(shape: GroupShape, name: str) -> Fact[float]:
    amount = _quantity(shape.resources.get(name, ABSENT))
    return Unknown(Why.UNRESOLVED, f"{name} as a quantity") if amount is None else _rounded_up(amount)


def _limit_or_request(shape: GroupShape, resource: str) -> Fact[float]:
    if shape.unread is not None:
        return shape.unread
    return _rounded_up(shape.limits.get(resource, shape.requests.get(resource, ABSENT)))


def _believed_gpu(shape: GroupShape) -> Fact[float]:
    """The first resource that ends in "gpu" and is not zero, of the limits, then of the requests.

    An API server answers with the resources of a RayCluster in the order of their names.
    """
    if shape.unread is not None:
        return shape.unread
    for amounts in (shape.limits, shape.requests):
        for name in sorted(amounts):
            if is_gpu_for_autoscaler(name) and not _is_unset(amounts[name]):
                return _rounded_up(amounts[name])
    return ABSENT


def _believed_custom(shape: GroupShape) -> dict[str, Fact[float]]:
    """All of the group's resources but the standard ones, or else those of `rayStartParams.resources`."""
    if not shape.resources:
        return _param_resources(shape.start_params.get("resources", ABSENT))
    found = {name: _quantity(text) for name, text in shape.resources.items() if name not in _STANDARD}
    return {name: _rounded_up(amount) for name, amount in found.items() if amount is not None}


def _param_resources(text: Fact[str]) -> dict[str, Fact[float]]:
    """`rayStartParams.resources` as the autoscaler reads it: without its first and last character and backslashes."""
    if not isinstance(text, Known):
        return {}
    try:
        parsed = json.loads(text.value[1:-1].replace("\\", ""))
        whole = isinstance(parsed, dict) and all(isinstance(amount, int) for amount in parsed.values())
        return {name: Known(float(amount), text.origin) for name, amount in parsed.items()} if whole else {}
    except (ValueError, OverflowError, RecursionError):
        return {}


def _believed_tpu(shape: GroupShape, custom: _Numbers) -> dict[str, Fact[float]]:
    """TPUs, and the resource of a slice's head where the node selectors say which slice it is."""
    tpus = _first(_group_resource(shape, "TPU"), custom.get("TPU", ABSENT))
    if tpus == ABSENT:
        amounts = (shape.limits.get("google.com/tpu", ABSENT), shape.requests.get("google.com/tpu", ABSENT))
        tpus = _rounded_up(next((amount for amount in amounts if not _is_unset(amount)), ABSENT))
    if tpus == ABSENT:
        return {}
    head = _slice_head(shape.node_selector)
    origin = getattr(tpus, "origin", None)
    return {"TPU": tpus, **({head: _known_or_derived(origin)} if head else {})}


def _known_or_derived(origin: Origin | None) -> Fact[float]:
    return Known(1.0, origin) if origin is not None else derived(1.0, "one head for each slice of TPUs")


def _slice_head(node_selector: Mapping[str, str]) -> str | None:
    """`TPU-v4-16-head` for a slice of that many cores."""
    generation = _TPU_GENERATIONS.get(node_selector.get(_ACCELERATOR, ""))
    topology = node_selector.get(_TOPOLOGY, "")
    if generation is None or not re.fullmatch(r"\d{1,5}(x\d{1,5}){0,4}", topology):
        return None
    cores = generation[1]
    for dimension in topology.split("x"):
        cores *= int(dimension)
    return f"TPU-{generation[0]}-{cores}-head"


def _first(one: Fact[float], other: Fact[float]) -> Fact[float]:
    return other if one == ABSENT else one


def _is_unset(amount: Fact[Quantity]) -> bool:
    """Whether an amount is absent or zero, which KubeRay does not tell apart."""
    known = value_of(amount)
    return amount == ABSENT or (known is not None and known.nano == 0)


def _unset_as_absent(amount: Fact[Quantity]) -> Fact[Quantity]:
    return ABSENT if _is_unset(amount) else amount


def _rounded_up(amount: Fact[Quantity]) -> Fact[float]:
    """An amount as a whole number, rounded away from zero."""
    if not isinstance(amount, Known):
        return _nothing(amount)
    return Known(float(amount.value.bytes()), amount.origin)


def _exact(amount: Fact[Quantity]) -> Fact[float]:
    return Known(float(amount.value.value), amount.origin) if isinstance(amount, Known) else _nothing(amount)


def _bytes(amount: Fact[float]) -> Fact[int]:
    return Known(int(amount.value), amount.origin) if isinstance(amount, Known) else _nothing(amount)


def _nothing(fact: object) -> Unknown:
    return fact if isinstance(fact, Unknown) else _several("one value")


def _several(needs: str) -> Unknown:
    return Unknown(Why.UNRESOLVED, needs)
