from __future__ import annotations

import textwrap

import pytest

from tests.rules.judging import findings_of, marked_lines

_SERVICE = """\
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: chat}
    spec:
      serveConfigV2: |
        applications:
          - name: llm
            import_path: ray.serve.llm:build_openai_app
            route_prefix: /
            args:
              llm_configs:
                - model_loading_config: {model_id: chat, model_source: registry.example/chat}
                  engine_kwargs:
                    KWARG
      rayClusterConfig:
        rayVersion: 2.52.0
        headGroupSpec:
          rayStartParams: {}
          template:
            spec:
              containers:
                - name: ray-head
                  image: rayproject/ray-llm:2.52.0-py311-cu128
        workerGroupSpecs: []
    """


def _findings(kwarg: str) -> list[tuple[str, int]]:
    text = textwrap.dedent(_SERVICE).replace("KWARG", kwarg)
    return [(f.rule, f.span.line) for f in findings_of(text) if f.rule.startswith("vllm/")]


@pytest.mark.parametrize(
    ("kwarg", "rule"),
    [
        ("device: auto  # fires", "vllm/argument-removed"),
        ("max_model_length: 8192  # fires", "vllm/argument-unknown"),
        ("gpu_memory_utilization: 90  # fires", "vllm/value-out-of-bounds"),
    ],
)
def test_what_every_release_that_may_run_refuses_is_told(kwarg: str, rule: str) -> None:
    """ray[llm] 2.52.0 takes vLLM 0.11.0 and any later one."""
    line = marked_lines(textwrap.dedent(_SERVICE).replace("KWARG", kwarg))
    assert _findings(kwarg) == [(rule, line[0])]


@pytest.mark.parametrize("kwarg", ["swap_space: 4", "kv_offloading_size: 8", "max_model_len: 8192"])
def test_what_some_of_them_take_is_not_told(kwarg: str) -> None:
    assert _findings(kwarg) == []


def test_range_of_releases_is_named() -> None:
    text = textwrap.dedent(_SERVICE).replace("KWARG", "device: auto")
    found = next(f for f in findings_of(text) if f.rule == "vllm/argument-removed")
    assert found.message.startswith("device is gone since vLLM 0.10.0 (last in 0.9.2)")
    assert "in every release that may run, 0.11.0 to " in found.message


def test_argument_that_no_release_has_is_no_argument_of_the_whole_range() -> None:
    text = textwrap.dedent(_SERVICE).replace("KWARG", "max_model_lenn: 8")
    (message,) = [f.message for f in findings_of(text) if f.rule == "vllm/argument-unknown"]
    assert message.startswith("max_model_lenn is no argument of vLLM 0.11.0 to ")
    assert ", any of which may run; the nearest is max_model_len" in message
