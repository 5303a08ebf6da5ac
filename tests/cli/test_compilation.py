"""Files to findings, each mistake once."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlplane.cli.compilation import compile_paths
from tests.policy.folder import FLEET, service


def rules(folder: Path, *texts: str) -> list[str]:
    for index, text in enumerate(texts):
        (folder / f"{index}.yaml").write_text(text, encoding="utf-8")
    return [f.rule for f in compile_paths([str(folder)]).findings]


@pytest.mark.parametrize(
    ("memory", "rule"),
    [
        ("{gpuMemoryUtilization: .nan}", "policy/bad-value"),
        ("{maxModelLen: 1_000}", "policy/wrong-type"),
        ("{enablePrefixCaching: yes}", "policy/wrong-type"),
        ("{maxModelLen: 99999999999999999999999}", "yaml/unreadable-scalar"),
        ("{extraArgs: {cpu_offload_gb: 1e400}}", "yaml/unreadable-scalar"),
        ("{extraArgs: {cpu_offload_gb: .inf}}", "yaml/ambiguous-scalar"),
    ],
)
def test_one_value_gives_one_finding(tmp_path: Path, memory: str, rule: str) -> None:
    assert rules(tmp_path, FLEET, service(memory=memory)) == [rule]


def test_file_that_cannot_be_read_proves_no_reference_wrong(tmp_path: Path) -> None:
    assert rules(tmp_path, FLEET.replace("{name: prod}", "{name: prod"), service()) == ["yaml/syntax"]
