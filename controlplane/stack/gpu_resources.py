"""Which extended resources are GPUs, and how many a container asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controlplane.regex import regex
from controlplane.source import Quantity
from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why
from controlplane.stack.pods import Container

_WHOLE = regex(r"(nvidia|amd)\.com/gpu|gpu\.intel\.com/(i915|xe)|habana\.ai/gaudi\d*\Z")
_SHARED = regex(r"nvidia\.com/gpu\.shared\Z")
_MIG = regex(r"nvidia\.com/mig-(?P<profile>\d+g\.\d+gb(\.me)?(\+[a-z.]+)?)\Z")


def is_whole_gpu(resource: str) -> bool:
    """Whether a resource counts whole devices (or time slices that a plug-in offers under the same name)."""
    return bool(_WHOLE.fullmatch(resource))


def is_shared_gpu(resource: str) -> bool:
    """Whether a resource counts time slices (`nvidia.com/gpu.shared`, device plug-in with `renameByDefault`)."""
    return bool(_SHARED.match(resource))


def mig_profile(resource: str) -> str | None:
    """`1g.10gb` of `nvidia.com/mig-1g.10gb`, None for other resources."""
    match = _MIG.match(resource)
    return match["profile"] if match else None


def is_gpu(resource: str) -> bool:
    """Whether a resource counts GPUs, slices or shares of them."""
    return is_whole_gpu(resource) or is_shared_gpu(resource) or mig_profile(resource) is not None


def gpu_limits(container: Container) -> Mapping[str, Fact[Quantity]]:
    """The GPU resources that a container limits, by name; requests stand in where only they are written."""
    amounts = {**container.requests, **container.limits}
    return {name: amount for name, amount in amounts.items() if is_gpu(name)}


def gpus_of(containers: Iterable[Container]) -> Fact[int]:
    """GPUs (or slices) of some containers together, at the place of the first. ABSENT where none asks for any.

    Unknown where one asks for a part of a GPU: the API server refuses it, so nobody can tell what is meant.
    """
    total, origin = 0, None
    for container in containers:
        for amount in gpu_limits(container).values():
            if not isinstance(amount, Known):
                return amount if isinstance(amount, Unknown) else ABSENT
            if amount.value.value != int(amount.value.value):
                return Unknown(Why.UNRESOLVED, "a whole number of GPUs")
            total += int(amount.value.value)
            origin = origin or amount.origin
    return Known(total, origin) if origin is not None else ABSENT
