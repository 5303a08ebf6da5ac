"""Which files lint reads, and in which order."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.lint.discovery import find


def tree(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a: 1\n")
    return root


def names(root: Path, *paths: str | Path) -> list[str]:
    return [Path(n).relative_to(root).as_posix() for n in find([str(p) for p in paths] or [str(root)]).files]


def test_folder_gives_its_manifests_in_the_order_of_names(tmp_path: Path) -> None:
    tree(tmp_path, "b.yaml", "a/z.yml", "a/x.json", "a/notes.txt", "c/d/e.yaml")
    assert names(tmp_path) == ["a/x.json", "a/z.yml", "b.yaml", "c/d/e.yaml"]


def test_hidden_files_and_other_peoples_code_are_left_out(tmp_path: Path) -> None:
    tree(tmp_path, ".github/a.yaml", ".b.yaml", "node_modules/c.yaml", "x/.venv/d.yaml", "venv/e.yaml", "f.yaml")
    assert names(tmp_path) == ["f.yaml"]


def test_what_is_named_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    tree(tmp_path, ".hidden/policy", ".hidden/a.yaml", "node_modules/b.yaml")
    assert names(tmp_path, tmp_path / ".hidden" / "policy") == [".hidden/policy"]
    assert names(tmp_path, tmp_path / ".hidden") == [".hidden/a.yaml"]
    assert names(tmp_path, tmp_path / "node_modules") == ["node_modules/b.yaml"]


def test_ignored_files_are_left_out_with_the_rules_of_all_folders(tmp_path: Path) -> None:
    tree(tmp_path, "out/a.yaml", "k8s/gen/b.yaml", "k8s/keep.gen.yaml", "k8s/c.gen.yaml", "d.gen.yaml", "e.yaml")
    (tmp_path / ".gitignore").write_text("/out/\n*.gen.yaml\n")
    (tmp_path / "k8s/.gitignore").write_text("gen\n!keep.gen.yaml\n")
    assert names(tmp_path) == ["e.yaml", "k8s/keep.gen.yaml"]


def test_ignore_files_above_the_folder_count_up_to_the_repository(tmp_path: Path) -> None:
    tree(tmp_path, "repo/app/a.yaml", "repo/app/b.yaml", "repo/app/c.yaml")
    (tmp_path / ".gitignore").write_text("c.yaml\n")
    (tmp_path / "repo/.git/info").mkdir(parents=True)
    (tmp_path / "repo/.git/info/exclude").write_text("b.yaml\n")
    (tmp_path / "repo/.gitignore").write_text("/app/a.yaml\n")
    assert names(tmp_path, tmp_path / "repo" / "app") == ["repo/app/c.yaml"]


def test_named_file_is_read_although_git_ignores_it(tmp_path: Path) -> None:
    tree(tmp_path, "a.yaml")
    (tmp_path / ".gitignore").write_text("a.yaml\n")
    assert names(tmp_path, tmp_path / "a.yaml") == ["a.yaml"]
    assert names(tmp_path) == []


def test_links_do_not_loop_and_give_each_file_once(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.yaml", "b/y.yaml")
    (tmp_path / "a/loop").symlink_to(tmp_path)
    (tmp_path / "a/again.yaml").symlink_to(tmp_path / "b/y.yaml")
    (tmp_path / "a/self.yaml").symlink_to(tmp_path / "a/self.yaml")
    (tmp_path / "a/folder.yaml").symlink_to(tmp_path / "b")
    assert names(tmp_path) == ["a/self.yaml", "a/x.yaml", "b/y.yaml"]


def test_pipe_in_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    tree(tmp_path, "a.yaml")
    os.mkfifo(tmp_path / "b.yaml")
    assert names(tmp_path) == ["a.yaml"]


def test_overlapping_arguments_give_each_file_once(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.yaml", "b/y.yaml")
    assert names(tmp_path, tmp_path / "b", tmp_path, tmp_path / "a" / "x.yaml") == ["b/y.yaml", "a/x.yaml"]


def test_pattern_is_expanded_and_takes_folders_too(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.yaml", "a/deep/y.yaml", "a/z.txt", "b/w.yaml")
    assert names(tmp_path, f"{tmp_path}/**/*") == ["a/deep/y.yaml", "a/x.yaml", "b/w.yaml"]
    assert names(tmp_path, f"{tmp_path}/?/*.yaml") == ["a/x.yaml", "b/w.yaml"]


def test_file_whose_name_looks_like_a_pattern_is_itself(tmp_path: Path) -> None:
    tree(tmp_path, "a[1].yaml", "a1.yaml")
    assert names(tmp_path, tmp_path / "a[1].yaml") == ["a[1].yaml"]


@pytest.mark.parametrize("path", ["nowhere.yaml", "no/*.yaml"])
def test_path_that_is_not_there_is_a_usage_error(tmp_path: Path, path: str) -> None:
    with pytest.raises(VerbEnd, match=r"nowhere\.yaml does not exist|no file matches") as end:
        find([str(tmp_path / path)])
    assert end.value.code is Exit.USAGE


def test_standard_input_is_an_argument_like_any_other(tmp_path: Path) -> None:
    tree(tmp_path, "a.yaml")
    assert find(["-", str(tmp_path)]).files == ("-", str(tmp_path / "a.yaml"))


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_folder_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    tree(tmp_path, "shut/a.yaml", "b.yaml")
    (tmp_path / "shut").chmod(0)
    found = find([str(tmp_path)])
    (tmp_path / "shut").chmod(0o700)
    assert [n.reason for n in found.not_judged] == ["the folder cannot be read: Permission denied"]
    assert found.files == (str(tmp_path / "b.yaml"),)
