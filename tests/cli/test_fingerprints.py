"""What a finding is known by: its rule, file, object and path."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlplane.cli.fingerprints import LENGTH, fingerprints, object_names, portable_name
from controlplane.diagnostics import Diagnostic, KeyPath, Layer, Severity, Span

TEXT = """\
kind: Deployment
metadata: {name: chat, namespace: llm}
spec:
  containers:
  - name: side
  - name: vllm
    ports: [1]
---
- no: object
"""


def finding(line: int, path: KeyPath = (), column: int = 3, rule: str = "vllm/x") -> Diagnostic:
    return Diagnostic(rule, Severity.ERROR, Layer.VLLM, "m", Span("f", line, column, line, column + 1), path)


def mark(one: Diagnostic, text: str) -> str:
    [found] = fingerprints([one], {"f": text})
    assert len(found) == LENGTH
    return found


def test_object_is_named_by_kind_namespace_and_name() -> None:
    assert object_names([finding(6), finding(9), finding(99)], {"f": TEXT}) == ["Deployment/llm/chat", "", ""]


def test_item_counts_by_its_name_and_not_by_its_index() -> None:
    ports = ("spec", "containers", 1, "ports")
    shorter = TEXT.replace("  - name: side\n", "")
    assert mark(finding(7, ports), TEXT) == mark(finding(6, ("spec", "containers", 0, "ports")), shorter)
    renamed = TEXT.replace("name: vllm", "name: engine")
    assert mark(finding(7, ports), renamed) != mark(finding(7, ports), TEXT)


def test_changed_value_at_the_same_path_is_the_same_finding() -> None:
    path = ("metadata", "name")
    assert mark(finding(2, path, 18), TEXT) == mark(finding(2, path, 18), TEXT.replace("[1]", "[2]"))


def test_findings_that_are_alike_are_numbered_in_the_order_of_the_text() -> None:
    alike = [finding(1, column=1), finding(1, column=1)]
    first, second = fingerprints(alike, {"f": TEXT})
    assert first != second
    assert fingerprints(alike[:1], {"f": TEXT}) == [first]


def test_file_without_a_text_gives_fingerprints_all_the_same() -> None:
    assert len(set(fingerprints([finding(1), finding(1, rule="vllm/y")], {}))) == 2


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("./a/b.yaml", "a/b.yaml"),
        ("a//b.yaml", "a/b.yaml"),
        ("../b.yaml", "../b.yaml"),
        ("<stdin>", "<stdin>"),
        ("", ""),
    ],
)
def test_name_is_written_in_one_way(name: str, shown: str) -> None:
    assert portable_name(name) == shown


def test_absolute_name_below_the_working_folder_is_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert portable_name(str(tmp_path / "a" / "b.yaml")) == "a/b.yaml"
    assert portable_name("/elsewhere/b.yaml") == "/elsewhere/b.yaml"
