"""The command's frame: verbs are found, every end has its exit code, and `--help` loads nothing heavy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane.adapters.errors import Unreachable
from controlplane.cli import main as frame
from controlplane.cli.exit import Exit, VerbEnd


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "controlplane.cli.main", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_help_lists_every_verb() -> None:
    result = run("--help")
    assert result.returncode == 0
    for verb in frame.VERBS:
        assert f"\n  {verb} " in result.stdout


@pytest.mark.parametrize("verb", list(frame.VERBS))
def test_every_verb_has_help(verb: str) -> None:
    result = run(verb, "--help")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"Usage: controlplane {verb}")


def test_compile_is_another_name_of_render() -> None:
    assert run("compile", "--help").stdout == run("render", "--help").stdout.replace("render", "compile", 1)


def test_unknown_verb_is_told_the_nearest_one_and_exits_64() -> None:
    result = run("rendr")
    assert result.returncode == Exit.USAGE
    assert "did you mean 'render'?" in result.stderr


def test_unknown_option_exits_64() -> None:
    assert run("lint", "--nonsense", "x").returncode == Exit.USAGE


def test_help_loads_no_client_no_models_and_no_yaml() -> None:
    code = (
        "import sys\n"
        "from controlplane.cli.main import main\n"
        "main(['--help'])\n"
        "heavy = {'pydantic', 'yaml', 'kubernetes', 'temporalio', 'ray', 'vllm'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def raising(error: BaseException) -> object:
    def program(**_: object) -> None:
        raise error

    return type("Program", (), {"main": staticmethod(program)})()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        pytest.param(VerbEnd(Exit.NOTHING_TO_READ, "nothing"), Exit.NOTHING_TO_READ, id="a verb's own end"),
        pytest.param(Unreachable("nobody answers at 10.0.0.1:6443"), Exit.REFUSED, id="the world refuses"),
        pytest.param(KeyboardInterrupt(), Exit.INTERRUPTED, id="interrupted"),
        pytest.param(ZeroDivisionError("x"), Exit.BUG, id="our bug"),
    ],
)
def test_every_end_has_its_exit_code(
    error: BaseException, code: Exit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(frame, "program", raising(error))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert frame.main([]) == code


def test_bug_of_ours_leaves_a_report_and_says_where(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(frame, "program", raising(ZeroDivisionError("hunter2 in a message")))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    frame.main([])
    [report] = tmp_path.iterdir()
    err = capsys.readouterr().err
    assert str(report) in err
    assert "ZeroDivisionError" in report.read_text()
    assert "hunter2" not in err + report.read_text()


def test_message_with_an_escape_sequence_does_not_reach_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(frame, "program", raising(VerbEnd(Exit.USAGE, "bad \x1b[2Jname")))
    frame.main([])
    assert "bad \\x1b[2Jname" in capsys.readouterr().err
