from __future__ import annotations

import pytest

from controlplane.stack.facts import Known
from controlplane.stack.shell_invocation import reads_input, script_file_of, script_of
from controlplane.stack.words import Word, texts, word_of
from tests.stack.strategies import WRITTEN


def word(text: str) -> Word:
    return word_of(Known(text, WRITTEN))


@pytest.mark.parametrize(
    ("words", "script", "parameters"),
    [
        (["sh", "-c", "a"], "a", []),
        (["/bin/bash", "-ec", "a", "name", "1", "2"], "a", ["1", "2"]),
        (["bash", "-o", "pipefail", "-c", "a"], "a", []),
        (["bash", "-eo", "pipefail", "-lc", "a"], "a", []),
        (["bash", "--login", "-c", "a"], "a", []),
    ],
)
def test_the_script_of_a_shell_is_found(words: list[str], script: str, parameters: list[str]) -> None:
    found = script_of([word(text) for text in words])
    assert found is not None
    assert (found[0].text, list(texts(found[1]))) == (script, parameters)


@pytest.mark.parametrize(
    "words", [[], ["bash"], ["bash", "run.sh"], ["sh", "-c"], ["vllm", "-c", "a"], ["bash", "-o"]]
)
def test_other_uses_of_a_shell_have_no_script(words: list[str]) -> None:
    assert script_of([word(text) for text in words]) is None


def test_the_file_of_a_shell_is_found_with_its_parameters() -> None:
    found = script_file_of([word(text) for text in ("/bin/bash", "-e", "/scripts/run.sh", "a")])
    assert found is not None
    assert (found[0].text, list(texts(found[1]))) == ("/scripts/run.sh", ["a"])
    assert script_file_of([word(text) for text in ("bash", "-c", "run.sh")]) is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["bash"], True),
        (["sh", "-s"], True),
        (["bash", "run.sh"], False),
        (["sh", "-c", "a"], False),
        (["cat"], False),
    ],
)
def test_a_shell_without_a_script_reads_its_input(words: list[str], expected: bool) -> None:
    assert reads_input([word(text) for text in words]) is expected
