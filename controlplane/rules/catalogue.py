"""All rules there are, found by looking into the folders: adding a rule is adding its file."""

from __future__ import annotations

import inspect
import pkgutil
from functools import cache
from importlib import import_module

from controlplane.frozen import frozen
from controlplane.rules.rule import Rule

FAMILIES = ("kubernetes", "ray", "vllm", "cross")


@frozen
class CataloguedRule:
    """A rule with its id (`layer/slug`, permanent once released) and its title."""

    id: str
    title: str
    rule: Rule


@cache
def catalogue() -> tuple[CataloguedRule, ...]:
    """Every rule, in the order of the ids."""
    return tuple(sorted((_load(name) for name in _modules()), key=lambda entry: entry.id))


def rule_id(module: str) -> str:
    """`controlplane.rules.vllm.flag_removed` -> `vllm/flag-removed`."""
    family, slug = module.split(".")[-2:]
    return f"{family}/{slug.replace('_', '-')}"


def _modules() -> list[str]:
    found = []
    for family in FAMILIES:
        package = import_module(f"controlplane.rules.{family}")
        found += [
            f"{package.__name__}.{module.name}"
            for module in pkgutil.iter_modules(package.__path__)
            if not module.name.startswith("_")
        ]
    return found


def _load(name: str) -> CataloguedRule:
    module = import_module(name)
    title = inspect.cleandoc(module.__doc__ or "").partition("\n")[0]
    return CataloguedRule(rule_id(name), title, module.RULE)
