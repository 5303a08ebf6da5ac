"""A whole run: many files give the same report in one process and in several."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from benchmarks.lint_corpus import write_corpus
from controlplane.cli.lint import files, judging
from controlplane.cli.lint.report import LintReport
from controlplane.cli.lint.run import Request, lint


def report(folder: Path, monkeypatch: pytest.MonkeyPatch, processes: int) -> LintReport:
    for module in (files, judging):
        monkeypatch.setattr(module, "processors", lambda: processes)
        monkeypatch.setattr(module, "_WORTH_A_PROCESS_BYTES", 0, raising=False)
        monkeypatch.setattr(module, "_WORTH_A_PROCESS_DOCUMENTS", 0, raising=False)
    return lint(Request((str(folder),), date(2026, 1, 1), show_unknown=True))


def test_several_processes_find_what_one_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_corpus(tmp_path, files=40)
    alone, together = (report(tmp_path, monkeypatch, processes) for processes in (1, 3))
    assert alone == together
    assert alone.files == 40


def test_corpus_is_the_same_bytes_for_the_same_seed(tmp_path: Path) -> None:
    one, other = (write_corpus(tmp_path / name, files=30, seed=7) for name in ("one", "other"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]
    assert all(path.stat().st_size <= 20 * 1024 for path in one)
