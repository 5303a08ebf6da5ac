"""Every folder without errors compiles, and its manifests read back as the Stack that it resolved to."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from controlplane.diagnostics import has_errors
from controlplane.emit import emit, to_yaml
from controlplane.policy import load_policies, resolve
from controlplane.source import Dialect, read_yaml
from controlplane.stack.read import read
from tests.policy.folder import FLEET

SECONDS = st.integers(0, 300).map(lambda n: f"{n}s")
WORDS = st.text("abcxyz$()-_. 0", min_size=1, max_size=8)
SOURCES = st.one_of(
    st.just({"pvc": "models"}),
    st.just({"image": "registry.example/weights:1"}),
    st.just({"hub": {}}),
    st.just({"hub": {"secret": {"name": "hf", "key": "token"}}}),
)


def optional(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Any of these keys, or none."""
    return st.fixed_dictionaries({}, optional=values)


SPECS = st.fixed_dictionaries(
    {
        "fleet": st.just("prod"),
        "model": st.fixed_dictionaries(
            {"name": st.sampled_from(["Qwen/Qwen3-8B", "acme/own"]), "from": SOURCES},
            optional={
                "weights": st.sampled_from(["15Gi", "132Gi"]),
                "servedName": WORDS,
                "revision": st.just("main"),
                "cache": st.just({"pvc": "cache"}),
            },
        ),
        "runtime": st.fixed_dictionaries(
            {
                "image": st.just("registry.example/own:1"),
                "vllm": st.sampled_from(["0.33.0", "0.18.0", "0.17.0", "0.11.2"]),
            }
        ),
    },
    optional={
        "machine": optional(
            cpu=st.sampled_from([1, 2.5, "500m"]),
            memory=st.sampled_from(["64Gi", "1e11"]),
            sharedMemory=st.sampled_from(["1Gi", "1536Mi"]),
            spread=st.sampled_from(["none", "hosts"]),
            priorityClass=st.just("high"),
            serviceAccount=st.just("chat"),
            termination=optional(preStop=SECONDS, drain=SECONDS, grace=SECONDS),
            probes=optional(startup=SECONDS, engineStart=SECONDS, startupMargin=st.floats(1, 10)),
            disruption=optional(maxUnavailable=st.integers(1, 3)),
        ),
        "task": optional(replicas=st.integers(0, 5), gpusPerPod=st.integers(1, 9)),
        "memory": optional(
            tensorParallel=st.sampled_from([1, 2, 8, 16]),
            pipelineParallel=st.integers(1, 2),
            maxModelLen=st.integers(1, 10**6),
            gpuMemoryUtilization=st.floats(0.01, 1),
            enablePrefixCaching=st.booleans(),
            extraArgs=optional(
                max_loras=st.integers(1, 8),
                enable_lora=st.booleans(),
                hf_overrides=st.dictionaries(WORDS, st.integers(0, 9) | WORDS, min_size=1, max_size=2),
            ),
        ),
        "rollout": optional(strategy=st.sampled_from(["rolling", "recreate"]), surge=st.integers(0, 3)),
        "env": st.lists(
            st.one_of(
                st.fixed_dictionaries({"name": st.sampled_from("ABC"), "value": WORDS}),
                st.fixed_dictionaries({"name": st.sampled_from("DEF"), "config": st.just({"name": "c", "key": "k"})}),
                st.just({"name": "VLLM_API_KEY", "secret": {"name": "s", "key": "k"}}),
            ),
            max_size=3,
            unique_by=lambda entry: entry["name"],
        ),
        "service": optional(port=st.integers(1, 65535)),
    },
)


def service(name: str, spec: dict[str, Any]) -> str:
    document = {
        "apiVersion": "controlplane.dev/v1alpha1",
        "kind": "ModelService",
        "metadata": {"name": name, "namespace": "llm"},
        "spec": spec,
    }
    return f"---\n{json.dumps(document, indent=1)}\n"


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(SPECS, min_size=1, max_size=3))
def test_policies_without_errors_are_emitted_and_read_back(specs: list[dict[str, Any]]) -> None:
    text = FLEET + "  namespaces: [{name: llm, managed: true}]\n"
    text += "".join(service(f"s{index}", spec) for index, spec in enumerate(specs))
    policy_set, loading = load_policies(read_yaml(text.encode(), "folder.yaml", Dialect.POLICY).documents)
    stack, resolving = resolve(policy_set)
    assume(not has_errors((*loading, *resolving)))
    written = to_yaml(emit(stack))
    reading = read(read_yaml(written.encode(), "out.yaml", Dialect.KUBERNETES).documents)
    assert reading.diagnostics == ()
    assert reading.stack.workloads == stack.workloads
    assert reading.stack.references == stack.references
