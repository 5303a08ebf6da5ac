"""The revisions of services, kept in the cluster as ControllerRevisions beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from controlplane.adapters.errors import NotFound, Refused
from controlplane.adapters.kubernetes.answers import AlreadyExists
from controlplane.adapters.kubernetes.cluster import Cluster
from controlplane.adapters.kubernetes.reading import ref_of
from controlplane.emit.bundle import Manifest
from controlplane.plan.revision import (
    OUTCOME_LABEL,
    OUTCOME_TIME,
    SERVICE_LABEL,
    SETTINGS,
    SETTINGS_ASKED,
    GoodRevision,
    Outcome,
    Revision,
    RevisionDamaged,
    RevisionHeader,
    RevisionTooLarge,
    decode,
    decode_header,
    digest_of,
    encode,
    encode_settings,
    good_revision,
    newest_good,
    revision_ref,
    superfluous,
)
from controlplane.stack.references import ObjectRef

_SERVICE = re.compile(r"[^/]+/[^/]+")


class RevisionStore:
    """Reads and writes revisions. One writer a service is assumed: its entity workflow is the lock."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def store(
        self,
        service: str,
        manifests: Sequence[Manifest],
        *,
        plan_digest: str,
        author: str,
        reason: str,
        created_at: str,
        settings: Mapping[str, Any] | None = None,
    ) -> Revision:
        """Store manifests as the service's next revision; the same content again is the revision it was.

        A namespace that is part of the manifests and does not exist yet is applied first, since the revision lies in
        it. Raises `Refused` when they are too large or the cluster takes no such object, `NotFound` for a namespace
        that nobody makes.
        """
        known = self.headers(service)
        draft = RevisionHeader(
            service=service,
            number=max((each.number for each in known), default=0) + 1,
            digest=digest_of(manifests),
            plan_digest=plan_digest,
            author=author,
            reason=reason,
            created_at=created_at,
            previous=max((each.number for each in known), default=None),
            settings=settings or {},
        )
        same = next((each for each in known if each.digest == draft.digest), None)
        if same is not None:
            return self._with_settings(self.load_digest(service, same.digest), settings)
        revision = Revision(draft, tuple(manifests))
        self._ensure_namespace(revision)
        try:
            return decode(self._cluster.create(self._encoded(revision)))
        except AlreadyExists:
            return self.load_digest(service, draft.digest)

    def load(self, service: str, number: int) -> Revision:
        """A revision by its number. Raises `NotFound`, with the numbers there are."""
        return self.load_digest(service, self._header(service, number).digest)

    def load_digest(self, service: str, digest: str) -> Revision:
        """A revision by the digest of its manifests. Raises `NotFound`; `Refused` when it is damaged."""
        stored = self._cluster.get(revision_ref(service, digest))
        if stored is None:
            raise NotFound(
                f"{service} has no revision with the digest {digest[:12]}", remedy="Plan and apply the policy again."
            )
        try:
            return decode(stored)
        except RevisionDamaged as error:
            raise Refused(str(error), remedy="Delete that ControllerRevision, and apply the policy again.") from error

    def headers(self, service: str) -> tuple[RevisionHeader, ...]:
        """All revisions of a service by number; those of another format are passed over."""
        namespace, name = self._split(service)
        selector = f"{SERVICE_LABEL}={name},{OUTCOME_LABEL}"
        found = self._cluster.list("apps/v1", "ControllerRevision", namespace, selector)
        return tuple(sorted(_readable(found), key=lambda each: each.number))

    def good_in(self, namespace: str) -> Mapping[str, GoodRevision]:
        """The revision last found good of every service in a namespace (`namespace/name`), without its manifests."""
        selector = f"{SERVICE_LABEL},{OUTCOME_LABEL}={Outcome.GOOD}"
        found: dict[str, GoodRevision] = {}
        for stored in self._cluster.list_metadata("apps/v1", "ControllerRevision", namespace, selector):
            service, good = good_revision(stored)
            known = found.get(service)
            found[service] = good if known is None or known.since <= good.since else known
        return found

    def newest_good(self, service: str, *, other_than: int | None = None) -> RevisionHeader | None:
        """The revision last found good, to return to; None when there is none yet."""
        return newest_good(self.headers(service), other_than=other_than)

    def mark(self, service: str, number: int, outcome: Outcome, *, at: str) -> RevisionHeader:
        """Record what became of a revision, at an RFC 3339 time."""
        header = self._header(service, number)
        annotations: dict[str, str | None] = {OUTCOME_TIME: at}
        if outcome is Outcome.GOOD and header.asked is not None:
            annotations |= {SETTINGS: encode_settings(header.asked), SETTINGS_ASKED: None}
            header = replace(header, settings=header.asked, asked=None)
        self._cluster.patch_labels(header.ref, {OUTCOME_LABEL: outcome.value}, annotations)
        return replace(header, outcome=outcome, outcome_at=at)

    def prune(self, service: str, *, keep: Sequence[int] = (), limit: int = 10) -> tuple[int, ...]:
        """Delete old revisions but the newest `limit`, those in `keep` and the last good; returns their numbers."""
        gone = superfluous(self.headers(service), keep=keep, limit=limit)
        for each in gone:
            self._cluster.delete(each.ref, None)
        return tuple(each.number for each in gone)

    def _with_settings(self, revision: Revision, settings: Mapping[str, Any] | None) -> Revision:
        """The revision with these settings asked for: the same content may be rolled out otherwise than before.

        They are in force once a rollout has succeeded with them: one that failed must not count as done.
        """
        header = revision.header
        if settings is None:
            return revision
        asked = None if settings == header.settings else settings
        if asked != header.asked:
            value = None if asked is None else encode_settings(asked)
            self._cluster.patch_labels(header.ref, {}, {SETTINGS_ASKED: value})
        return replace(revision, header=replace(header, asked=asked))

    def _header(self, service: str, number: int) -> RevisionHeader:
        headers = self.headers(service)
        found = next((each for each in headers if each.number == number), None)
        if found is None:
            numbers = ", ".join(str(each.number) for each in headers) or "none"
            raise NotFound(f"{service} has no revision {number}", remedy=f"Choose one that is kept: {numbers}.")
        return found

    def _encoded(self, revision: Revision) -> Manifest:
        try:
            return encode(revision)
        except RevisionTooLarge as error:
            raise Refused(str(error), remedy="Split the service, or move large files out of ConfigMaps.") from error

    def _ensure_namespace(self, revision: Revision) -> None:
        namespace, _ = self._split(revision.header.service)
        ours = next((each for each in revision.manifests if _is_namespace(each, namespace)), None)
        if ours is not None and self._cluster.get(ObjectRef("v1", "Namespace", "", namespace)) is None:
            self._cluster.apply(ours)

    def _split(self, service: str) -> tuple[str, str]:
        if not _SERVICE.fullmatch(service):
            raise ValueError(f"a service is namespace/name, not {service!r}")
        namespace, _, name = service.partition("/")
        return namespace, name


def _is_namespace(manifest: Manifest, name: str) -> bool:
    return ref_of(manifest) == ObjectRef("v1", "Namespace", "", name)


def _readable(stored: Sequence[Manifest]) -> list[RevisionHeader]:
    headers = []
    for each in stored:
        try:
            headers.append(decode_header(each))
        except RevisionDamaged:
            continue
    return headers
