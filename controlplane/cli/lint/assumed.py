"""Versions that the user says to assume where the input names none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.regex import regex
from controlplane.source import nearest

_RELEASE = regex(r"v?(\d+\.\d+(?:\.\d+)?)\Z")


def assumed(written: Iterable[str], of_file: Mapping[str, str]) -> dict[str, str]:
    """`vllm=0.33.0,ray=2.60.0` of flags over what the settings file says, checked and without a leading `v`.

    Raises `VerbEnd` with 64 for a component that has no versions here, and for a version that is not known.
    """
    found = dict(of_file)
    for part in (part.strip() for text in written for part in text.split(",")):
        name, equals, version = (text.strip() for text in part.partition("="))
        if not equals:
            raise VerbEnd(
                Exit.USAGE, f"--assume takes COMPONENT=VERSION, not {part!r}", "Write --assume vllm=0.33.0."
            )
        found[name] = version
    return {name: _checked(name, version) for name, version in found.items()}


def _checked(name: str, version: str) -> str:
    if name not in _KNOWN:
        near = nearest(name, _KNOWN)
        meant = f"; did you mean {near!r}?" if near else ""
        raise VerbEnd(Exit.USAGE, f"no version of {name!r} can be assumed{meant}", f"There are {', '.join(_KNOWN)}.")
    release = _RELEASE.match(version)
    if release is None:
        raise VerbEnd(
            Exit.USAGE, f"{version!r} is no version of {name}", f"Write a release, such as {_EXAMPLE[name]}."
        )
    known = _KNOWN[name]()
    if known and not _has(release[1], known):
        near_versions = ", ".join(_nearest_versions(release[1], known))
        raise VerbEnd(
            Exit.USAGE, f"{name} {release[1]} is not among the known releases", f"The nearest: {near_versions}."
        )
    return release[1]


def _has(version: str, known: tuple[str, ...]) -> bool:
    """Whether the release, or another patch of the same minor release, is known."""
    return _number(version)[:2] in {_number(other)[:2] for other in known}


def _nearest_versions(version: str, known: tuple[str, ...]) -> list[str]:
    ordered = sorted(known, key=_number)
    below = [other for other in ordered if _number(other) < _number(version)]
    above = [other for other in ordered if _number(other) > _number(version)]
    return [*below[-1:], *above[:1]]


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def _vllm() -> tuple[str, ...]:
    from controlplane.stack.vllm_tables import versions

    return versions()


def _ray() -> tuple[str, ...]:
    from controlplane.stack.ray_tables import releases

    return releases()


def _any() -> tuple[str, ...]:
    return ()


_KNOWN: Mapping[str, Callable[[], tuple[str, ...]]] = {
    "vllm": _vllm,
    "ray": _ray,
    "kubernetes": _any,
    "kuberay": _any,
}
"""Component -> the releases that tables describe; empty where rules only compare numbers."""
_EXAMPLE = {"vllm": "0.33.0", "ray": "2.60.0", "kubernetes": "1.34", "kuberay": "1.6.2"}
