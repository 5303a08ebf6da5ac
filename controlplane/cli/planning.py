"""Policies and a cluster to a plan. Shared by `plan`, `apply` and `status`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.frozen import frozen
from controlplane.plan.plan import plan as make_plan
from controlplane.plan.plan import ref_of
from controlplane.stack.references import ObjectRef

if TYPE_CHECKING:
    from controlplane.cli.compilation import Compiled
    from controlplane.cli.target import Target
    from controlplane.emit.bundle import Bundle, EmittedObject, Manifest
    from controlplane.plan.changes import ChangeSet
    from controlplane.policy.policy_set import PolicySet
    from controlplane.stack.model import Stack

SERVICE_LABEL = "controlplane.dev/service"


@frozen
class Planned:
    """A plan with the bundle it is about."""

    bundle: Bundle
    changes: ChangeSet


def fleet_context(policies: PolicySet) -> str | None:
    """The kubeconfig context that the services' Fleets name; None where they name none.

    Raises `VerbEnd` when the services stand on Fleets of different contexts: a plan is about one cluster.
    """
    names = {service.policy.spec.spec.fleet for service in policies.services}
    contexts = {fleet.spec.context for name, fleet in policies.fleets.items() if name in names}
    if len(contexts) > 1:
        listed = ", ".join(sorted(str(c) for c in contexts))
        raise VerbEnd(
            Exit.USAGE,
            f"the services stand on {len(contexts)} clusters: {listed}",
            "Plan one cluster's services at a time.",
        )
    return next(iter(contexts), None)


def plan_against(target: Target, compiled: Compiled) -> Planned:
    """Ask the API server what would become of every object, and compare."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        missing = pool.submit(missing_claims, target, compiled.stack)
        others = pool.submit(other_services, target, compiled.bundle.services())
        changes = observe_and_plan(target, compiled.bundle, compiled.whole.digests())
        notes = (*changes.notes, *missing.result(), *others.result())
    settings = {service: asdict(each) for service, each in compiled.whole.resolution.settings.items()}
    return Planned(compiled.bundle, replace(changes, notes=notes, settings=settings, context=target.context))


def other_services(target: Target, services: Sequence[str]) -> tuple[str, ...]:
    """A sentence naming what was rolled out in these namespaces before and is not among these policies."""
    from controlplane.adapters.kubernetes import RevisionStore

    store = RevisionStore(target.cluster)
    namespaces = sorted({service.partition("/")[0] for service in services})
    found = sorted({s for namespace in namespaces for s in store.good_in(namespace)} - set(services))
    if not found:
        return ()
    verb = "is" if len(found) == 1 else "are"
    return (f"{', '.join(found)} {verb} not in these policies, and left as before: running, and watched for drift.",)


def missing_claims(target: Target, stack: Stack) -> tuple[str, ...]:
    """A sentence for each claim that a workload mounts and that does not exist: its pods would wait for it."""
    wanted = {
        (_claim_ref(w.ref.namespace, c), w.ref) for w in stack.workloads for p in w.pod_sets for c in p.claims()
    }
    namespaces = {claim.namespace for claim, _ in wanted}
    present = {ref_of(m) for ns in namespaces for m in target.cluster.list("v1", "PersistentVolumeClaim", ns)}
    return tuple(
        f"{user} mounts {claim}, which does not exist: its pods will not be scheduled."
        for claim, user in sorted(wanted)
        if claim not in present
    )


def _claim_ref(namespace: str, name: str) -> ObjectRef:
    return ObjectRef("v1", "PersistentVolumeClaim", namespace, name)


def observe_and_plan(target: Target, bundle: Bundle, digests: Mapping[str, str]) -> ChangeSet:
    """The plan of a bundle against a live cluster."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        orphans = pool.submit(_orphans, target, bundle.objects)
        uid = pool.submit(target.cluster.uid)
        observations = target.cluster.observe([o.manifest for o in bundle.objects])
        return make_plan(
            bundle,
            observations,
            orphans=orphans.result(),
            cluster_uid=uid.result(),
            source_digests=digests,
        )


def _orphans(target: Target, objects: Sequence[EmittedObject]) -> tuple[Manifest, ...]:
    """Live objects with our labels, of the kinds and namespaces that these services use."""
    places = sorted({(o.ref.api_version, o.ref.kind, o.ref.namespace) for o in objects if o.ref.namespace})
    names = sorted({o.service.partition("/")[2] for o in objects if o.service})
    selector = f"{SERVICE_LABEL} in ({','.join(names)})"
    return tuple(m for v, k, ns in places for m in target.cluster.list(v, k, ns, selector)) if names else ()
