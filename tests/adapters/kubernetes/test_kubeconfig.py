from __future__ import annotations

import os
from pathlib import Path

import pytest

from controlplane.adapters.errors import Misconfigured
from controlplane.adapters.kubernetes.kubeconfig import files_of, read_context


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def config(*, current: str = "", clusters: str = "", users: str = "", contexts: str = "") -> str:
    return f"current-context: {current}\nclusters: [{clusters}]\nusers: [{users}]\ncontexts: [{contexts}]\n"


CLUSTER = "{name: c, cluster: {server: 'https://10.0.0.1:6443'}}"
CONTEXT = "{name: prod, context: {cluster: c, user: u}}"


def test_the_current_context_is_taken_when_none_is_named(tmp_path: Path) -> None:
    file = write(tmp_path / "a", config(current="prod", clusters=CLUSTER, contexts=CONTEXT))
    found = read_context((file,), None)
    assert (found.name, found.cluster.value["server"]) == ("prod", "https://10.0.0.1:6443")


def test_of_two_files_the_first_entry_of_a_name_counts(tmp_path: Path) -> None:
    first = write(tmp_path / "a", config(clusters=CLUSTER, contexts=CONTEXT))
    second = write(
        tmp_path / "b",
        config(
            current="prod",
            clusters="{name: c, cluster: {server: 'https://10.0.0.2:6443'}}",
            users="{name: u, user: {token: t}}",
        ),
    )
    found = read_context((first, second), None)
    assert found.cluster.value["server"] == "https://10.0.0.1:6443"
    assert found.user.value == {"token": "t"}


def test_relative_paths_start_at_the_file_that_names_them(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    file = write(
        tmp_path / "sub" / "a",
        config(
            current="prod",
            clusters="{name: c, cluster: {server: 'https://10.0.0.1', certificate-authority: pki/ca.crt}}",
            contexts=CONTEXT,
        ),
    )
    found = read_context((file,), None)
    assert found.cluster.path("certificate-authority") == tmp_path / "sub" / "pki" / "ca.crt"
    assert found.user.path("tokenFile") is None


def test_an_unknown_context_is_answered_with_the_nearest_and_all_there_are(tmp_path: Path) -> None:
    other = "{name: staging, context: {cluster: c}}"
    file = write(tmp_path / "a", config(clusters=CLUSTER, contexts=f"{CONTEXT}, {other}"))
    with pytest.raises(Misconfigured) as raised:
        read_context((file,), "stagign")
    assert raised.value.message == f"{file} has no context 'stagign'"
    assert raised.value.remedy == "Did you mean 'staging'? There are: prod, staging."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(config(clusters=CLUSTER, contexts=CONTEXT), "names no current context", id="no current context"),
        pytest.param(config(current="prod", contexts=CONTEXT), "has no server", id="no such cluster"),
        pytest.param("- a\n", "holds no mapping", id="a list"),
        pytest.param("", "holds no mapping", id="empty"),
        pytest.param(
            config(current="prod", clusters=CLUSTER, contexts=CONTEXT, users="{name: u, user: {as: boss, token: t}}"),
            "impersonates 'boss'",
            id="impersonation",
        ),
    ],
)
def test_an_unusable_kubeconfig_is_explained(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(Misconfigured, match=said) as raised:
        read_context((write(tmp_path / "a", text),), None)
    assert raised.value.remedy


def test_broken_yaml_is_placed_but_not_quoted(tmp_path: Path) -> None:
    file = write(tmp_path / "a", "users:\n- name: u\n  user: {token: hunter2\n")
    with pytest.raises(Misconfigured) as raised:
        read_context((file,), None)
    assert raised.value.message == f"the kubeconfig {file} is not YAML in line 4, column 1"
    assert "hunter2" not in repr(raised.value.__cause__)


def test_a_folder_in_place_of_a_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"cannot be read: Is a directory"):
        read_context((tmp_path,), None)


def test_files_come_from_the_argument_then_the_variable_then_the_home(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a", ""), write(tmp_path / "b", "")
    environment = {"KUBECONFIG": os.pathsep.join([str(b), str(tmp_path / "absent"), str(a)])}
    assert files_of(a, environment) == (a,)
    assert files_of(None, environment) == (b, a)
    assert files_of(tmp_path / "absent", environment) == ()
