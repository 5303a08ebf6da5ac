from __future__ import annotations

import pytest

from controlplane.stack.engine import Engine
from controlplane.stack.facts import value_of
from tests.stack.manifests import at, workload

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: llm}
spec:
  containers:
  - name: main
    image: registry.example/own:1
    command: [bash, -c]
    args:
    - |
"""


def engines(script: str) -> tuple[Engine, ...]:
    return workload(POD + "\n".join(f"      {line}" for line in script.splitlines()) + "\n").engines


def models(script: str) -> list[str | None]:
    return [value_of(engine.model) for engine in engines(script)]


@pytest.mark.parametrize(
    "script",
    [
        "vllm serve m",
        "exec vllm serve m",
        "set -euo pipefail\nulimit -n 65535\nexec nohup vllm serve m > /tmp/log 2>&1",
        "ray start --head --port=6379 && vllm serve m",
        "bash /vllm-workspace/examples/multi-node-serving.sh leader --ray_cluster_size=2; vllm serve m",
        "VLLM_USE_V1=1 vllm serve m",
        "env VLLM_USE_V1=1 vllm serve m",
        "CUDA_VISIBLE_DEVICES=0,1 python3 -m vllm.entrypoints.openai.api_server --model m",
        "python -m vllm.entrypoints.cli.main serve m",
        'MODEL=m; vllm serve "$MODEL"',
        'if [ -n "$X" ]; then echo yes; fi\nvllm serve m',
        "bash -c 'vllm serve m'",
        'eval "vllm serve m"',
        "eval vllm serve m",
        "bash <<EOF\nvllm serve m\nEOF",
        'timeout 600 bash -c "exec vllm serve m"',
        "vllm serve m & wait $!",
        "while true; do vllm serve m; sleep 5; done",
        "start() {\n  vllm serve m\n}\nstart",
        "/opt/venv/bin/vllm serve m",
        "numactl --cpunodebind=0 -- vllm serve m",
        "uv run vllm serve m",
    ],
)
def test_an_engine_is_found_wherever_a_script_starts_it(script: str) -> None:
    assert models(script) == ["m"]


@pytest.mark.parametrize(
    "script",
    [
        "echo vllm serve m",
        "cat <<EOF\nvllm serve m\nEOF",
        "pip install vllm",
        "python3 -m lmcache_vllm serve m",
        "lmcache_vllm serve m",
        "python3 -m sglang.launch_server --model-path m",
        "text-generation-launcher --model-id m",
        "vllm bench serve --model m",
        "vllm serve m --omni --port 80",
        "vllm --version",
        "# vllm serve m\nsleep infinity",
        "kubectl exec pod -- vllm serve m",
        "grep 'vllm serve' /tmp/log",
        "ray start --address=head:6379 --block  # then vllm serve m",
    ],
)
def test_other_programs_are_no_engine(script: str) -> None:
    assert models(script) == []


def test_several_engines_of_one_script_run_together_when_each_is_in_the_background() -> None:
    first, second = engines("vllm serve a --port 1 &\nvllm serve b --port 2 &\nwait\n")
    assert (first.role, second.role) == ("main", "main-2")
    assert (first.alternative, second.alternative) == (False, False)


@pytest.mark.parametrize(
    ("script", "alternative"),
    [
        ("if leader; then vllm serve a; else vllm serve b --headless; fi", [True, True]),
        ("vllm serve a || vllm serve b", [False, True]),
        ("vllm serve a\nvllm serve b", [False, True]),
        ("if one; then vllm serve a; fi", [False]),
    ],
)
def test_engines_of_which_only_one_may_run_are_alternatives(script: str, alternative: list[bool]) -> None:
    assert [engine.alternative for engine in engines(script)] == alternative


SCRIPTED = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: scripts, namespace: llm}
data:
  run.sh: |
    #!/bin/bash
    exec vllm serve "$1" --port $PORT
---
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: llm}
spec:
  volumes:
  - {name: scripts, configMap: {name: scripts}}
  containers:
  - name: main
    image: registry.example/own:1
    command: COMMAND
    env: [{name: PORT, value: "80"}]
    volumeMounts: [{name: scripts, mountPath: /scripts}]
"""


@pytest.mark.parametrize(
    "command", ["[/scripts/run.sh, m]", "[bash, -e, /scripts/run.sh, m]", "[sh, -c, '/scripts/run.sh m']"]
)
def test_a_script_of_a_config_map_is_read_where_it_stands(command: str) -> None:
    text = SCRIPTED.replace("COMMAND", command)
    found = workload(text).engines
    assert [value_of(engine.model) for engine in found] == ["m"]
    for engine in found:
        assert at(text, engine.written[0].key_origin) == "--port"
        assert engine.written[0].text == "80"


def test_a_script_that_cannot_be_seen_starts_nothing_that_is_known() -> None:
    text = SCRIPTED.replace("COMMAND", "[/scripts/run.sh, m]").replace(
        "configMap: {name: scripts}", "configMap: {name: x}"
    )
    assert workload(text).engines == ()
