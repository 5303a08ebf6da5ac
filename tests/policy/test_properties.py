"""Whatever is done to a valid policy, the answer is findings with places in the file, never a traceback."""

from __future__ import annotations

import copy
import json
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controlplane.diagnostics import Diagnostic
from controlplane.policy import load_policies, resolve
from controlplane.source import Dialect, read_yaml
from tests.policy.folder import FLEET, SERVICE, service

SHARED = """\
apiVersion: controlplane.dev/v1alpha1
kind: MachinePolicy
metadata: {name: standard}
spec: {pool: h100, cpu: 8, memory: 64Gi, termination: {preStop: 5s}, locked: [pool, termination.preStop]}
---
apiVersion: controlplane.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: careful}
spec: {surge: 1, timeouts: {memory: 1h}, return: automatic, drift: {mode: warn}}
"""
FULL = service(
    machine="{policy: standard, sharedMemory: 4Gi, spread: hosts}",
    task="{replicas: 2}",
    memory="{tensorParallel: 2, maxModelLen: 8192, extraArgs: {enable_lora: true, max_loras: 4}}",
    rollout="careful",
    env="[{name: A, value: b}, {name: T, secret: {name: s, key: k}}]",
    service="{port: 80}",
)
VALID = [*yaml.safe_load_all(FLEET), *yaml.safe_load_all(SHARED), yaml.safe_load(FULL), yaml.safe_load(SERVICE)]
VALID[-1]["metadata"]["name"] = "second"

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=True),
    st.text(max_size=12),
    st.sampled_from(["16k", "64gb", "1d", "off", "{}", "h100", "a" * 300, "\u202e", "${A}", "-1", "0"]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
)
KEYS = st.one_of(
    st.text(max_size=8), st.sampled_from(["pool", "maxModelLen", "replicas", "policy", "name", "$schema"])
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything inside a value."""
    found = [path] if path else []
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        found += paths(child, (*path, key))
    return found


@st.composite
def mutated(draw: st.DrawFn) -> list[Any]:
    """The valid folder with up to three values replaced, removed, or joined by another key."""
    documents = copy.deepcopy(VALID)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(paths(documents)))
        holder = documents
        for part in path[:-1]:
            holder = holder[part]
        match draw(st.sampled_from(["replace", "remove", "add"])):
            case "replace":
                holder[path[-1]] = draw(JUNK)
            case "remove":
                del holder[path[-1]]
            case _ if isinstance(holder, dict):
                holder[draw(KEYS)] = draw(JUNK)
            case _:
                holder.append(draw(JUNK))
    return list(documents)


def written(documents: list[Any]) -> str:
    """The documents as text, in the form of JSON, which is YAML."""
    return "".join(f"---\n{json.dumps(document, indent=1)}\n" for document in documents)


def judged(text: str) -> tuple[Diagnostic, ...]:
    """All findings about one file of policies."""
    reading = read_yaml(text.encode(), "folder.yaml", Dialect.POLICY)
    policy_set, loading = load_policies(reading.documents)
    _, resolving = resolve(policy_set)
    return (*loading, *resolving)


def test_the_valid_folder_has_no_finding() -> None:
    assert judged(written(VALID)) == ()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
def test_mutated_folder_gives_findings_with_valid_places(documents: list[Any]) -> None:
    text = written(documents)
    lines = text.splitlines()
    for found in judged(text):
        span = found.span
        assert 1 <= span.line <= span.end_line <= len(lines) + 1
        assert (span.line, span.column) <= (span.end_line, span.end_column)
        assert span.column >= 1
        assert found.message
        assert found.remedy is not None
        assert found.remedy.text.endswith(".")
        assert found.message.isprintable()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
def test_same_folder_gives_the_same_findings_twice(documents: list[Any]) -> None:
    text = written(documents)
    assert judged(text) == judged(text)
