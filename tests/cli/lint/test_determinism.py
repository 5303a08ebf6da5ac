"""The same input gives the same bytes: whatever strings hash to, however files are named, however many processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak import corpus

_RUN = """
import sys
from controlplane.cli.lint import files, judging
from controlplane.cli.main import main
count = int(sys.argv[1])
for module in (files, judging):
    module.processors = lambda: count
files._WORTH_A_PROCESS_BYTES = judging._WORTH_A_PROCESS_DOCUMENTS = 0
for name in ("text", "json", "sarif", "junit", "github", "gitlab"):
    main(["lint", "--format", name, "--show-unknown", *sys.argv[2:]])
main(["lint", "--diff", "--unsafe-fixes", *sys.argv[2:]])
"""


def _output(folder: Path, paths: list[str], *, seed: int, processes: int) -> bytes:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(Path(__file__).parents[3])}
    ran = subprocess.run(
        [sys.executable, "-c", _RUN, str(processes), *paths],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert ran.stderr == b""
    return ran.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an example of every tenth rule and all manifests of the mutations."""
    place = tmp_path_factory.mktemp("input")
    texts = corpus.texts()
    for number, text in enumerate([*texts[:-10:12], *texts[-10:]]):
        (place / f"{number}.yaml").write_text(text, encoding="utf-8")
    return place


def test_bytes_are_the_same_for_every_hash_order_and_number_of_processes(folder: Path) -> None:
    names = sorted(path.name for path in folder.iterdir())
    first = _output(folder, names, seed=0, processes=1)
    assert first.count(b"vllm/") > 20
    assert _output(folder, names[::-1], seed=1, processes=2) == first
    assert _output(folder, [*names[5:], *names[:5]], seed=2, processes=1) == first
