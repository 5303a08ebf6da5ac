"""Files, folders and standard input: what is read, in which order, and what is said when nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.sources import read_sources


def test_folder_is_read_deeply_in_order_of_names_and_only_yaml(tmp_path: Path) -> None:
    for name in ("b.yaml", "a/z.yml", "a/notes.txt", ".hidden/x.yaml", ".y.yaml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("a: 1\n")
    names = [Path(s.name).relative_to(tmp_path).as_posix() for s in read_sources([str(tmp_path)])]
    assert names == ["a/z.yml", "b.yaml"]


def test_named_file_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "policy").write_text("a: 1\n")
    [source] = read_sources([str(tmp_path / "policy")])
    assert source.data == b"a: 1\n"


def test_empty_folder_is_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(VerbEnd) as end:
        read_sources([str(tmp_path)])
    assert end.value.code is Exit.NOTHING_TO_READ


def test_missing_path_is_a_usage_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(VerbEnd, match="nowhere does not exist") as end:
        read_sources([str(tmp_path / "nowhere")])
    assert end.value.code is Exit.USAGE


def test_bytes_that_are_not_utf8_still_make_an_excerpt(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"a: \xff\n")
    [source] = read_sources([str(tmp_path)])
    assert source.text == "a: \ufffd\n"
