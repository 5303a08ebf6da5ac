from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from controlplane.sandbox.errors import Busy
from controlplane.sandbox.locks import held

_HOLD = """
import sys
from pathlib import Path
from controlplane.sandbox.locks import held
with held(Path(sys.argv[1]), "it", report=print, patience_s=1):
    print("held", flush=True)
    sys.stdin.read()
"""


def _holder(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_second_process_is_told_who_holds_the_lock_and_gives_up(tmp_path: Path) -> None:
    path, said = tmp_path / "lock", []
    with (
        _holder(path) as other,
        pytest.raises(Busy, match=f"process {other.pid} still works on the thing after 0 s"),
        held(path, "the thing", report=said.append, patience_s=0),
    ):
        pass
    assert said == [f"waiting for process {other.pid}, which works on the thing"]


def test_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    path, said = tmp_path / "lock", []
    with _holder(path) as other:
        other.kill()
    with held(path, "the thing", report=said.append, patience_s=0):
        assert said == []


def test_lock_is_free_again_after_an_error(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "lock"
    with pytest.raises(ValueError, match="inside"), held(path, "it", report=print, patience_s=0):
        raise ValueError("inside")
    with held(path, "it", report=print, patience_s=0):
        assert path.exists()
