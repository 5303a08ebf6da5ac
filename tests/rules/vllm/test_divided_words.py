"""Flags, values and the blanks between them: what argparse makes of each word."""

from __future__ import annotations

import argparse

import pytest

from controlplane.cli.fixes import fixed
from controlplane.rules.vllm._example import engine
from tests.rules.judging import FILE, findings_of

ONE_WORD = "vllm/flag-and-value-in-one-word"
NO_VALUE = "vllm/argument-without-value"


def _rules(args: str, version: str = "0.33.0") -> list[str]:
    return [finding.rule for finding in findings_of(engine(args, version=version))]


def _fixed(args: str, *, unsafe: bool) -> str:
    text = engine(args)
    return fixed({FILE: text}, findings_of(text), unsafe=unsafe).texts.get(FILE, text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- --max-model-len 8192", "- --max-model-len=8192"),
        ('- "--max-model-len 8192"', '- "--max-model-len=8192"'),
        ("- -tp 1", "- -tp=1"),
        ("- --compilation-config.mode 3", "- --compilation-config.mode=3"),
        ("- '--hf-overrides {\"rope_theta\": 1}'", "- '--hf-overrides={\"rope_theta\": 1}'"),
    ],
)
def test_flag_and_its_value_in_one_word_are_joined_by_an_equals_sign(before: str, after: str) -> None:
    assert _rules(before) == [ONE_WORD]
    assert _fixed(before, unsafe=False) == engine(after)
    assert _rules(after) == []


def test_no_edit_drops_the_value_behind_a_flag_that_is_not_known() -> None:
    assert _fixed("- --max-model-lenn 8192", unsafe=True) in (
        engine("- --max-model-len=8192"),
        engine("- --max-model-lenn=8192"),
        engine("- --max-model-len 8192"),
    )
    assert "image=2" in _fixed("- --limit-mm-per-prompt image=2", unsafe=True)


@pytest.mark.parametrize(
    "args",
    [
        "- --served-model-name a b",
        "- --enforce-eager true",
        "- '--enforce-eager '",
        "- --max-model-len '8192'",
        "- --max-model-len=8192 --max-num-seqs=8",
        "- --max-model-len=8192 --enforce-eager",
        "- |-\n  --max-model-len 8192\n  --max-num-seqs 8",
    ],
)
def test_what_only_its_owner_can_divide_is_found_and_left_as_it_is(args: str) -> None:
    assert ONE_WORD in _rules(args)
    assert _fixed(args, unsafe=True) == engine(args)


def test_model_with_flags_behind_it_is_found() -> None:
    text = engine("- --max-num-seqs=8").replace("--model=registry.example/chat", "org/chat --max-model-len 8192")
    assert [finding.rule for finding in findings_of(text)] == [ONE_WORD]


def test_flag_in_one_word_counts_as_it_is_meant() -> None:
    """Otherwise the engine would seem to leave a GPU idle."""
    text = engine("- --tensor-parallel-size 2", gpus=2)
    assert [finding.rule for finding in findings_of(text)] == [ONE_WORD]


@pytest.mark.parametrize(
    "args",
    [
        "- --chat-template={% if --max-model-len in x %}",
        '- --default-chat-template-kwargs={"note": "say --max-model-len 4"}',
        "- --served-model-name=a --b c",
    ],
)
def test_value_that_only_mentions_a_flag_is_let_be(args: str) -> None:
    assert ONE_WORD not in _rules(args)


@pytest.mark.parametrize("version", ["0.8.5", "0.11.0", "0.20.0", "0.33.0"])
@pytest.mark.parametrize("flag", ["--max-model-len", "--model", "--served-model-name", "-tp", "--middleware"])
def test_argument_without_its_value_is_found_at_the_end_and_before_a_flag(flag: str, version: str) -> None:
    for args in (f"- --max-num-seqs=8\n- {flag}", f"- {flag}\n- --max-num-seqs=8"):
        assert NO_VALUE in _rules(args, version)


@pytest.mark.parametrize(
    "args",
    [
        "- --enforce-eager",
        "- --no-enable-prefix-caching",
        "- --hf-token",
        "- --max-model-len\n- $(LENGTH)",
        "- --cpu-offload-gb\n- '-1'",
    ],
)
def test_argument_that_needs_no_value_or_has_one_is_let_be(args: str) -> None:
    assert NO_VALUE not in _rules(args)


def test_argparse_takes_a_word_with_a_blank_for_no_flag() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-model-len")
    assert parser.parse_known_args(["--max-model-len 8192"]) == (
        argparse.Namespace(max_model_len=None),
        ["--max-model-len 8192"],
    )
    assert parser.parse_args(["--max-model-len=8192 --x=1"]).max_model_len == "8192 --x=1"
