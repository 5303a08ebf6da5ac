"""The reference policies of the repository: clean, complete in themselves, and told when to use them."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlplane.policy import load_policies, resolve
from controlplane.source import Dialect, read_yaml
from controlplane.stack.facts import value_of

POLICIES = Path(__file__).parents[2] / "policies"
FOLDERS = sorted(path for path in POLICIES.iterdir() if path.is_dir())
FILES = sorted(POLICIES.rglob("*.yaml"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_folder_is_complete_and_without_findings(folder: Path) -> None:
    readings = [read_yaml(path.read_bytes(), path.name, Dialect.POLICY) for path in sorted(folder.glob("*.yaml"))]
    policy_set, loading = load_policies([d for reading in readings for d in reading.documents])
    stack, resolving = resolve(policy_set)
    assert [*(d for reading in readings for d in reading.diagnostics), *loading, *resolving] == []
    assert len(stack.workloads) == len(policy_set.services) > 0
    assert policy_set.foreign == 0


def test_all_folders_together_fit_the_machines_that_each_of_them_names() -> None:
    assert len({(folder / "fleet.yaml").read_text("utf-8") for folder in FOLDERS}) == 1
    readings = [read_yaml(path.read_bytes(), path.name, Dialect.POLICY) for path in FILES]
    policy_set, loading = load_policies([d for reading in readings for d in reading.documents])
    stack, resolving = resolve(policy_set)
    assert [*loading, *resolving] == []
    assert len(stack.workloads) == 4


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_file_begins_with_a_sentence_on_its_use(path: Path) -> None:
    first = path.read_text("utf-8").splitlines()[0]
    assert first.startswith("# ")
    assert first.endswith(".")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_file_names_the_schema_for_editors(path: Path) -> None:
    prefix = "# yaml-language-server: $schema="
    (line,) = [line for line in path.read_text("utf-8").splitlines() if line.startswith(prefix)]
    assert (path.parent / line.removeprefix(prefix)).is_file()


def test_the_three_references_are_what_their_names_say() -> None:
    found = {}
    for folder in FOLDERS:
        documents = [
            d for p in folder.glob("*.yaml") for d in read_yaml(p.read_bytes(), p.name, Dialect.POLICY).documents
        ]
        stack, _ = resolve(load_policies(documents)[0])
        found[folder.name] = [
            (w.ref.name, str(value_of(w.pod_sets[0].containers[0].limits["nvidia.com/gpu"]))) for w in stack.workloads
        ]
    assert found == {
        "chat-8b": [("chat", "1")],
        "llama-70b": [("assistant", "8")],
        "shared-pool": [("search", "1"), ("summaries", "1")],
    }
