"""What folders say about files: charts, and parts of kustomizations."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlplane.cli.lint.files import read_files
from controlplane.cli.lint.layout import Layout

DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\n"


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def reasons(root: Path, *names: str) -> list[str]:
    return [n.reason for r in read_files([str(root / name) for name in names]) for n in r.not_judged]


def test_template_of_a_chart_is_not_judged_and_a_plain_manifest_beside_it_is(tmp_path: Path) -> None:
    templated = DEPLOYMENT + 'spec: {replicas: "{{ .Values.replicas }}"}\n'
    files = {
        "chart/Chart.yaml": "name: x\n",
        "chart/templates/a.yaml": templated,
        "chart/templates/b.yaml": DEPLOYMENT,
    }
    write(tmp_path, **files, **{"templates/c.yaml": templated})
    names = ("chart/templates/a.yaml", "chart/templates/b.yaml", "templates/c.yaml")
    found = read_files([str(tmp_path / name) for name in names])
    assert [len(reading.manifests) for reading in found] == [0, 1, 1]
    chart = tmp_path / "chart"
    assert found[0].not_judged[0].reason == f"a template of a Helm chart: lint the output of `helm template {chart}`"


@pytest.mark.parametrize(
    "listing",
    [
        "patches: [{path: p.yaml}]",
        "patches:\n- path: ./p.yaml\n  target: {kind: Deployment}",
        "patchesStrategicMerge: [p.yaml]",
        "patchesJson6902: [{path: p.yaml, target: {kind: Deployment, name: x}}]",
        "replacements: [{path: p.yaml}]",
        "configMapGenerator: [{name: c, files: [key=p.yaml]}]",
        "transformers: [p.yaml]",
    ],
)
@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization"])
def test_part_of_a_kustomization_is_not_judged(tmp_path: Path, listing: str, name: str) -> None:
    write(
        tmp_path,
        **{f"over/{name}": f"resources: [r.yaml]\n{listing}\n", "over/p.yaml": DEPLOYMENT, "over/r.yaml": ""},
    )
    assert Layout().kustomization_of(str(tmp_path / "over/p.yaml")) == str(tmp_path / "over")
    assert Layout().kustomization_of(str(tmp_path / "over/r.yaml")) is None


def test_patch_beside_the_folder_of_its_kustomization_is_known_where_both_are_read(tmp_path: Path) -> None:
    write(
        tmp_path, **{"prod/kustomization.yaml": "patches: [{path: ../shared/p.yaml}]\n", "shared/p.yaml": DEPLOYMENT}
    )
    found = reasons(tmp_path, "prod/kustomization.yaml", "shared/p.yaml")
    assert found[1] == f"a part of a kustomization: lint the output of `kustomize build {tmp_path / 'prod'}`"


def test_resource_that_is_also_listed_elsewhere_is_a_manifest(tmp_path: Path) -> None:
    write(tmp_path, **{"kustomization.yaml": "resources: [a.yaml]\nopenapi: {path: a.yaml}\n", "a.yaml": DEPLOYMENT})
    assert reasons(tmp_path, "a.yaml") == []


def test_broken_kustomization_lists_nothing(tmp_path: Path) -> None:
    write(tmp_path, **{"kustomization.yaml": "patches: [\n", "a.yaml": DEPLOYMENT})
    assert reasons(tmp_path, "a.yaml") == []


def test_file_that_is_gone_is_told(tmp_path: Path) -> None:
    assert reasons(tmp_path, "a.yaml") == ["the file cannot be read: No such file or directory"]


OVERLAYS = {
    "base/kustomization.yaml": "resources: [r.yaml]\n",
    "base/r.yaml": DEPLOYMENT,
    "middle/kustomization.yaml": "resources: [../base]\nnamespace: chat\n",
    "over/p.yaml": DEPLOYMENT,
}


@pytest.mark.parametrize(
    "change",
    [
        "patches: [{path: p.yaml}]",
        "nameSuffix: -h100",
        "images: [{name: vllm/vllm-openai, newTag: v0.20.0}]",
        "replacements: [{path: p.yaml}]",
        "components: [../sidecar]",
        "replicas: [{name: chat, count: 3}]",
    ],
)
def test_objects_that_another_kustomization_changes_are_not_judged(tmp_path: Path, change: str) -> None:
    write(tmp_path, **OVERLAYS, **{"over/kustomization.yaml": f"resources: [../middle]\n{change}\n"})
    names = ("base/r.yaml", "middle/kustomization.yaml", "over/kustomization.yaml")
    build = f"lint the output of `kustomize build {tmp_path / 'over'}`"
    assert reasons(tmp_path, *names)[0] == f"a kustomization changes it before it is applied: {build}"


@pytest.mark.parametrize("same", ["namespace: chat", "patches: []", "commonLabels: {team: a}", "labels: []"])
def test_objects_that_a_kustomization_takes_as_they_are_are_judged(tmp_path: Path, same: str) -> None:
    write(tmp_path, **OVERLAYS, **{"over/kustomization.yaml": f"resources: [../middle]\n{same}\n"})
    names = [str(tmp_path / name) for name in ("base/r.yaml", "middle/kustomization.yaml", "over/kustomization.yaml")]
    assert len(read_files(names)[0].manifests) == 1


def test_file_that_other_folders_patch_too_is_a_manifest_by_itself(tmp_path: Path) -> None:
    write(
        tmp_path, **{"chat.yaml": DEPLOYMENT, "fp8/kustomization.yaml": "resources: [../chat.yaml]\nnameSuffix: -x\n"}
    )
    assert len(read_files([str(tmp_path / "chat.yaml"), str(tmp_path / "fp8/kustomization.yaml")])[0].manifests) == 1


def test_what_no_rule_looks_at_keeps_its_reason_in_a_base_too(tmp_path: Path) -> None:
    account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: chat}\n"
    write(tmp_path, **{"k/kustomization.yaml": "resources: [r.yaml]\nnamePrefix: a-\n", "k/r.yaml": account})
    assert reasons(tmp_path, "k/r.yaml") == ["no rule looks at a ServiceAccount"]


def test_kustomizations_that_build_on_each_other_end(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{
            "a/kustomization.yaml": "resources: [../b, r.yaml]\n",
            "b/kustomization.yaml": "resources: [../a]\n",
            "a/r.yaml": DEPLOYMENT,
        },
    )
    assert len(read_files([str(tmp_path / "a/r.yaml"), str(tmp_path / "b/kustomization.yaml")])[0].manifests) == 1
