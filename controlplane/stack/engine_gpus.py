"""Which GPU an engine's pods run on, where the input tells it for certain."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.stack.facts import ABSENT, Derived, Fact, Known, OneOf, Origin, Unknown, Why, value_of
from controlplane.stack.gpu_catalogue import Gpu, gpu, gpu_of_label
from controlplane.stack.gpu_resources import gpu_limits, is_whole_gpu
from controlplane.stack.inventory import Inventory
from controlplane.stack.model import Stack
from controlplane.stack.pods import Constraints, Container, PodSet
from controlplane.stack.scheduling import admits

_UNKNOWN = Unknown(Why.UNRESOLVED, "a node selector that names the GPU, or all nodes of the cluster")


def gpu_of_accelerator_type(accelerator_type: Fact[str]) -> Fact[Gpu]:
    """The GPU of an LLMConfig's `accelerator_type`; ABSENT where it names none."""
    if isinstance(accelerator_type, Known):
        found = gpu(accelerator_type.value)
        return Known(found, accelerator_type.origin) if found else _UNKNOWN
    return ABSENT if accelerator_type == ABSENT else _UNKNOWN


def gpu_of_pods(pods: PodSet, container: Container, stack: Stack) -> Fact[Gpu]:
    """The GPU of a pod's nodes: by what its node selector and required affinity name, else by the pools it fits."""
    named = list(_named(pods.constraints))
    products = {found.name for found, _ in named}
    if len(products) == 1:
        return Known(*named[0])
    if named:
        return _UNKNOWN
    return _of_pools(pods.constraints, container, stack) if "Node" in stack.context.complete else _UNKNOWN


def has_whole_gpus(container: Container) -> bool:
    """Whether a container's GPUs are whole: neither MIG slices nor shares of time. False where it asks for none."""
    resources = gpu_limits(container)
    return bool(resources) and all(is_whole_gpu(resource) for resource in resources)


def _named(constraints: Constraints) -> Iterator[tuple[Gpu, Origin]]:
    """The GPUs that labels name, each with its place. A requirement counts where all its values are one GPU."""
    selector, requirements = constraints.node_selector, constraints.node_requirements
    if isinstance(selector, Known):
        for key, value in selector.value.items():
            found = gpu_of_label(key, value)
            if found is not None:
                yield found, constraints.node_selector_origins.get(key, selector.origin)
    if isinstance(requirements, Known):
        for requirement in requirements.value:
            values = [gpu_of_label(requirement.key, value) for value in requirement.values]
            if requirement.operator == "In" and len(set(values)) == 1 and values[0] is not None:
                yield values[0], requirements.origin


def _of_pools(constraints: Constraints, container: Container, stack: Stack) -> Fact[Gpu]:
    if not _labels_are_certain(constraints, stack.inventory):
        return _UNKNOWN
    found = [gpu(product) for product in _products(constraints, container, stack.inventory)]
    known = tuple(dict.fromkeys(one for one in found if one is not None))
    if not known or None in found:
        return _UNKNOWN
    origin = Derived(f"the nodes that the pod may run on have {' or '.join(one.name for one in known)}")
    return Known(known[0], origin) if len(known) == 1 else OneOf(known, origin)


def _labels_are_certain(constraints: Constraints, inventory: Inventory) -> bool:
    """Whether the pod's constraints were read whole, and ask for no label in which nodes of one pool differ."""
    wanted = (constraints.node_selector, constraints.node_requirements, constraints.tolerations)
    if any(fact != ABSENT and not isinstance(fact, Known) for fact in wanted):
        return False
    asked = set((value_of(constraints.node_selector) or {}).keys())
    asked |= {requirement.key for requirement in value_of(constraints.node_requirements) or ()}
    return all(asked.isdisjoint(pool.varying_labels or ()) for pool in inventory.pools)


def _products(constraints: Constraints, container: Container, inventory: Inventory) -> list[str]:
    """The products of the pools that admit the pod and offer a resource that the container asks for."""
    asked = gpu_limits(container).keys()
    pools = (pool for pool in inventory.pools if admits(constraints, pool))
    return sorted(
        {pool.accelerator.product for pool in pools if pool.accelerator and pool.accelerator.resource in asked}
    )
