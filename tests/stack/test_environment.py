from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.stack.environment import LONGEST, Environment, environment_of, expand
from controlplane.stack.facts import Known, Unknown, Why
from controlplane.stack.pods import ConfigKey, EnvVar, FieldPath, SecretKey
from controlplane.stack.words import MARK, Word, word_of
from tests.stack.strategies import WRITTEN


def variable(name: str, value: object) -> EnvVar:
    return EnvVar(name, Known(value, WRITTEN))  # type: ignore[arg-type]  # the tests say what they put in


def expanded(text: str, environment: Environment) -> Word:
    return expand(word_of(Known(text, WRITTEN)), environment)


# The table of `TestMapReference` in third_party/forked/golang/expansion/expand_test.go, as Kubernetes 1.36 has it.
KUBERNETES = [
    ("$(VAR_A)", "A"),
    ("___$(VAR_B)___", "___B___"),
    ("$(VAR_A)-1", "A-1"),
    ("$(VAR_A)_$(VAR_B)", "A_B"),
    ("$$(VAR_B)_$(VAR_A)", "$(VAR_B)_A"),
    ("$$(VAR_A)_$$(VAR_B)", "$(VAR_A)_$(VAR_B)"),
    ("f000-$$VAR_A", "f000-$VAR_A"),
    ("foo\\$(VAR_C)bar", "foo\\Cbar"),
    ("foo$$$(VAR_B)", "foo$B"),
    ("foo$$$$$(VAR_B)", "foo$$B"),
    ("$(VAR_A$(VAR_B", "$(VAR_A$(VAR_B"),
    ("$VAR_A)", "$VAR_A)"),
    ("${VAR_A}", "${VAR_A}"),
    ("$(VAR_UNKNOWN)", "$(VAR_UNKNOWN)"),
    ("$(EMPTY)", ""),
    ("$", "$"),
    ("a$", "a$"),
    ("$$", "$"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "result"), KUBERNETES)
def test_references_expand_as_the_kubelet_does_it(text: str, result: str) -> None:
    environment = environment_of(
        [variable("VAR_A", "A"), variable("VAR_B", "B"), variable("VAR_C", "C"), variable("EMPTY", "")]
    )
    assert expanded(text, environment).text == result


@given(st.text())
def test_a_doubled_dollar_is_one_so_that_any_text_can_be_written(text: str) -> None:
    text = text.replace(MARK, "")
    environment = environment_of([variable("A", "x")])
    assert expanded(text.replace("$", "$$"), environment).text == text


def test_a_variable_may_refer_to_those_before_it() -> None:
    environment = environment_of(
        [variable("A", "1"), variable("B", "$(A)2"), variable("C", "$(D)"), variable("D", "")]
    )
    assert environment.values["B"].text == "12"
    assert environment.values["C"].text == "$(D)"


@pytest.mark.parametrize(
    ("source", "needs"),
    [
        (SecretKey("hub", "token"), "Secret 'hub'"),
        (ConfigKey("settings", "port"), "ConfigMap 'settings'"),
        (FieldPath("status.podIP"), "status.podIP"),
    ],
)
def test_a_value_by_reference_is_unknown_and_says_what_it_needs(source: object, needs: str) -> None:
    word = expanded("--host=$(A)", environment_of([variable("A", source)]))
    assert word.text == f"--host={MARK}"
    assert word.missing[0].why is Why.RUNTIME
    assert needs in word.missing[0].needs


def test_an_unknown_variable_stays_unknown() -> None:
    environment = environment_of([EnvVar("A", Unknown(Why.TEMPLATED, "values"))])
    assert expanded("$(A)", environment).missing == (Unknown(Why.TEMPLATED),)


def test_with_env_from_any_name_may_be_set() -> None:
    assert expanded("$(A)", environment_of([], open_ended=True)).text == MARK
    assert expanded("$(A)", environment_of([])).text == "$(A)"


def test_long_texts_of_references_are_read_once() -> None:
    unknown = environment_of([variable("A", SecretKey("s", "k"))], open_ended=False)
    for text in ("$(" * 500_000, "$$" * 500_000, "$(A)" * 30_000):
        assert len(expanded(text, unknown).text) <= LONGEST


def test_values_that_double_each_other_end_at_the_limit_of_linux() -> None:
    doubling = [variable("V0", "xx"), *(variable(f"V{n}", f"$(V{n - 1})$(V{n - 1})") for n in range(1, 60))]
    values = environment_of(doubling).values
    assert max(len(word.text) for word in values.values()) <= LONGEST
    assert values["V40"].missing
