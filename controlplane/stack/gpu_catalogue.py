"""GPUs by the names that manifests call them, from `schemas/catalogue/gpus.json`.

Product labels of GPU feature discovery, accelerator types of Ray, label values of clouds, instance types, and the
names that a Fleet uses. Case does not matter. A name that stands for several products (`A100`) has what they share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.stack.schema_files import read_schema

_SLICE = regex(r"-MIG-(?P<profile>\d+g\.\d+gb(?:\.[a-z.]+)?)\Z", re.IGNORECASE)
_SHARED: Final = "-shared"
_INSTANCE_LABELS: Final = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")


@frozen
class MigProfile:
    """A size of slice: `memory_gb` as its name says, in GB; `most` instances fit on one GPU."""

    name: str
    memory_gb: int
    most: int


@frozen
class Gpu:
    """A product. `name` is the catalogue's.

    `memory_range` is the memory of one GPU in bytes as the driver reports it: least and most of what the name can
    mean, None where it is not known. CUDA sees up to one percent less. `compute_capability` is NVIDIA's (major,
    minor), None for other vendors. `mig_profiles` is None where it is not known, empty where there are none. `bf16`,
    `fp8`, `fp4`: whether its matrix units compute in that format (fp8 from 8.9, fp4 from 10.0).
    """

    name: str
    vendor: str
    memory_range: tuple[int, int] | None
    compute_capability: tuple[int, int] | None
    mig_profiles: tuple[MigProfile, ...] | None
    bf16: bool
    fp8: bool
    fp4: bool

    @property
    def memory_bytes(self) -> int | None:
        """Memory of one GPU where the name tells it for certain."""
        return self.memory_range[0] if self.memory_range and self.memory_range[0] == self.memory_range[1] else None

    def mig_profile(self, name: str) -> MigProfile | None:
        """The profile of that name (`1g.10gb`, as in `nvidia.com/mig-1g.10gb`), or None."""
        return next((p for p in self.mig_profiles or () if p.name == name.replace(".me", "+me")), None)


@frozen
class Instance:
    """A cloud's machine type: its GPU, and how many of them it has."""

    gpu: Gpu
    count: int


def gpu(name: str) -> Gpu | None:
    """The GPU of a product label, accelerator type, cloud label value or catalogue name; None where it is unknown.

    A product that is shared in time (`Tesla-T4-SHARED`) or sliced (`...-MIG-1g.10gb`) is the product itself.
    """
    return _by_name().get(_SLICE.sub("", name.casefold().removesuffix(_SHARED)))


def mig_slice(product: str) -> str | None:
    """The MIG profile in a product label of a node that has only slices of one size, or None."""
    found = _SLICE.search(product)
    return found["profile"] if found else None


def instance(machine_type: str) -> Instance | None:
    """The GPUs of a cloud's machine type (`g6.12xlarge`, `a3-highgpu-8g`), or None where it is unknown."""
    found = _content()["instances"].get(machine_type)
    product = gpu(found[0]) if found else None
    return Instance(product, int(found[1])) if product else None


def gpu_of_label(key: str, value: str) -> Gpu | None:
    """The GPU that a node label names, or None where the label says nothing about GPUs or its value is unknown."""
    if key in _INSTANCE_LABELS:
        found = instance(value)
        return found.gpu if found else None
    return gpu(value) if key in _content()["labels"] else None


def gpus() -> tuple[Gpu, ...]:
    """Every entry of the catalogue."""
    return tuple(dict.fromkeys(_by_name().values()))


@cache
def _by_name() -> Mapping[str, Gpu]:
    return {name.casefold(): found for entry in _content()["gpus"] for name, found in _named(entry)}


def _named(entry: Mapping[str, Any]) -> Iterator[tuple[str, Gpu]]:
    memory, capability = entry.get("memory_mib"), entry.get("compute_capability")
    found = Gpu(
        name=entry["name"],
        vendor=entry.get("vendor", "nvidia"),
        memory_range=(memory[0] * 2**20, memory[1] * 2**20) if memory else None,
        compute_capability=(capability[0], capability[1]) if capability else None,
        mig_profiles=tuple(_profile(*p) for p in entry["mig"].items()) if "mig" in entry else None,
        bf16=entry["bf16"],
        fp8=entry["fp8"],
        fp4=entry["fp4"],
    )
    yield from ((name, found) for name in (entry["name"], *entry["names"]))


def _profile(name: str, most: int) -> MigProfile:
    return MigProfile(name, int(name.partition(".")[2].partition("gb")[0]), most)


def _content() -> dict[str, Any]:
    return read_schema("catalogue", "gpus.json")
