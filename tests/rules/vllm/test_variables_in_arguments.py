from __future__ import annotations

import pytest

from controlplane.rules.vllm._example import engine
from tests.rules.judging import findings_of

RULE = "vllm/variable-not-set"


def _rules(args: str, env: str = "", image: str = "vllm/vllm-openai") -> list[str]:
    text = engine(args, env=env).replace("registry.example/vllm-openai", image)
    return [finding.rule for finding in findings_of(text)]


def test_reference_to_a_variable_that_nobody_sets_is_found() -> None:
    assert _rules("- --tensor-parallel-size=$(TP)") == [RULE]
    assert _rules("- --max-model-len\n- $(LENGTH)") == [RULE]


def test_variable_that_was_meant_is_named() -> None:
    text = engine("- --max-model-len=$(MAX_LEN)", env="- {name: MAX_LENS, value: '8'}")
    (found,) = findings_of(text.replace("registry.example/vllm-openai", "vllm/vllm-openai"))
    assert "there is MAX_LENS" in found.message


@pytest.mark.parametrize(
    ("args", "env"),
    [
        ("- --tensor-parallel-size=$(TP)", "- {name: TP, value: '1'}"),
        ("- --max-model-len=$(LENGTH)", "- {name: LENGTH, valueFrom: {configMapKeyRef: {name: c, key: k}}}"),
        ("- --served-model-name=$$(NAME)", ""),
        ("- --served-model-name=$(POD_NAME)", ""),
        ("- --served-model-name=$(LWS_LEADER_ADDRESS)", ""),
        ("- --served-model-name=$(params.name)", ""),
    ],
)
def test_variable_that_is_there_or_may_be_is_let_be(args: str, env: str) -> None:
    assert RULE not in _rules(args, env)


def test_image_of_ones_own_may_set_any_variable() -> None:
    assert RULE not in _rules("- --tensor-parallel-size=$(TP)", image="registry.example/team/vllm-openai")


def test_variables_from_elsewhere_may_be_any() -> None:
    text = engine("- --tensor-parallel-size=$(TP)").replace("registry.example/vllm-openai", "vllm/vllm-openai")
    text = text.replace(
        "          resources:", "          envFrom: [{secretRef: {name: more}}]\n          resources:"
    )
    assert RULE not in [finding.rule for finding in findings_of(text)]
