"""What the tables of all releases say together: since when an argument exists, and which are gone."""

from __future__ import annotations

from collections.abc import Mapping

from tools.schemas.vllm_replacements import BEFORE_THE_TABLES, REPLACEMENTS

Tables = Mapping[str, Mapping[str, Mapping[str, object]]]
"""Arguments by name by release, oldest release first."""


def since(tables: Tables) -> dict[str, str]:
    """The first release with a table that has the argument, by name. The oldest table stands for all before it."""
    first: dict[str, str] = {}
    for version, arguments in tables.items():
        for name in arguments:
            first.setdefault(name, version)
    return dict(sorted(first.items()))


def removals(tables: Tables) -> dict[str, dict[str, object]]:
    """Arguments of some release that the newest lacks: last release with it, first without, what to use instead."""
    versions = list(tables)
    gone: dict[str, dict[str, object]] = dict(BEFORE_THE_TABLES)
    for name in since(tables).keys() - tables[versions[-1]].keys():
        last = max(at for at, version in enumerate(versions) if name in tables[version])
        flags = tables[versions[last]][name]["flags"]
        entry: dict[str, object] = {"flags": flags, "last_in": versions[last], "gone_in": versions[last + 1]}
        gone[name] = entry | REPLACEMENTS.get(name, {})
    return gone
