"""A revision of a service: the manifests that a rollout applies, and how they lie in the cluster.

Manifests are kept compressed in a ControllerRevision beside the service, so that any worker anywhere can go on or
return, whatever machine the change was planned on. Pure: times and numbers are given; `adapters.kubernetes.revisions`
reads and writes.
"""

from __future__ import annotations

import base64
import binascii
import enum
import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from controlplane.emit.bundle import EmittedObject, Manifest
from controlplane.stack.references import ObjectRef

SERVICE_LABEL = "controlplane.dev/service-name"
OUTCOME_LABEL = "controlplane.dev/outcome"
OUTCOME_TIME = "controlplane.dev/outcome-at"
"""An annotation: label values may not hold colons."""

SETTINGS = "controlplane.dev/rollout-settings"
SETTINGS_ASKED = "controlplane.dev/rollout-settings-asked"
"""Other settings that a known revision is to be rolled out with; in force once that has succeeded."""
"""An annotation, since a ControllerRevision's data may not change and how a service is rolled out may."""

LIMIT_BYTES = 1_000_000
"""The most that compressed, encoded manifests may take: etcd takes 1.5 MiB a request (3.6, --max-request-bytes)."""

_FORMAT = "controlplane.dev/revision.v1"


class Outcome(enum.StrEnum):
    """What became of a revision. `RETURNED`: it was rolled out, failed a gate, and an older one was put back."""

    PENDING = "pending"
    GOOD = "good"
    FAILED = "failed"
    RETURNED = "returned"


class RevisionTooLarge(Exception):
    """The manifests of one service do not fit in one object of the cluster."""


class RevisionDamaged(Exception):
    """A stored revision is not what was written."""


@dataclass(frozen=True, slots=True)
class RevisionHeader:
    """All of a revision but its manifests. `service` is `namespace/name`; times are RFC 3339; `previous` a number.

    `settings` are how it was rolled out last, as plain values: time-outs, return, drift. `asked` are others, of a
    rollout that has not succeeded yet.
    """

    service: str
    number: int
    digest: str
    plan_digest: str
    author: str
    reason: str
    created_at: str
    previous: int | None = None
    outcome: Outcome = Outcome.PENDING
    outcome_at: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    asked: Mapping[str, Any] | None = None

    @property
    def ref(self) -> ObjectRef:
        """The ControllerRevision that holds it: the same content has the same name."""
        return revision_ref(self.service, self.digest)


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision with its manifests, in apply order."""

    header: RevisionHeader
    manifests: tuple[Manifest, ...]

    def objects(self) -> tuple[EmittedObject, ...]:
        """The manifests as a plan wants them; where each field came from is not stored. A Namespace is shared."""
        return tuple(_as_object(m, self.header.service) for m in self.manifests)


def digest_of(manifests: Sequence[Manifest]) -> str:
    """SHA-256 over the manifests in any order; equal to `Bundle.digest` of the objects they come from."""
    lines = sorted(json.dumps(manifest, sort_keys=True, separators=(",", ":")) for manifest in manifests)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def revision_ref(service: str, digest: str) -> ObjectRef:
    """Where a service's revision with this digest lies."""
    namespace, _, name = service.partition("/")
    return ObjectRef("apps/v1", "ControllerRevision", namespace, f"controlplane-{name}-{digest[:12]}")


def encode(revision: Revision) -> Manifest:
    """The ControllerRevision of a revision. Raises `RevisionTooLarge`, with both sizes.

    It carries none of the service's own labels: the StatefulSet and DaemonSet controllers adopt ControllerRevisions
    that their selectors match.
    """
    header = revision.header
    ref = header.ref
    return {
        "apiVersion": ref.api_version,
        "kind": ref.kind,
        "metadata": {
            "name": ref.name,
            "namespace": ref.namespace,
            "labels": {
                "app.kubernetes.io/managed-by": "controlplane",
                SERVICE_LABEL: header.service.partition("/")[2],
                OUTCOME_LABEL: header.outcome.value,
            },
            "annotations": {OUTCOME_TIME: header.outcome_at, SETTINGS: encode_settings(header.settings)},
        },
        "revision": header.number,
        "data": {
            "format": _FORMAT,
            "digest": header.digest,
            "planDigest": header.plan_digest,
            "author": header.author,
            "reason": header.reason,
            "createdAt": header.created_at,
            "previous": header.previous,
            "manifests": _packed(header.service, revision.manifests),
        },
    }


def decode_header(stored: Manifest) -> RevisionHeader:
    """The header of a stored revision. Raises `RevisionDamaged`."""
    metadata, data = stored["metadata"], stored.get("data") or {}
    if data.get("format") != _FORMAT:
        raise RevisionDamaged(
            f"ControllerRevision {metadata['namespace']}/{metadata['name']} has the format {data.get('format')!r}; "
            f"this version reads {_FORMAT!r}"
        )
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    try:
        return RevisionHeader(
            service=f"{metadata['namespace']}/{labels[SERVICE_LABEL]}",
            number=int(stored["revision"]),
            digest=data["digest"],
            plan_digest=data["planDigest"],
            author=data["author"],
            reason=data["reason"],
            created_at=data["createdAt"],
            previous=data.get("previous"),
            outcome=Outcome(labels.get(OUTCOME_LABEL, Outcome.PENDING)),
            outcome_at=annotations.get(OUTCOME_TIME, ""),
            settings=_settings(annotations.get(SETTINGS, "{}")),
            asked=_settings(annotations[SETTINGS_ASKED]) if SETTINGS_ASKED in annotations else None,
        )
    except (KeyError, ValueError) as error:
        raise RevisionDamaged(
            f"ControllerRevision {metadata['namespace']}/{metadata['name']} lacks or misstates {error}"
        ) from error


def decode(stored: Manifest) -> Revision:
    """A stored revision, checked against its digest. Raises `RevisionDamaged`."""
    header = decode_header(stored)
    name = f"revision {header.number} of {header.service}"
    try:
        unpacked = gzip.decompress(base64.b64decode(stored["data"]["manifests"], validate=True))
        manifests = tuple(json.loads(unpacked))
    except (KeyError, TypeError, ValueError, binascii.Error, OSError, EOFError, zlib.error) as error:
        raise RevisionDamaged(f"the manifests of {name} cannot be unpacked: {error}") from error
    found = digest_of(manifests)
    if found != header.digest:
        raise RevisionDamaged(
            f"the manifests of {name} have the digest {found[:12]}; {header.digest[:12]} was stored"
        )
    return Revision(header, manifests)


@dataclass(frozen=True, slots=True)
class GoodRevision:
    """What the metadata of a good revision tell: the start of its digest, since when (RFC 3339), and its settings."""

    digest_start: str
    since: str
    settings: Mapping[str, Any]

    def is_of(self, digest: str) -> bool:
        """Whether it holds the manifests with this digest."""
        return digest.startswith(self.digest_start)


def good_revision(metadata_only: Manifest) -> tuple[str, GoodRevision]:
    """The service of a stored revision, and what its metadata tell. Damaged settings count as none."""
    metadata = metadata_only["metadata"]
    annotations = metadata.get("annotations") or {}
    service = f"{metadata['namespace']}/{metadata['labels'][SERVICE_LABEL]}"
    try:
        settings = _settings(annotations.get(SETTINGS, "{}"))
    except ValueError:
        settings = {}
    return service, GoodRevision(metadata["name"].rpartition("-")[2], annotations.get(OUTCOME_TIME, ""), settings)


def encode_settings(settings: Mapping[str, Any]) -> str:
    """Settings as the annotation holds them."""
    return json.dumps(dict(settings), sort_keys=True, separators=(",", ":"))


def _settings(text: str) -> Mapping[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError(f"{SETTINGS}: {type(found).__name__} instead of a mapping")
    return found


def _as_object(manifest: Manifest, service: str) -> EmittedObject:
    metadata = manifest["metadata"]
    ref = ObjectRef(manifest["apiVersion"], manifest["kind"], metadata.get("namespace", ""), metadata["name"])
    return EmittedObject(ref, manifest, {}, "" if ref.kind == "Namespace" else service)


def _packed(service: str, manifests: Sequence[Manifest]) -> str:
    text = json.dumps(list(manifests), separators=(",", ":"), ensure_ascii=False)
    packed = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    if len(packed) > LIMIT_BYTES:
        raise RevisionTooLarge(
            f"the manifests of {service} take {len(packed)} bytes compressed ({len(text)} before); "
            f"a revision in the cluster holds {LIMIT_BYTES}"
        )
    return packed


def newest_good(headers: Sequence[RevisionHeader], *, other_than: int | None = None) -> RevisionHeader | None:
    """The revision that was last found good, to return to; by time, since an older one may have been put back."""
    good = [each for each in headers if each.outcome is Outcome.GOOD and each.number != other_than]
    return max(good, key=lambda each: (each.outcome_at, each.number), default=None)


def superfluous(
    headers: Sequence[RevisionHeader], *, keep: Sequence[int] = (), limit: int = 10
) -> tuple[RevisionHeader, ...]:
    """The revisions that the history need not hold: not of the newest `limit`, not in `keep`, not the last good."""
    newest = sorted(headers, key=lambda each: each.number)[-limit:]
    good = newest_good(headers)
    kept = {*keep, *(each.number for each in newest), *((good.number,) if good else ())}
    return tuple(each for each in headers if each.number not in kept)
