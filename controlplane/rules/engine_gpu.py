"""Which GPU an engine runs on, as far as labels, node pools or an LLMConfig tell."""

from __future__ import annotations

from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.facts import Known, OneOf, Origin
from controlplane.stack.gpu_catalogue import Gpu, gpu_of_label
from controlplane.stack.gpu_resources import gpu_limits, mig_profile
from controlplane.stack.pods import Constraints

_PROFILE_SIZE = regex(r"\d+g\.(?P<gb>\d+)gb")


@frozen
class EngineGpus:
    """The products that the engine may run on: one, or several that a node affinity allows. Never empty."""

    gpus: tuple[Gpu, ...]
    origin: Origin | None

    @property
    def name(self) -> str:
        """For messages: `T4`, or `T4 or V100`."""
        return " or ".join(found.name for found in self.gpus)

    def all_below(self, capability: tuple[int, int]) -> bool:
        """Whether each of them is certainly of an older generation than a compute capability."""
        return all(g.compute_capability is not None and g.compute_capability < capability for g in self.gpus)

    def capabilities(self) -> str:
        """For messages: `7.5`, or `7.0 or 7.5`."""
        found = sorted({g.compute_capability for g in self.gpus if g.compute_capability is not None})
        return " or ".join(f"{major}.{minor}" for major, minor in found)


def gpus_of_engine(engine: DeployedEngine) -> EngineGpus | None:
    """The GPU that an engine is sent to; None where nothing tells, or what tells is not in the catalogue."""
    found = engine.gpu
    if isinstance(found, Known):
        return EngineGpus((found.value,), found.origin)
    if isinstance(found, OneOf):
        return EngineGpus(found.values, found.origin)
    return _by_affinity(engine.pods.constraints) if engine.pods is not None else None


def slice_bytes(engine: DeployedEngine) -> int | None:
    """The most that the MIG slice of an engine's container can hold; None where it has no slice, or of several sorts.

    A profile's name rounds to whole GB of 2^30 bytes (`3g.40gb` of an A100 shows 39.5 GiB).
    """
    profiles = [mig_profile(name) for name in gpu_limits(engine.container)] if engine.container is not None else []
    size = _PROFILE_SIZE.match(profiles[0] or "") if len(profiles) == 1 else None
    return int(size["gb"]) * 2**30 if size else None


def most_bytes(engine: DeployedEngine) -> int | None:
    """The memory of a GPU of the engine: of its slice, or of the largest GPU that it may run on; None if unknown."""
    slices, found = slice_bytes(engine), gpus_of_engine(engine)
    ranges = [gpu.memory_range for gpu in found.gpus] if found is not None else []
    known = [memory[1] for memory in ranges if memory is not None]
    largest = max(known) if known and len(known) == len(ranges) else None
    return largest if slices is None else slices


def _by_affinity(constraints: Constraints) -> EngineGpus | None:
    """The products that one requirement allows; all of its values have to be known."""
    fact = constraints.node_requirements
    for requirement in fact.value if isinstance(fact, Known) else ():
        if requirement.operator == "In" and requirement.values:
            found = [gpu_of_label(requirement.key, value) for value in requirement.values]
            known = tuple(dict.fromkeys(g for g in found if g is not None))
            if known and all(found) and isinstance(fact, Known):
                return EngineGpus(known, fact.origin)
    return None
