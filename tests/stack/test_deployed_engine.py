"""Which GPU an engine runs on, and the defaults that follow from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controlplane.source import Quantity
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import ABSENT, Derived, Known, OneOf, Unknown
from controlplane.stack.inventory import Accelerator, Inventory, NodePool, Sharing, Taint
from controlplane.stack.model import Context
from controlplane.stack.pods import Count
from tests.stack.manifests import at, read_text

MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat, namespace: llm}}
spec:
  template:
    spec:
      {placement}
      containers:
      - name: main
        image: vllm/vllm-openai:v{version}
        args: [--model, {model}{arguments}]
        resources: {{limits: {{{resource}: "1"}}}}
"""


def text_of(
    placement: str = "nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}",
    version: str = "0.33.0",
    arguments: str = "",
    model: str = "Qwen/Qwen3-8B",
    resource: str = "nvidia.com/gpu",
) -> str:
    return MANIFEST.format(placement=placement, version=version, arguments=arguments, model=model, resource=resource)


def engine(text: str, inventory: Inventory | None = None) -> DeployedEngine:
    stack = read_text(text).stack
    if inventory is not None:
        stack = replace(stack, inventory=inventory, context=Context(complete=frozenset({"Node"})))
    (found,) = engines_of(stack)
    return found


def pool(name: str, product: str, taints: tuple[Taint, ...] = (), resource: str = "nvidia.com/gpu") -> NodePool:
    count = Known(1, Derived("a test"))
    accelerator = Accelerator(product, resource, 8, Sharing.WHOLE)
    nodes = Count(count, count, count)
    return NodePool(name, nodes, {"cpu": Quantity("64")}, {"pool": name}, {"pool": name}, taints, accelerator)


AFFINITY = """affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
        {matchExpressions: [{key: KEY, operator: In, values: [VALUES]}]}]}}}"""


@pytest.mark.parametrize(
    ("placement", "product"),
    [
        ("nodeSelector: {nvidia.com/gpu.product: Tesla-T4}", "T4"),
        ("nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4, team: a}", "L4"),
        ("nodeSelector: {node.kubernetes.io/instance-type: p5.48xlarge}", "H100-80GB"),
        (AFFINITY.replace("KEY", "nvidia.com/gpu.product").replace("VALUES", "NVIDIA-L40S"), "L40S-48GB"),
        (
            AFFINITY.replace("KEY", "node.kubernetes.io/instance-type").replace("VALUES", "g6.xlarge, g6.2xlarge"),
            "L4",
        ),
    ],
)
def test_gpu_is_what_the_pods_labels_name(placement: str, product: str) -> None:
    fact = engine(text_of(placement)).gpu
    assert isinstance(fact, Known)
    assert fact.value.name == product


def test_gpu_is_known_at_the_place_of_the_label() -> None:
    text = text_of()
    fact = engine(text).gpu
    assert isinstance(fact, Known)
    assert at(text, fact.origin) == "NVIDIA-H100-80GB-HBM3"


@pytest.mark.parametrize(
    "placement",
    [
        "nodeSelector: {nvidia.com/gpu.product: Something-New}",
        "nodeSelector: {pool: gpu}",
        AFFINITY.replace("KEY", "nvidia.com/gpu.product").replace("VALUES", "NVIDIA-L40S, NVIDIA-L4"),
        "nodeSelector: {nvidia.com/gpu.product: Tesla-T4, cloud.google.com/gke-accelerator: nvidia-l4}",
    ],
)
def test_gpu_is_unknown_where_labels_do_not_tell_one(placement: str) -> None:
    found = engine(text_of(placement))
    assert isinstance(found.gpu, Unknown)
    assert isinstance(found.argument("max_num_seqs"), Unknown)


def test_gpu_is_that_of_the_only_pool_that_admits_the_pod() -> None:
    tainted = pool("fast", "NVIDIA-B200", (Taint("reserved"),))
    found = engine(text_of("tolerations: []"), Inventory((pool("small", "NVIDIA-L4"), tainted)))
    assert isinstance(found.gpu, Known)
    assert found.gpu.value.name == "L4"
    assert found.argument("max_num_seqs") == Known(256, Derived(""))


def test_gpu_is_one_of_those_of_the_pools_and_defaults_hold_where_they_agree() -> None:
    alike = engine(text_of("tolerations: []"), Inventory((pool("a", "H100-80GB"), pool("b", "NVIDIA-H200"))))
    assert isinstance(alike.gpu, OneOf)
    assert alike.argument("max_num_seqs") == Known(1024, Derived(""))
    unlike = engine(text_of("tolerations: []"), Inventory((pool("a", "H100-80GB"), pool("b", "NVIDIA-L4"))))
    assert isinstance(unlike.argument("max_num_seqs"), Unknown)


def test_pools_say_nothing_where_their_nodes_differ_in_a_label_that_is_asked_for() -> None:
    mixed = replace(pool("a", "NVIDIA-L4"), varying_labels=frozenset({"zone"}))
    assert isinstance(engine(text_of("nodeSelector: {zone: b}"), Inventory((mixed,))).gpu, Unknown)


@pytest.mark.parametrize(
    ("version", "product", "tokens", "sequences"),
    [
        ("0.11.0", "NVIDIA-H100-80GB-HBM3", 8192, 1024),
        ("0.33.0", "NVIDIA-H100-80GB-HBM3", 8192, 1024),
        ("0.33.0", "NVIDIA-A100-SXM4-80GB", 2048, 256),
        ("0.33.0", "NVIDIA-L4", 2048, 256),
        ("0.27.0", "NVIDIA-B200", 8192, 1024),
        ("0.28.0", "NVIDIA-B200", 16384, 1024),
    ],
)
def test_batch_defaults_follow_from_version_and_gpu(version: str, product: str, tokens: int, sequences: int) -> None:
    found = engine(text_of(f"nodeSelector: {{nvidia.com/gpu.product: {product}}}", version))
    assert found.argument("max_num_batched_tokens") == Known(tokens, Derived(""))
    assert found.argument("max_num_seqs") == Known(sequences, Derived(""))


def test_default_says_from_what_it_follows() -> None:
    fact = engine(text_of()).argument("max_num_seqs")
    assert isinstance(fact, Known)
    assert isinstance(fact.origin, Derived)
    assert fact.origin.formula == "vLLM 0.33.0's default on H100-80GB"
    assert fact.origin.inputs[0].value == "H100-80GB"


@pytest.mark.parametrize(
    ("arguments", "tokens", "sequences"),
    [
        (", --performance-mode, throughput", 16384, 2048),
        (', --max-num-seqs, "1", --max-model-len, "512"', 512, 1),
        (', --max-num-batched-tokens, "64"', 64, 64),
    ],
)
def test_what_is_written_changes_the_other_defaults(arguments: str, tokens: int, sequences: int) -> None:
    found = engine(text_of(arguments=arguments))
    assert found.argument("max_num_batched_tokens") == Known(tokens, Derived(""))
    assert found.argument("max_num_seqs") == Known(sequences, Derived(""))


@pytest.mark.parametrize(
    "changed",
    [
        {"version": "0.10.2"},
        {"resource": "nvidia.com/mig-1g.10gb"},
        {"resource": "nvidia.com/gpu.shared"},
        {"resource": "cpu"},
        {"arguments": ", --enable-expert-parallel, --data-parallel-size, '2'"},
    ],
)
def test_batch_defaults_are_unknown_where_anything_they_depend_on_is(changed: dict[str, str]) -> None:
    found = engine(text_of(**changed))
    assert isinstance(found.argument("max_num_seqs"), Unknown)
    assert isinstance(found.argument("max_num_batched_tokens"), Unknown)


@pytest.mark.parametrize(
    "changed",
    [
        {"model": "/models/mine"},
        {"model": "google/gemma-3-4b-it"},
        {"arguments": ", --no-enable-chunked-prefill"},
        {"arguments": ", --runner, pooling"},
        {"arguments": ", --max-model-len, auto"},
    ],
)
def test_tokens_of_a_step_are_unknown_where_the_model_may_raise_them(changed: dict[str, str]) -> None:
    found = engine(text_of(**changed))
    assert isinstance(found.argument("max_num_batched_tokens"), Unknown)
    assert found.argument("max_num_seqs") == Known(1024, Derived(""))


def test_llm_config_without_accelerator_type_has_no_gpu() -> None:
    found = engine(text_of())
    without = replace(found, pods=None, container=None)
    assert without.gpu == ABSENT
    named = replace(without, engine=replace(without.engine, accelerator_type=Known("A100", Derived("a test"))))
    assert isinstance(named.gpu, Known)
    assert named.gpu.value.memory_bytes is None
    assert isinstance(named.argument("max_num_seqs"), Unknown)
