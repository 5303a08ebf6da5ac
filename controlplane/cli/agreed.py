"""What `apply` carries out: a plan made now from policies, or one that was saved and still holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.cli.compilation import compiled
from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.planning import fleet_context, observe_and_plan, plan_against
from controlplane.cli.requests import Agreement, request_for, services_to_roll_out
from controlplane.cli.target import Choice, Target, connect
from controlplane.emit.bundle import Bundle
from controlplane.frozen import frozen
from controlplane.plan.planfile import MAX_BYTES, PlanFileError, read_plan
from controlplane.plan.staleness import stale

if TYPE_CHECKING:
    from controlplane.plan.changes import ChangeSet
    from controlplane.plan.revision import RevisionHeader
    from controlplane.workflows.messages import RolloutRequest

_PLAN_START = b"{"


@frozen
class Agreed:
    """A plan and the cluster that it is about."""

    changes: ChangeSet
    target: Target

    def services(self) -> Mapping[str, str]:
        """The services that have something to do, in order of their names, and why."""
        from controlplane.adapters.kubernetes import RevisionStore

        return services_to_roll_out(self.changes, RevisionStore(self.target.cluster))

    def requests(self, services: Iterable[str], agreed: Agreement) -> list[RolloutRequest]:
        """Store a revision for each service, and the requests to roll them out."""
        from controlplane.adapters.kubernetes import RevisionStore

        store = RevisionStore(self.target.cluster)
        return [request_for(s, self.changes, self.target, agreed, store) for s in services]


def is_plan_file(path: Path) -> bool:
    """Whether the file is JSON, as a plan file is; policies are YAML mappings in block form."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(64).lstrip().startswith(_PLAN_START)


def from_policies(paths: tuple[str, ...], choice: Choice) -> Agreed:
    """Plan the policies against the cluster now."""
    result = compiled(paths)
    target = connect(choice, fleet_context(result.whole.policies))
    return Agreed(plan_against(target, result).changes, target)


def from_plan_file(path: Path, choice: Choice) -> Agreed:
    """A saved plan, when it is about this cluster and nothing that we own has changed since.

    Raises `VerbEnd` with code 4 when it does not hold any more, naming the field and its manager.
    """
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    try:
        saved = read_plan(data)
    except PlanFileError as error:
        raise VerbEnd(Exit.REFUSED, f"{path}: {error.message}", error.remedy) from error
    if saved.changes.offline:
        raise VerbEnd(
            Exit.REFUSED, f"{path} was planned without a cluster", "Plan against the cluster: plan -o FILE."
        )
    target = connect(choice, saved.changes.context or None)
    _require_same_cluster(saved.changes, target, path)
    _require_fresh(saved.changes, target, path)
    return Agreed(saved.changes, target)


def from_revision(target: Target, header: RevisionHeader) -> Agreed:
    """Plan a stored revision's manifests against the cluster now; it is rolled out as it was then."""
    from controlplane.adapters.kubernetes import RevisionStore

    revision = RevisionStore(target.cluster).load_digest(header.service, header.digest)
    changes = observe_and_plan(target, Bundle(revision.objects()), {})
    settings = {header.service: header.settings}
    return Agreed(replace(changes, settings=settings, context=target.context), target)


def _require_same_cluster(changes: ChangeSet, target: Target, path: Path) -> None:
    uid = target.cluster.uid()
    if uid != changes.cluster_uid:
        raise VerbEnd(
            Exit.REFUSED,
            f"{path} was planned against the cluster with uid {changes.cluster_uid}; {target.context} has uid {uid}",
            "Name the cluster that it was planned against, or plan again.",
        )


def _require_fresh(changes: ChangeSet, target: Target, path: Path) -> None:
    for change in changes.changes:
        if change.desired is None:
            continue
        found = stale(change.ref, change.precondition, change.desired.manifest, target.cluster.get(change.ref))
        if found is not None:
            raise VerbEnd(Exit.REFUSED, f"{path}: {found.message}")
