"""All rules there are, found by looking into the folders: adding a rule is adding its file.

A rule's id is the name of its file, so that rules can be told apart and chosen without importing them; a run imports
the files of the families that the input concerns.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from controlplane.rules.rule import Rule
    from controlplane.stack.model import Stack

FAMILIES = ("kubernetes", "ray", "vllm", "cross")


class CataloguedRule:
    """A rule with its id (`layer/slug`, permanent once released). The rest is read from its file when asked for.

    `concerns` tells whether any rule of the family can find something in a Stack; a preview runs only on request.
    """

    def __init__(self, id_: str, module: str, concerns: Callable[[Stack], bool], *, is_preview: bool) -> None:
        self.id = id_
        self.concerns = concerns
        self.is_preview = is_preview
        self._name = module

    @cached_property
    def _module(self) -> ModuleType:
        return import_module(self._name)

    @property
    def title(self) -> str:
        """The first line of the module's docstring."""
        return (self._module.__doc__ or "").strip().partition("\n")[0]

    @cached_property
    def rule(self) -> Rule:
        """What the file declares."""
        rule: Rule = self._module.RULE
        return rule


@cache
def catalogue() -> tuple[CataloguedRule, ...]:
    """Every rule, in the order of the ids."""
    return tuple(sorted((rule for family in FAMILIES for rule in _of_family(family)), key=lambda entry: entry.id))


def rule_id(module: str) -> str:
    """`controlplane.rules.vllm.flag_removed` -> `vllm/flag-removed`."""
    family, slug = module.split(".")[-2:]
    return f"{family}/{slug.replace('_', '-')}"


def _of_family(family: str) -> list[CataloguedRule]:
    package = import_module(f"controlplane.rules.{family}")
    found = [module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_")]
    return [_entry(package, name) for name in found]


def _entry(package: ModuleType, name: str) -> CataloguedRule:
    module = f"{package.__name__}.{name}"
    id_ = rule_id(module)
    return CataloguedRule(id_, module, package.concerns, is_preview=id_ in package.PREVIEWS)
