from __future__ import annotations

import textwrap

import pytest

from controlplane.rules.engine_gpu import gpus_of_engine
from controlplane.rules.vllm._example import engine
from controlplane.source import Dialect, read_yaml
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.read import read


def _name(text: str) -> str | None:
    documents = read_yaml(textwrap.dedent(text).encode(), "pod.yaml", Dialect.KUBERNETES).documents
    found = gpus_of_engine(next(iter(engines_of(read(documents).stack))))
    return None if found is None else f"{found.name} ({found.capabilities()})"


def _with(pod: str) -> str:
    return engine("").replace(
        "      containers:\n", textwrap.indent(textwrap.dedent(pod), "      ") + "      containers:\n"
    )


@pytest.mark.parametrize(
    ("label", "value", "expected"),
    [
        ("nvidia.com/gpu.product", "Tesla-T4", "T4 (7.5)"),
        ("nvidia.com/gpu.product", "Tesla-T4-SHARED", "T4 (7.5)"),
        ("cloud.google.com/gke-accelerator", "nvidia-l4", "L4 (8.9)"),
        ("nvidia.com/gpu.product", "Acme-Nova-9000", None),
        ("example.com/pool", "gpu", None),
    ],
)
def test_label_that_a_pod_selects_names_its_gpu(label: str, value: str, expected: str | None) -> None:
    assert _name(_with(f"nodeSelector: {{{label}: {value}}}\n")) == expected


def test_affinity_may_leave_several_products() -> None:
    pod = """\
        affinity:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
                - matchExpressions:
                    - {key: nvidia.com/gpu.product, operator: In, values: [VALUES]}
        """
    assert _name(_with(pod.replace("VALUES", "Tesla-T4, Tesla-V100-SXM2-16GB"))) == "T4 or V100-16GB (7.0 or 7.5)"
    assert _name(_with(pod.replace("VALUES", "Tesla-T4, Acme-Nova-9000"))) is None


def test_pod_that_may_run_anywhere_has_no_known_gpu() -> None:
    assert _name(engine("")) is None


def test_all_have_to_be_older_for_a_fault_to_be_certain() -> None:
    documents = read_yaml(engine("", product="Tesla-T4").encode(), "pod.yaml", Dialect.KUBERNETES).documents
    found = gpus_of_engine(next(iter(engines_of(read(documents).stack))))
    assert found is not None
    assert found.all_below((8, 0))
    assert not found.all_below((7, 5))
