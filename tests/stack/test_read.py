"""Reading is the inverse of writing, and nothing that stands in a file can stop it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from controlplane.emit import emit, explained_yaml, to_yaml
from controlplane.source import Dialect, read_yaml
from controlplane.stack.facts import ABSENT, Unknown, Why, origin_of, value_of
from controlplane.stack.inventory import Inventory, NodePool
from controlplane.stack.model import Stack
from controlplane.stack.pods import Count
from controlplane.stack.read import Reading, read, read_live
from controlplane.stack.references import DisruptionBudget
from tests.stack import strategies as some

# Without the phase that explains: it traces every line, and a Stack takes thousands.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
THOROUGH = settings(max_examples=60, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))


def read_text(text: str) -> Reading:
    result = read_yaml(text.encode(), "stack.yaml", Dialect.KUBERNETES)
    assert result.diagnostics == () or not text
    return read(result.documents)


@THOROUGH
@given(some.stacks())
def test_a_written_stack_is_read_back_as_it_was(stack: Stack) -> None:
    reading = read_text(to_yaml(emit(stack)))
    assert reading.stack == stack
    assert reading.diagnostics == ()
    assert reading.skipped == ()


@THOROUGH
@given(some.stacks())
def test_comments_of_origin_change_nothing_that_is_read(stack: Stack) -> None:
    assert read_text(explained_yaml(emit(stack))).stack == stack


@THOROUGH
@given(some.stacks())
def test_a_written_stack_is_read_back_from_live_objects(stack: Stack) -> None:
    assert read_live([made.manifest for made in emit(stack).objects]).stack == stack


TWO_KINDS = """\
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Service
  metadata: {name: b, namespace: llm}
- apiVersion: networking.k8s.io/v1
  kind: Ingress
  metadata: {name: j, namespace: llm}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: a, namespace: llm}
spec: {selector: {matchExpressions: [{key: a, operator: Exists}]}}
---
just: a map
---
- a list
---
apiVersion: v1
kind: List
items: [{apiVersion: v1, kind: List, items: []}]
"""


def test_items_of_a_list_are_read_one_by_one() -> None:
    assert [str(made.ref) for made in read_text(TWO_KINDS).stack.references] == [
        "PodDisruptionBudget/llm/a",
        "Service/llm/b",
    ]


def test_what_no_reader_knows_is_listed_with_the_reason_and_its_place() -> None:
    skipped = read_text(TWO_KINDS).skipped
    assert [(left.span.line, left.reason) for left in skipped] == [
        (7, "no reader for networking.k8s.io/v1 Ingress"),
        (16, "not a manifest: apiVersion and kind are missing"),
        (18, "not a manifest: the document is no map"),
        (22, "no reader for v1 List"),
    ]


def test_a_selector_that_is_not_of_labels_alone_is_unknown() -> None:
    budget = next(made for made in read_text(TWO_KINDS).stack.references if isinstance(made, DisruptionBudget))
    assert budget.selector == Unknown(Why.UNRESOLVED)


KEYS = (
    *(
        "apiVersion",
        "kind",
        "metadata",
        "name",
        "namespace",
        "labels",
        "annotations",
        "spec",
        "status",
        "items",
        "data",
    ),
    *(
        "replicas",
        "strategy",
        "type",
        "rollingUpdate",
        "maxSurge",
        "selector",
        "matchLabels",
        "template",
        "containers",
    ),
    *("initContainers", "image", "command", "args", "env", "envFrom", "value", "valueFrom", "secretKeyRef", "key"),
    *("resources", "requests", "limits", "cpu", "ports", "containerPort", "port", "targetPort", "volumeMounts"),
    *("mountPath", "livenessProbe", "httpGet", "tcpSocket", "exec", "periodSeconds", "lifecycle", "preStop", "sleep"),
    *("seconds", "volumes", "emptyDir", "sizeLimit", "persistentVolumeClaim", "tolerations", "operator", "affinity"),
    *("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", "matchExpressions"),
    *("topologySpreadConstraints", "maxSkew", "allocatable", "taints", "effect", "minAvailable", "clusterIP"),
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.text(max_size=4),
    st.sampled_from(
        ["v1", "apps/v1", "vllm", "serve", "$(A)", "{{ .Values.a }}", "sh", "-c", "vllm/vllm-openai:v0.33.0"]
    ),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)),
    max_leaves=30,
)
KINDS = (
    ("apps/v1", "Deployment"),
    ("v1", "Service"),
    ("v1", "Node"),
    ("v1", "List"),
    ("policy/v1", "PodDisruptionBudget"),
)


@settings(deadline=None, max_examples=300, phases=PHASES)
@given(TREES, TREES, TREES, st.sampled_from(KINDS))
def test_no_manifest_stops_the_reader(metadata: Any, spec: Any, status: Any, kind: tuple[str, str]) -> None:
    manifest = {"metadata": metadata, "spec": spec, "status": status, "items": [spec]}
    read_live([{"apiVersion": kind[0], "kind": kind[1], **manifest}])


@settings(deadline=None, max_examples=200, phases=PHASES)
@given(TREES)
def test_no_pod_stops_the_reader(pod: Any) -> None:
    manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": {"spec": pod}}}
    container = {"spec": {"template": {"spec": {"containers": [pod]}}}}
    read_live([manifest, {**manifest, **container}])


WRITTEN_BY_OTHERS = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: llm}
spec:
  strategy: {type: Recreate}
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      enableServiceLinks: false
      terminationGracePeriodSeconds: 120
      containers:
      - name: engine
        image: vllm/vllm-openai:v0.33.0
        command: [bash, -c]
        args:
        - |
          export LEN=32k
          exec vllm serve $MODEL -tp 2 \\
            --max_model_len "$LEN" --no-enable-prefix-caching \\
            --compilation-config.mode 3 --served-model-name a b
        env: [{name: MODEL, value: meta-llama/Llama-3.1-8B-Instruct}]
        lifecycle: {preStop: {exec: {command: [sleep, "15"]}}}
      - name: entrypoint
        image: vllm/vllm-openai:v0.33.0
        args: [--model, m, --gpu-memory-util=0.9]
      volumes: [{name: scratch}]
"""


def test_what_others_wrote_means_the_same_when_it_is_written_again() -> None:
    stack = read_text(WRITTEN_BY_OTHERS).stack
    assert [len(workload.engines) for workload in stack.workloads] == [2]
    assert read_text(to_yaml(emit(stack))).stack == stack


ENGINE = """\
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: llm}
spec: {containers: [{name: main, image: "IMAGE", command: [vllm, serve, m, --swap-space, "4"]}]}
"""


def test_an_assumed_version_fills_in_where_nothing_tells_one() -> None:
    result = read_yaml(ENGINE.replace("IMAGE", "registry.example/own:1").encode(), "m.yaml", Dialect.KUBERNETES)
    stack = read(result.documents, assume={"vllm": "0.12.0"}).stack
    (engine,) = stack.workloads[0].engines
    assert value_of(engine.version) == "0.12.0"
    assert str(origin_of(engine.version)) == "assumed by --assume"
    assert value_of(engine.arguments["swap_space"]) == 4.0
    assert value_of(stack.context.versions["vllm"]) == "0.12.0"


def test_an_assumed_version_does_not_outdo_one_that_is_told() -> None:
    text = ENGINE.replace("IMAGE", "vllm/vllm-openai:v0.33.0")
    result = read_yaml(text.encode(), "m.yaml", Dialect.KUBERNETES)
    (engine,) = read(result.documents, assume={"vllm": "0.12.0"}).stack.workloads[0].engines
    assert value_of(engine.version) == "0.33.0"


NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: one}\nstatus: {allocatable: {cpu: 8}}\n"


@pytest.mark.parametrize("said", [NODE.replace("name: one", "name: 'one-${i}'"), NODE.partition("status")[0]])
def test_node_of_an_example_is_no_machine_and_completes_nothing(said: str) -> None:
    node = read_yaml(said.encode(), "n.yaml", Dialect.KUBERNETES).documents
    stack = read(node).stack
    assert (stack.inventory.pools, stack.context.complete) == ((), frozenset())


def test_nodes_or_an_inventory_make_the_nodes_complete() -> None:
    pod = read_yaml(ENGINE.encode(), "m.yaml", Dialect.KUBERNETES).documents
    node = read_yaml(NODE.encode(), "n.yaml", Dialect.KUBERNETES).documents
    handed_in = Inventory((NodePool("h100", Count(ABSENT, ABSENT, ABSENT), {}),))
    assert read(pod).stack.context.complete == frozenset()
    assert read([*pod, *node]).stack.context.complete == {"Node"}
    given = read(pod, inventory=handed_in).stack
    assert (given.context.complete, given.inventory) == ({"Node"}, handed_in)


def test_a_variable_of_a_config_map_in_the_same_input_is_known() -> None:
    config = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: llm}\ndata: {MODEL: m, LEN: '10'}\n---\n"
    )
    pod = ENGINE.replace("IMAGE", "i").replace(
        'command: [vllm, serve, m, --swap-space, "4"]',
        "command: [vllm, serve, $(MODEL), --max-model-len=$(LEN)], envFrom: [{configMapRef: {name: c}}],"
        " env: [{name: LEN, valueFrom: {configMapKeyRef: {name: c, key: LEN}}}]",
    )
    (engine,) = read_text(config + pod).stack.workloads[0].engines
    assert (value_of(engine.model), value_of(engine.arguments["max_model_len"])) == ("m", 10)
    (unseen,) = read_text(pod).stack.workloads[0].engines
    assert value_of(unseen.model) is None


def test_a_fault_that_several_readers_see_is_one_finding() -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: 7}\nspec: {containers: [{name: main, args: [80]}]}\n"
    assert [found.span.line for found in read_text(text).diagnostics] == [3, 4]
