"""Histories of names over releases: in which stretches each was there, and what releases said of it, from when on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Facts = Mapping[str, object]
Names = Mapping[str, Facts]
"""What one release says, by name."""


def stretches(present: Sequence[bool], versions: Sequence[str]) -> list[list[str | None]]:
    """Pairs (first release with, first without or None) for one name; `present` goes with `versions`."""
    found: list[list[str | None]] = []
    for at, (here, version) in enumerate(zip(present, versions, strict=True)):
        before = at > 0 and present[at - 1]
        if here and not before:
            found.append([version, None])
        elif before and not here:
            found[-1][1] = version
    return found


def histories(releases: Mapping[str, Names]) -> dict[str, dict[str, object]]:
    """By name, sorted: `in`, its stretches, and `says`, pairs (release, facts) for each release that differs."""
    versions = list(releases)
    result: dict[str, dict[str, object]] = {}
    for name in sorted({name for found in releases.values() for name in found}):
        said = [(version, dict(releases[version][name])) for version in versions if name in releases[version]]
        says = [said[at] for at in range(len(said)) if at == 0 or said[at][1] != said[at - 1][1]]
        result[name] = {"in": stretches([name in releases[v] for v in versions], versions)}
        if any(facts for _, facts in says):
            result[name]["says"] = [[version, facts] for version, facts in says]
    return result
