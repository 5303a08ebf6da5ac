"""Engines side by side in one pod: what they share, and what they cannot."""

from __future__ import annotations

import textwrap

from tests.rules.judging import findings_of, marked_lines

_TWO = """\
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: chat}
    spec:
      strategy: {type: Recreate}
      selector: {matchLabels: {app: chat}}
      template:
        metadata: {labels: {app: chat}}
        spec:
          containers:
            - name: small
              image: registry.example/vllm-openai:v0.33.0
              args: [--model=registry.example/small, --gpu-memory-utilization=0.5]
              env:
                - {name: NVIDIA_VISIBLE_DEVICES, value: all}
                - {name: CUDA_VISIBLE_DEVICES, value: "0"}
            - name: large
              image: registry.example/vllm-openai:v0.33.0
              args:
                - --model=registry.example/large
                - --port=8001
                - --gpu-memory-utilization=FRACTION
              env:
                - {name: NVIDIA_VISIBLE_DEVICES, value: all}
                - {name: CUDA_VISIBLE_DEVICES, value: "<<index>>"}
    """


def _findings(fraction: str, device: str) -> list[tuple[str, int]]:
    text = textwrap.dedent(_TWO).replace("FRACTION", fraction).replace("<<index>>", device)
    return [(f.rule, f.span.line) for f in findings_of(text) if f.rule.startswith("vllm/")]


def test_fractions_of_one_device_add_up() -> None:
    line = marked_lines(textwrap.dedent(_TWO).replace("FRACTION", "0.6  # fires"))[0]
    assert _findings("0.6", "0") == [("vllm/memory-fractions-exceed-gpu", line)]
    assert _findings("0.45", "0") == []


def test_fractions_of_two_devices_do_not_add_up() -> None:
    assert _findings("0.9", "1") == []


def test_two_branches_of_a_script_are_not_two_engines() -> None:
    text = """\
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          strategy: {type: Recreate}
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: engine
                  image: registry.example/vllm-openai:v0.33.0
                  command: [bash, -c]
                  args:
                    - |
                      if [ -d /models/large ]; then
                        vllm serve /models/large
                      else
                        vllm serve /models/small
                      fi
                  resources:
                    limits: {nvidia.com/gpu: 1}
        """
    assert [f.rule for f in findings_of(text) if f.rule.startswith("vllm/")] == []
