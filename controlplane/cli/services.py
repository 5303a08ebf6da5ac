"""Which services a verb is about: named as NAMESPACE/NAME, or found in the cluster by their revisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.regex import regex

if TYPE_CHECKING:
    from controlplane.cli.target import Target

_SERVICE = regex(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[a-z0-9]([-a-z0-9]*[a-z0-9])?")


def services_of(target: Target, names: Sequence[str]) -> tuple[str, ...]:
    """The named services, or all that have a revision in the cluster.

    Raises `VerbEnd` on a name that is not NAMESPACE/NAME, and on one without any revision, with the nearest.
    """
    malformed = [name for name in names if not _SERVICE.fullmatch(name)]
    if malformed:
        raise VerbEnd(Exit.USAGE, f"{malformed[0]!r} is not NAMESPACE/NAME", "Write it as in llm/chat.")
    found = _found(target)
    for name in names:
        _require(name, found, target)
    return tuple(names) or found


def _found(target: Target) -> tuple[str, ...]:
    from controlplane.plan.revision import OUTCOME_LABEL, SERVICE_LABEL

    stored = target.cluster.list("apps/v1", "ControllerRevision", None, f"{SERVICE_LABEL},{OUTCOME_LABEL}")
    metadata = [each["metadata"] for each in stored]
    return tuple(sorted({f"{m['namespace']}/{m['labels'][SERVICE_LABEL]}" for m in metadata}))


def _require(name: str, found: tuple[str, ...], target: Target) -> None:
    from controlplane.source import nearest

    if name in found:
        return
    near = nearest(name, found)
    hint = f"Did you mean {near}?" if near else f"There are: {', '.join(found) or 'none'}."
    raise VerbEnd(Exit.NOTHING_TO_READ, f"{target.context} has no revision of {name}", hint)
