from __future__ import annotations

import base64
import gzip
import json
import random
from dataclasses import replace
from typing import Any

import pytest

from controlplane.emit.bundle import Bundle, EmittedObject
from controlplane.plan.revision import (
    LIMIT_BYTES,
    Outcome,
    Revision,
    RevisionDamaged,
    RevisionHeader,
    RevisionTooLarge,
    decode,
    decode_header,
    digest_of,
    encode,
    newest_good,
    superfluous,
)
from controlplane.stack.references import ObjectRef

MANIFESTS: tuple[dict[str, Any], ...] = (
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "llm"}},
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a", "namespace": "llm"},
        "data": {"x": "日本 😀"},
    },
)


def header(number: int = 3, outcome: Outcome = Outcome.PENDING, outcome_at: str = "") -> RevisionHeader:
    return RevisionHeader(
        service="llm/chat",
        number=number,
        digest=digest_of(MANIFESTS),
        plan_digest="p" * 64,
        author="ada",
        reason="longer prompts",
        created_at="2026-11-29T10:00:00Z",
        previous=2,
        outcome=outcome,
        outcome_at=outcome_at,
    )


REVISION = Revision(header(), MANIFESTS)


def test_what_is_stored_is_read_back() -> None:
    assert decode(json.loads(json.dumps(encode(REVISION)))) == REVISION


def test_the_same_revision_is_the_same_bytes_at_any_time() -> None:
    stored = encode(REVISION)
    assert json.dumps(stored) == json.dumps(encode(Revision(header(), MANIFESTS)))
    written_at = base64.b64decode(stored["data"]["manifests"])[4:8]
    assert written_at == bytes(4), "gzip keeps the time of compression (RFC 1952, MTIME)"


def test_the_digest_is_that_of_the_bundle() -> None:
    ref = ObjectRef("v1", "ConfigMap", "llm", "a")
    bundle = Bundle(tuple(EmittedObject(ref, manifest, {}, "llm/chat") for manifest in MANIFESTS))
    assert digest_of(MANIFESTS) == bundle.digest() == digest_of(tuple(reversed(MANIFESTS)))


def test_it_lies_beside_the_service_without_the_labels_of_its_pods() -> None:
    metadata = encode(REVISION)["metadata"]
    assert metadata["namespace"] == "llm"
    assert metadata["name"] == f"controlplane-chat-{digest_of(MANIFESTS)[:12]}"
    assert metadata["labels"] == {
        "app.kubernetes.io/managed-by": "controlplane",
        "controlplane.dev/service-name": "chat",
        "controlplane.dev/outcome": "pending",
    }


def test_manifests_that_do_not_fit_are_refused_with_both_sizes() -> None:
    noise = base64.b64encode(random.Random(1).randbytes(LIMIT_BYTES)).decode()  # noqa: S311 - incompressible text
    with pytest.raises(RevisionTooLarge, match=rf"take \d+ bytes compressed .* holds {LIMIT_BYTES}"):
        encode(replace(REVISION, manifests=({"data": noise},)))


def damaged(**data: Any) -> dict[str, Any]:
    stored = encode(REVISION)
    stored["data"] = {**stored["data"], **data}
    return stored


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        pytest.param(damaged(manifests="%%%"), "cannot be unpacked", id="not base64"),
        pytest.param(damaged(manifests="bm8="), "cannot be unpacked", id="not gzip"),
        pytest.param(
            damaged(manifests=base64.b64encode(gzip.compress(b"[{}]")).decode()),
            "have the digest",
            id="other content",
        ),
        pytest.param(
            damaged(manifests=encode(REVISION)["data"]["manifests"][:-40]), "cannot be unpacked", id="cut short"
        ),
        pytest.param(damaged(format="controlplane.dev/revision.v9"), "this version reads", id="later format"),
        pytest.param({**encode(REVISION), "data": None}, "has the format None", id="no data"),
    ],
)
def test_a_damaged_revision_is_not_used(stored: dict[str, Any], said: str) -> None:
    with pytest.raises(RevisionDamaged, match=said):
        decode(stored)


def test_a_header_without_its_labels_is_damaged() -> None:
    stored = encode(REVISION)
    del stored["metadata"]["labels"]
    with pytest.raises(RevisionDamaged, match="lacks or misstates"):
        decode_header(stored)


def test_the_newest_good_is_the_one_last_found_good() -> None:
    older, newer = header(1, Outcome.GOOD, "2026-11-29T12:00:00Z"), header(2, Outcome.GOOD, "2026-11-29T11:00:00Z")
    failed = header(3, Outcome.FAILED, "2026-11-29T13:00:00Z")
    assert newest_good([older, newer, failed]) == older
    assert newest_good([older, newer, failed], other_than=1) == newer
    assert newest_good([failed]) is None


def test_the_history_keeps_the_newest_those_in_use_and_the_last_good() -> None:
    headers = [
        header(1, Outcome.GOOD, "2026-11-29T12:00:00Z"),
        *(header(number, Outcome.FAILED) for number in range(2, 16)),
    ]
    gone = superfluous(headers, keep=(4,), limit=10)
    assert [each.number for each in gone] == [2, 3, 5]
