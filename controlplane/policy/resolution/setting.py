"""What every derivation sees: one service, its fleet and its pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from controlplane.diagnostics import Diagnostic, Evidence
from controlplane.policy.findings import finding
from controlplane.policy.fleet import FleetSpec, Pool, PoolAccelerator
from controlplane.policy.model_service import ModelServiceSpec
from controlplane.policy.policy_set import Policy, Service
from controlplane.source import nearest
from controlplane.stack.facts import ABSENT, Declared, Fact, Known, Unknown


@dataclass(frozen=True, slots=True)
class Setting:
    """One service on the pool it is bound to; `pool_index` counts in the Fleet.

    `certain` is false where fleet or pool is a stand-in, because the one that the service names is not there: then
    only what does not depend on the machines is judged.
    """

    service: Service
    fleet: Policy[FleetSpec]
    pool_index: int
    certain: bool = True

    @property
    def spec(self) -> ModelServiceSpec:
        """What the ModelService says."""
        return self.service.policy.spec.spec

    @property
    def pool(self) -> Pool:
        """The pool that the pods run in."""
        return self.fleet.spec.pools[self.pool_index]

    @property
    def accelerator(self) -> PoolAccelerator:
        """The pool's GPUs. A setting is made only for pools that have some."""
        found = self.pool.accelerator
        if found is None:
            raise ValueError(f"pool {self.pool.name} has no accelerator")
        return found

    def pool_fact(self, value: Any, *path: str | int) -> Fact[Any]:
        """A value of the pool as the Fleet declares it."""
        return self.fleet.fact(value, "spec", "pools", self.pool_index, *path)

    @property
    def most_nodes(self) -> Fact[int]:
        """How many nodes the pool may have, from wherever it is written."""
        count, path = self.pool.nodes.max, ("spec", "pools", self.pool_index, "nodes")
        written = (*path, "max") in self.fleet.document.places
        return self.fleet.fact(count, *path, "max") if written else self.fleet.fact(count, *path)

    def declared(self, *path: str | int) -> Declared:
        """A place in the ModelService."""
        return self.service.policy.declared(*path)


def sure(*facts: Fact[Any]) -> bool:
    """Whether the facts are known or simply not set: nobody refused a value among them."""
    return not any(isinstance(fact, Unknown) and fact != ABSENT for fact in facts)


def evidence(name: str, fact: Fact[Any], unit: str = "") -> Evidence:
    """A fact as the evidence of a finding."""
    if isinstance(fact, Known):
        value = fact.value
        plain = value if isinstance(value, str | int | float | bool) or value is None else str(value)
        return Evidence(name, plain, str(fact.origin), unit)
    return Evidence(name, None, "not set", unit)


def setting_of(
    service: Service, fleet: Policy[FleetSpec], certain: bool = True
) -> tuple[Setting | None, list[Diagnostic]]:
    """Bind a service to its pool: the one it names, or the fleet's only one with GPUs.

    `certain` is false for a fleet that stands in for one that is not there.
    """
    with_gpus = [index for index, pool in enumerate(fleet.spec.pools) if pool.accelerator is not None]
    stand_in = Setting(service, fleet, with_gpus[0], certain=False) if with_gpus else None
    if not certain:
        return stand_in, []
    wish = service.machine.fact(service.machine.value.pool, "pool")
    if not sure(wish) or ("spec", "pools") in fleet.unsure:
        return stand_in, []
    if any(path[:2] == ("spec", "pools") and path[3:4] == ("accelerator",) for path in fleet.unsure):
        return (_named_pool(service, fleet, wish, stand_in)[0] if isinstance(wish, Known) else stand_in), []
    if isinstance(wish, Known):
        return _named_pool(service, fleet, wish, stand_in)
    if len(with_gpus) != 1:
        return stand_in, [_no_choice(service, fleet, len(with_gpus))]
    return Setting(service, fleet, with_gpus[0]), []


def _named_pool(
    service: Service, fleet: Policy[FleetSpec], wish: Known[str], stand_in: Setting | None
) -> tuple[Setting | None, list[Diagnostic]]:
    names = [pool.name for pool in fleet.spec.pools]
    if wish.value not in names:
        return stand_in, [_unknown_pool(service, fleet, wish, names)]
    index = names.index(wish.value)
    if fleet.spec.pools[index].accelerator is None:
        return stand_in, [_no_gpus(service, fleet, wish)]
    return Setting(service, fleet, index), []


def _unknown_pool(service: Service, fleet: Policy[FleetSpec], pool: Known[str], names: list[str]) -> Diagnostic:
    near = nearest(pool.value, names)
    where = service.machine.declared("pool")
    return finding(
        "policy/unknown-reference",
        f"machine.pool: Fleet `{fleet.name}` has no pool `{pool.value}`; it has {', '.join(names)}",
        where.span,
        where.path,
        f"Write `{near}`." if near else f"Write one of {', '.join(names)}.",
    )


def _no_gpus(service: Service, fleet: Policy[FleetSpec], pool: Known[str]) -> Diagnostic:
    where = service.machine.declared("pool")
    with_gpus = [p.name for p in fleet.spec.pools if p.accelerator is not None]
    remedy = f"Write one of {', '.join(with_gpus)}." if with_gpus else "Add a pool with an accelerator to the Fleet."
    return finding(
        "policy/pool-without-gpus",
        f"pool `{pool.value}` of Fleet `{fleet.name}` offers 0 GPUs; the engine needs at least 1",
        where.span,
        where.path,
        remedy,
    )


def _no_choice(service: Service, fleet: Policy[FleetSpec], count: int) -> Diagnostic:
    where = service.machine.whole
    names = [p.name for p in fleet.spec.pools if p.accelerator is not None]
    remedy = f"Set `machine.pool` to one of {', '.join(names)}." if names else "Add a pool with GPUs to the Fleet."
    return finding(
        "policy/missing-key",
        f"`machine.pool` is not set, and Fleet `{fleet.name}` has {count} pools with GPUs to choose from",
        where.span,
        where.path,
        remedy,
    )
