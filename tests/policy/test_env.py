"""The environment: secrets by reference, no name twice."""

from __future__ import annotations

import pytest

from controlplane.stack.facts import Known
from controlplane.stack.pods import ConfigKey, SecretKey
from tests.policy.folder import FLEET, container, findings, service, told


@pytest.mark.parametrize(
    "name",
    ["HF_TOKEN", "hf_token", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "OPENAI_API_KEY", "APIKEY", "MY_CREDENTIALS"],
)
def test_literal_secret_is_refused_by_its_name(name: str) -> None:
    found = told("policy/literal-secret", service(env=f"[{{name: {name}, value: 5up3r-s3cr3t}}]"))
    assert found.path == ("spec", "env", 0, "value")
    assert "5up3r" not in repr(found)


@pytest.mark.parametrize(
    "value", ["hf_abcdefghijklmnopqrstuvwxyz", "sk-abcdefghijklmnopqrstuvwx", "AKIAABCDEFGHIJKLMNOP"]
)
def test_literal_secret_is_refused_by_its_form(value: str) -> None:
    found = told("policy/literal-secret", service(env=f"[{{name: PLAIN, value: {value}}}]"))
    assert value not in repr(found)


@pytest.mark.parametrize("name", ["TOKENIZERS_PARALLELISM", "MAX_TOKENS", "TOKENS_PER_STEP", "OMP_NUM_THREADS"])
def test_plain_variable_is_taken(name: str) -> None:
    assert findings(FLEET, service(env=f'[{{name: {name}, value: "4"}}]')) == []


def test_variable_set_twice_is_refused() -> None:
    found = told("policy/duplicate-variable", service(env="[{name: A, value: b}, {name: A, value: c}]"))
    assert found.path == ("spec", "env", 1, "name")
    assert len(found.related) == 1


def test_values_are_given_by_text_secret_and_config() -> None:
    env = "[{name: A, value: b}, {name: T, secret: {name: s, key: k}}, {name: C, config: {name: c, key: k}}]"
    found = {e.name: e.value for e in container(service(env=env)).env}
    assert [v.value for v in found.values() if isinstance(v, Known)] == [
        "1",
        "b",
        SecretKey("s", "k"),
        ConfigKey("c", "k"),
    ]


def test_variable_of_the_policy_replaces_ours() -> None:
    found = [
        e for e in container(service(env='[{name: HF_HUB_OFFLINE, value: "0"}]')).env if e.name == "HF_HUB_OFFLINE"
    ]
    assert [e.value for e in found if isinstance(e.value, Known) and e.value.value == "0"] == [found[0].value]
    assert len(found) == 1


def test_entry_after_a_refused_one_keeps_its_place() -> None:
    found = told("policy/literal-secret", service(env="[{name: A}, {name: HF_TOKEN, value: b}]"))
    assert found.path == ("spec", "env", 1, "value")
