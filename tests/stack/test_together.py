"""Documents that can be applied together are one Stack; the others are divided by folder, file and document."""

from __future__ import annotations

import pytest

from controlplane.source import Dialect, Document, read_yaml
from controlplane.stack.together import together


def obj(kind: str, name: str, namespace: str = "", api: str = "apps/v1") -> str:
    where = f", namespace: {namespace}" if namespace else ""
    return f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: {name}{where}}}\n"


def groups(files: dict[str, str]) -> list[list[str]]:
    """The groups as `file#index`."""
    documents: list[Document] = []
    for name, text in files.items():
        documents += read_yaml(text.encode(), name, Dialect.KUBERNETES).documents
    return [[f"{d.file}#{d.index}" for d in group] for group in together(documents)]


DEPLOYMENT, SERVICE = obj("Deployment", "chat"), obj("Service", "chat", api="v1")
HPA = obj("HorizontalPodAutoscaler", "chat", api="autoscaling/v2")
NODE = obj("Node", "n1", api="v1")


def test_one_app_over_several_files_and_folders_is_one_stack() -> None:
    files = {"app/deployment.yaml": DEPLOYMENT, "app/net/service.yaml": SERVICE, "hpa.yaml": HPA}
    assert groups(files) == [["app/deployment.yaml#0", "app/net/service.yaml#0", "hpa.yaml#0"]]


def test_overlays_are_divided_by_folder() -> None:
    files = {
        "overlays/dev/all.yaml": f"{DEPLOYMENT}---\n{SERVICE}",
        "overlays/prod/deployment.yaml": DEPLOYMENT,
        "overlays/prod/hpa.yaml": HPA,
    }
    assert groups(files) == [
        ["overlays/dev/all.yaml#0", "overlays/dev/all.yaml#1"],
        ["overlays/prod/deployment.yaml#0", "overlays/prod/hpa.yaml#0"],
    ]


def test_folder_below_which_nothing_clashes_stays_whole() -> None:
    files = {
        "dev/base/deployment.yaml": DEPLOYMENT,
        "dev/net/service.yaml": SERVICE,
        "prod/deployment.yaml": DEPLOYMENT,
    }
    assert groups(files) == [["dev/base/deployment.yaml#0", "dev/net/service.yaml#0"], ["prod/deployment.yaml#0"]]


def test_samples_that_define_the_same_object_are_each_by_itself() -> None:
    files = {
        "samples/a.yaml": f"{DEPLOYMENT}---\n{SERVICE}",
        "samples/b.yaml": DEPLOYMENT,
        "samples/other.yaml": obj("Deployment", "other"),
    }
    assert groups(files) == [["samples/a.yaml#0", "samples/a.yaml#1"], ["samples/b.yaml#0"], ["samples/other.yaml#0"]]


def test_file_that_defines_an_object_twice_is_divided_by_document() -> None:
    assert groups({"a.yaml": f"{DEPLOYMENT}---\n{DEPLOYMENT}---\n{SERVICE}"}) == [
        ["a.yaml#0"],
        ["a.yaml#1"],
        ["a.yaml#2"],
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (obj("Deployment", "chat", "a"), obj("Deployment", "chat", "b")),
        (obj("Deployment", "chat"), obj("Service", "chat", api="v1")),
        (obj("Job", "x", api="batch/v1"), obj("Job", "x", api="batch.volcano.sh/v1alpha1")),
        (obj("Namespace", "llm", api="v1"), obj("Namespace", "llm", api="v1")),
        ("apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: x-}\n",) * 2,
    ],
    ids=["namespaces", "kinds", "groups", "the namespace itself", "generated names"],
)
def test_objects_that_are_not_the_same_do_not_clash(one: str, other: str) -> None:
    assert len(groups({"a.yaml": one, "b.yaml": other})) == 1


def test_version_of_the_api_makes_no_other_object() -> None:
    one, other = (obj("HorizontalPodAutoscaler", "chat", api=f"autoscaling/{v}") for v in ("v1", "v2"))
    assert len(groups({"a.yaml": one, "b.yaml": other})) == 2


def test_items_of_a_list_are_objects() -> None:
    item = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: chat}}"
    whole = f"apiVersion: v1\nkind: List\nitems:\n- {item}\n"
    assert len(groups({"a.yaml": whole, "b.yaml": DEPLOYMENT})) == 2


def test_nodes_are_in_every_group() -> None:
    files = {"a/x.yaml": DEPLOYMENT, "b/x.yaml": DEPLOYMENT, "nodes.yaml": NODE}
    assert groups(files) == [["a/x.yaml#0", "nodes.yaml#0"], ["b/x.yaml#0", "nodes.yaml#0"]]


def test_nodes_of_one_folder_say_nothing_of_another() -> None:
    files = {"a/x.yaml": DEPLOYMENT, "b/x.yaml": DEPLOYMENT, "a/nodes.yaml": NODE}
    assert groups(files) == [["a/x.yaml#0", "a/nodes.yaml#0"], ["b/x.yaml#0"]]


def test_nodes_of_no_group_are_read_by_themselves() -> None:
    files = {"a/x.yaml": DEPLOYMENT, "b/x.yaml": DEPLOYMENT, "hack/nodes.yaml": NODE}
    assert groups(files) == [["a/x.yaml#0"], ["b/x.yaml#0"], ["hack/nodes.yaml#0"]]


def test_nodes_of_several_clusters_stay_where_they_are() -> None:
    files = {"a/x.yaml": f"{DEPLOYMENT}---\n{NODE}", "b/x.yaml": f"{DEPLOYMENT}---\n{NODE}"}
    assert groups(files) == [["a/x.yaml#0", "a/x.yaml#1"], ["b/x.yaml#0", "b/x.yaml#1"]]


def test_nodes_alone_are_a_group_and_nothing_is_none() -> None:
    assert groups({"nodes.yaml": NODE}) == [["nodes.yaml#0"]]
    assert groups({}) == []


def test_strange_documents_are_nobodys_double() -> None:
    text = "apiVersion: v1\nkind: [x]\nmetadata: 1\n---\n- 1\n---\nkind: List\napiVersion: v1\nitems: 3\n"
    assert groups({"a.yaml": text}) == [["a.yaml#0", "a.yaml#1", "a.yaml#2"]]
