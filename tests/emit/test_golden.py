"""The reference policies render to the bytes in `tests/golden/`.

After a change that is meant: `pytest tests/emit/test_golden.py --update-golden`, then review the difference.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from controlplane.emit import Bundle, emit, explained_yaml, to_yaml
from controlplane.source import Dialect, read_yaml
from controlplane.stack.read import read
from tests.emit.reference_policies import NAMES, REPOSITORY, resolved

GOLDEN = REPOSITORY / "tests" / "golden"

PRINT = """
import sys
from controlplane.emit import emit, explained_yaml, to_yaml
from tests.emit.reference_policies import resolved

bundle = emit(resolved(sys.argv[1]))
print(to_yaml(bundle), explained_yaml(bundle))
"""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("suffix", "write"), [("yaml", to_yaml), ("explained.yaml", explained_yaml)])
def test_reference_policy_renders_to_its_golden_file(
    name: str, suffix: str, write: Callable[[Bundle], str], update_golden: bool
) -> None:
    path = GOLDEN / f"{name}.{suffix}"
    text = write(emit(resolved(name)))
    if update_golden:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("suffix", ["yaml", "explained.yaml"])
def test_golden_file_reads_back_as_the_stack_it_was_written_from(name: str, suffix: str) -> None:
    path = GOLDEN / f"{name}.{suffix}"
    result = read_yaml(path.read_bytes(), path.name, Dialect.KUBERNETES)
    reading = read(result.documents)
    stack = resolved(name)
    assert (result.diagnostics, reading.diagnostics, reading.skipped) == ((), (), ())
    assert reading.stack.workloads == stack.workloads
    assert reading.stack.references == stack.references


@pytest.mark.parametrize("name", NAMES)
def test_the_same_policy_gives_the_same_bytes_under_any_hash_seed(name: str) -> None:
    assert _rendered_elsewhere(name, "1") == _rendered_elsewhere(name, "4294967295")


def _rendered_elsewhere(name: str, seed: str) -> bytes:
    command = [sys.executable, "-c", PRINT, name]
    done = subprocess.run(command, cwd=REPOSITORY, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True)
    return done.stdout
