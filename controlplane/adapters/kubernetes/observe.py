"""Look at objects through the API server: what is live, and what an apply of ours would make of it.

In: the manifests of a plan. Out: an `Observed` for each, in the same order; nothing is written. Live objects come
from listings where a plan has many of a kind in a namespace. The prediction is a server-side-apply dry run, first
without force; only where that conflicts is a forced one asked for as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from controlplane import FIELD_MANAGER
from controlplane.adapters.errors import Forbidden, NotFound
from controlplane.adapters.kubernetes.answers import (
    Answer,
    conflicts,
    failure,
    field_conflicts,
    names_missing_namespace,
    refusal,
)
from controlplane.adapters.kubernetes.discovery import Discovery, Resource
from controlplane.adapters.kubernetes.reading import get, is_secret, listed, ref_of
from controlplane.adapters.kubernetes.requests import Requests
from controlplane.emit.bundle import Manifest
from controlplane.plan.changes import Conflict, Observed, Refusal
from controlplane.stack.references import ObjectRef

WORKERS = 8
"""Requests under way at once; more gained nothing against a local API server on two cores."""
LIST_FROM = 8
"""Objects of one kind in one namespace from which one listing is cheaper than reading each."""

_LOOKS = 3
"""How often an object is looked at that changes between reading it and predicting."""
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class _Target:
    ref: ObjectRef
    manifest: Manifest
    resource: Resource


@dataclass(frozen=True, slots=True)
class _Prediction:
    predicted: Manifest | None
    conflicts: tuple[Conflict, ...] = ()
    refusal: Refusal | None = None
    stale: bool = False


def observe(requests: Requests, discovery: Discovery, manifests: Sequence[Manifest]) -> tuple[Observed, ...]:
    """Observe each manifest, in the given order.

    A kind that the cluster does not serve is a refusal of that object alone. Raises `AdapterError` when the cluster
    cannot be asked at all: unreachable, not let in, overloaded.
    """
    resolved = _resolve(discovery, manifests)
    targets = [each for each in resolved if isinstance(each, _Target)]
    live = _read_live(requests, discovery, targets)

    def look(each: _Target | Observed) -> Observed:
        return each if isinstance(each, Observed) else _look(requests, discovery, each, live.get(each.ref))

    return tuple(concurrently(look, resolved))


def _resolve(discovery: Discovery, manifests: Sequence[Manifest]) -> list[_Target | Observed]:
    resources: dict[tuple[str, str], Resource | NotFound] = {}
    resolved: list[_Target | Observed] = []
    for manifest in manifests:
        ref = ref_of(manifest)
        kind = (ref.api_version, ref.kind)
        if kind not in resources:
            resources[kind] = _resource(discovery, *kind)
        resource = resources[kind]
        if isinstance(resource, NotFound):
            text = f"{resource.message}. {resource.remedy}"
            resolved.append(Observed(ref, None, None, refusal=Refusal(404, "KindNotServed", text)))
        else:
            resolved.append(_Target(ref, manifest, resource))
    return resolved


def _resource(discovery: Discovery, api_version: str, kind: str) -> Resource | NotFound:
    try:
        return discovery.resource(api_version, kind)
    except NotFound as error:
        return error


def _read_live(
    requests: Requests, discovery: Discovery, targets: Sequence[_Target]
) -> dict[ObjectRef, Manifest | None]:
    groups: dict[tuple[Resource, str], list[ObjectRef]] = defaultdict(list)
    for target in targets:
        groups[target.resource, target.ref.namespace].append(target.ref)
    reads: list[Callable[[], dict[ObjectRef, Manifest | None]]] = []
    for (resource, namespace), refs in groups.items():
        if len(refs) >= LIST_FROM:
            reads.append(lambda r=resource, n=namespace, w=refs: _list_live(requests, discovery, r, n, w))  # type: ignore[misc]
        else:
            reads.extend(lambda ref=ref: {ref: get(requests, discovery, ref)} for ref in refs)  # type: ignore[misc]
    live: dict[ObjectRef, Manifest | None] = {}
    for found in concurrently(lambda read: read(), reads):
        live.update(found)
    return live


def _list_live(
    requests: Requests, discovery: Discovery, resource: Resource, namespace: str, wanted: Iterable[ObjectRef]
) -> dict[ObjectRef, Manifest | None]:
    """The wanted objects out of a listing, which is left as soon as it is past the last of them."""
    by_name = {ref.name: ref for ref in wanted}
    last = max(by_name)
    live: dict[ObjectRef, Manifest | None] = {}
    try:
        for item in listed(requests, resource, namespace):
            name = item["metadata"]["name"]
            if name in by_name:
                live[by_name[name]] = item
            if name >= last:
                break
    except Forbidden:
        # A role may allow to get named objects and not to list all of them.
        return {ref: get(requests, discovery, ref) for ref in by_name.values()}
    return live


def _look(requests: Requests, discovery: Discovery, target: _Target, live: Manifest | None) -> Observed:
    for _ in range(_LOOKS - 1):
        prediction = _predict(requests, target)
        if not prediction.stale and _of_one_version(live, prediction):
            break
        live = get(requests, discovery, target.ref)
    else:
        prediction = _predict(requests, target)
    return Observed(target.ref, live, prediction.predicted, prediction.conflicts, prediction.refusal)


def _of_one_version(live: Manifest | None, prediction: _Prediction) -> bool:
    """Whether both saw the same object: a dry run answers with the version it started from, none when it creates."""
    if prediction.predicted is None:
        return True
    before = live["metadata"]["resourceVersion"] if live else None
    return bool(prediction.predicted["metadata"].get("resourceVersion") == before)


def _predict(requests: Requests, target: _Target) -> _Prediction:
    answer = _dry_run(requests, target, force=False)
    owned_elsewhere = conflicts(answer) if field_conflicts(answer) else ()
    if owned_elsewhere:
        answer = _dry_run(requests, target, force=True)
    if answer.ok:
        return _Prediction(answer.value(), owned_elsewhere)
    if names_missing_namespace(answer):
        return _Prediction(None)
    if answer.status == 409:
        return _Prediction(None, owned_elsewhere, refusal(answer), stale=True)
    if _concerns_only_this_object(answer):
        return _Prediction(None, owned_elsewhere, refusal(answer))
    raise failure(answer)


def _concerns_only_this_object(answer: Answer) -> bool:
    """Admission refuses with any 4xx; a webhook that fails is a 500 for the objects it looks at."""
    return answer.status == 500 or (400 <= answer.status < 500 and answer.status not in {401, 429})


def _dry_run(requests: Requests, target: _Target, *, force: bool) -> Answer:
    return requests.dry_run(
        target.resource.path(target.ref.namespace, target.ref.name),
        f"dry run of {target.ref}",
        query=apply_query(force=force, dry_run=True),
        body=target.manifest,
        secret=is_secret(target.ref.kind),
    )


def apply_query(*, force: bool, dry_run: bool = False) -> dict[str, str]:
    """The parameters of a server-side apply of ours; a field that the schema does not know is refused."""
    query = {"fieldManager": FIELD_MANAGER, "fieldValidation": "Strict", "force": "true" if force else "false"}
    return {**query, "dryRun": "All"} if dry_run else query


def concurrently(work: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
    """Do the work for all items at once; the first failure, in the order of items, is raised."""
    if len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(WORKERS, len(items)), thread_name_prefix="observe") as pool:
        return list(pool.map(work, items))
