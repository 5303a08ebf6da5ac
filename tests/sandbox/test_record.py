from __future__ import annotations

from pathlib import Path

import pytest

from controlplane.sandbox.commands import Ports
from controlplane.sandbox.processes import Identity
from controlplane.sandbox.record import Record, read, write

RECORD = Record(
    ports=Ports(etcd=1, etcd_peer=2, api=3, kwok=4, operator=5),
    versions={"etcd": "v3.6.16"},
    processes={"etcd": Identity(pid=7, started=8, boot="b")},
)


def test_record_reads_as_it_was_written_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    write(tmp_path, RECORD)
    assert read(tmp_path) == RECORD
    (path,) = tmp_path.iterdir()
    assert path.stat().st_mode & 0o777 == 0o600


def test_absent_record_is_none(tmp_path: Path) -> None:
    assert read(tmp_path / "absent") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format_version": 99}', '{"format_version": 1}'])
def test_record_of_another_version_or_cut_short_is_none(tmp_path: Path, text: str) -> None:
    write(tmp_path, RECORD)
    (path,) = tmp_path.iterdir()
    path.write_text(text)
    assert read(tmp_path) is None


def test_with_process_leaves_the_others() -> None:
    api = Identity(9, 9, "b")
    assert RECORD.with_process("kube-apiserver", api).processes == {
        "etcd": Identity(7, 8, "b"),
        "kube-apiserver": api,
    }
