from __future__ import annotations

import pytest

from controlplane.rules.vllm._example import engine
from tests.rules.judging import findings_of

AUTO = "- --enable-auto-tool-choice\n"


def _rules(args: str, version: str) -> list[str]:
    return [finding.rule for finding in findings_of(engine(args, version=version))]


@pytest.mark.parametrize(
    ("version", "name"), [("0.33.0", "mistrall"), ("0.33.0", "minimax"), ("0.33.0", "qwen3"), ("0.11.0", "hermess")]
)
def test_parser_that_the_release_does_not_have_is_found(version: str, name: str) -> None:
    assert _rules(f"{AUTO}- --tool-call-parser={name}", version) == ["vllm/tool-parser-unknown"]


@pytest.mark.parametrize(
    ("version", "name"),
    [
        ("0.33.0", "hermes"),
        ("0.33.0", "granite-20b-fc"),
        ("0.20.0", "minimax"),
        ("0.28.0", "kimi_k4"),
        ("0.20.0", "ours"),
    ],
)
def test_parser_that_the_release_has_or_may_have_is_let_be(version: str, name: str) -> None:
    assert _rules(f"{AUTO}- --tool-call-parser={name}", version) == []


def test_plugin_may_bring_any_parser() -> None:
    assert _rules(f"{AUTO}- --tool-call-parser=ours\n- --tool-parser-plugin=/plugins/ours.py", "0.33.0") == []


def test_parser_that_nobody_looks_up_is_let_be() -> None:
    assert "vllm/tool-parser-unknown" not in _rules("- --tool-call-parser=ours", "0.33.0")
