from __future__ import annotations

from collections.abc import Iterator

import pytest

from controlplane.adapters.errors import NotFound, Refused
from controlplane.adapters.kubernetes import Cluster, RevisionStore
from controlplane.emit.bundle import Manifest
from controlplane.plan.revision import Outcome, Revision, digest_of
from controlplane.sandbox.lifecycle import Sandbox
from controlplane.stack.references import ObjectRef

pytestmark = pytest.mark.cluster


@pytest.fixture
def store(cluster: Cluster) -> RevisionStore:
    return RevisionStore(cluster)


def manifests(namespace: str, text: str) -> tuple[Manifest, ...]:
    metadata = {"name": "a", "namespace": namespace}
    return ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"x": text}},)


def stored(store: RevisionStore, namespace: str, text: str) -> Revision:
    return store.store(
        f"{namespace}/chat",
        manifests(namespace, text),
        plan_digest="p" * 64,
        author="ada",
        reason="why: not",
        created_at="2026-11-29T10:00:00Z",
    )


def test_a_revision_is_read_back_as_it_was_stored(store: RevisionStore, namespace: str) -> None:
    first = stored(store, namespace, "日本 😀")
    assert first.manifests == manifests(namespace, "日本 😀")
    assert (first.header.number, first.header.previous, first.header.outcome) == (1, None, Outcome.PENDING)
    assert store.load(f"{namespace}/chat", 1) == first
    assert store.load_digest(f"{namespace}/chat", digest_of(first.manifests)) == first


def test_the_same_content_is_the_same_revision(store: RevisionStore, namespace: str) -> None:
    first, second = stored(store, namespace, "1"), stored(store, namespace, "2")
    assert (second.header.number, second.header.previous) == (2, 1)
    assert stored(store, namespace, "1") == first
    assert [each.number for each in store.headers(f"{namespace}/chat")] == [1, 2]


def test_services_of_one_namespace_have_their_own_numbers(store: RevisionStore, namespace: str) -> None:
    stored(store, namespace, "1")
    other = store.store(
        f"{namespace}/chat-2", manifests(namespace, "9"), plan_digest="", author="", reason="", created_at=""
    )
    assert other.header.number == 1
    assert [each.service for each in store.headers(f"{namespace}/chat")] == [f"{namespace}/chat"]


def test_an_outcome_is_kept_with_its_time(store: RevisionStore, namespace: str) -> None:
    service = f"{namespace}/chat"
    for text in ("1", "2", "3"):
        stored(store, namespace, text)
    assert store.newest_good(service) is None
    store.mark(service, 1, Outcome.GOOD, at="2026-11-29T10:00:00Z")
    store.mark(service, 2, Outcome.GOOD, at="2026-11-29T11:00:00Z")
    store.mark(service, 3, Outcome.RETURNED, at="2026-11-29T12:00:00Z")
    good = store.newest_good(service)
    assert good is not None
    assert (good.number, good.outcome_at) == (2, "2026-11-29T11:00:00Z")
    before = store.newest_good(service, other_than=2)
    assert before is not None
    assert before.number == 1
    assert store.load(service, 2).header == good


def test_old_revisions_go_but_those_in_use(store: RevisionStore, cluster: Cluster, namespace: str) -> None:
    service = f"{namespace}/chat"
    for number in range(6):
        stored(store, namespace, str(number))
    store.mark(service, 1, Outcome.GOOD, at="2026-11-29T10:00:00Z")
    assert store.prune(service, keep=(3,), limit=2) == (2, 4)
    assert [each.number for each in store.headers(service)] == [1, 3, 5, 6]
    assert stored(store, namespace, "new").header.number == 7


def test_an_unknown_number_is_answered_with_those_there_are(store: RevisionStore, namespace: str) -> None:
    stored(store, namespace, "1")
    with pytest.raises(NotFound, match=f"{namespace}/chat has no revision 9") as raised:
        store.load(f"{namespace}/chat", 9)
    assert raised.value.remedy == "Choose one that is kept: 1."


def test_a_revision_in_a_namespace_that_nobody_makes_is_told(store: RevisionStore) -> None:
    with pytest.raises(NotFound, match='namespaces "not-there" not found'):
        stored(store, "not-there", "1")


@pytest.fixture
def new_namespace(sandbox: Sandbox, namespace: str) -> Iterator[str]:
    name = f"{namespace}-new"
    yield name
    sandbox.api().delete(f"/api/v1/namespaces/{name}")


def test_a_namespace_of_the_service_itself_is_made_first(
    store: RevisionStore, cluster: Cluster, new_namespace: str
) -> None:
    ours = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": new_namespace, "labels": {"team": "chat"}}}
    store.store(
        f"{new_namespace}/chat",
        (ours, *manifests(new_namespace, "1")),
        plan_digest="",
        author="",
        reason="",
        created_at="",
    )
    live = cluster.get(ObjectRef("v1", "Namespace", "", new_namespace))
    assert live is not None
    assert live["metadata"]["labels"]["team"] == "chat"
    assert cluster.get(ObjectRef("v1", "ConfigMap", new_namespace, "a")) is None


def test_manifests_too_large_for_the_cluster_are_refused(store: RevisionStore, namespace: str) -> None:
    noise = "".join(digest_of([{"n": number}]) for number in range(40_000))
    with pytest.raises(Refused, match="bytes compressed") as raised:
        stored(store, namespace, noise)
    assert "Split the service" in raised.value.remedy


def test_a_large_revision_just_under_the_limit_is_taken_by_the_cluster(store: RevisionStore, namespace: str) -> None:
    noise = "".join(digest_of([{"n": number}]) for number in range(19_000))
    large = stored(store, namespace, noise)
    assert store.load(f"{namespace}/chat", large.header.number).manifests == manifests(namespace, noise)


def test_good_revisions_of_a_namespace_are_known_from_metadata_alone(store: RevisionStore, namespace: str) -> None:
    service = f"{namespace}/chat"
    first, second = stored(store, namespace, "1"), stored(store, namespace, "2")
    assert store.good_in(namespace) == {}
    store.mark(service, second.header.number, Outcome.GOOD, at="2026-11-29T10:00:00Z")
    store.mark(service, first.header.number, Outcome.GOOD, at="2026-11-29T11:00:00Z")
    good = store.good_in(namespace)[service]
    assert good.is_of(first.header.digest)
    assert not good.is_of(second.header.digest)
    assert (good.since, good.settings) == ("2026-11-29T11:00:00Z", {})


def test_other_settings_of_a_revision_count_once_a_rollout_succeeded_with_them(
    store: RevisionStore, namespace: str
) -> None:
    first = stored(store, namespace, "1")
    again = store.store(
        f"{namespace}/chat",
        first.manifests,
        plan_digest="",
        author="",
        reason="",
        created_at="",
        settings={"drift_mode": "enforce"},
    )
    asked, service = {"drift_mode": "enforce"}, f"{namespace}/chat"
    assert (again.header.number, again.header.settings, again.header.asked) == (1, {}, asked)
    store.mark(service, 1, Outcome.FAILED, at="2026-11-29T12:00:00Z")
    assert store.load(service, 1).header.settings == {}
    store.mark(service, 1, Outcome.GOOD, at="2026-11-29T12:01:00Z")
    good = store.load(service, 1).header
    assert (good.settings, good.asked) == (asked, None)
