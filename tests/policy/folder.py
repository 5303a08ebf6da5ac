"""A folder of policies for tests: a Fleet and a service in small, and the way from text to findings and Stack."""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.diagnostics import Diagnostic
from controlplane.policy import PolicySet, load_policies, resolve
from controlplane.policy.policy_set import Service
from controlplane.source import Dialect, Document, read_yaml
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Container

FLEET = """\
apiVersion: controlplane.dev/v1alpha1
kind: Fleet
metadata: {name: prod}
spec:
  versions: {kubernetes: 1.36.3}
  pools:
    - name: h100
      accelerator: {product: H100-80GB, count: 8}
      nodes: 2
      cpu: 96
      memory: 1Ti
      labels: {example.com/pool: h100}
      taints: [{key: nvidia.com/gpu, value: present}, {key: dedicated, effect: NoExecute}]
  storage:
    - {name: nvme, readBandwidth: 2Gi, claims: [models]}
"""

SERVICE = """\
apiVersion: controlplane.dev/v1alpha1
kind: ModelService
metadata: {name: chat, namespace: llm}
spec:
  fleet: prod
  model: {name: meta-llama/Llama-3.1-8B-Instruct, from: {pvc: models}}
  runtime: {kind: deployment, image: registry.example/vllm-openai:v0.33.0, vllm: 0.33.0}
  machine: {pool: h100}
  memory: {maxModelLen: 16384}
"""


def documents(*texts: str) -> list[Document]:
    """Each text as a file of its own: `0.yaml`, `1.yaml`, …; what the reader remarks is not of interest here."""
    found: list[Document] = []
    for index, text in enumerate(texts):
        found += read_yaml(text.encode(), f"{index}.yaml", Dialect.POLICY).documents
    return found


def service(spec: str = "", name: str = "chat", **replaced: str) -> str:
    """The small service with lines added to its spec, or with a line of it replaced (`machine="{pool: a}"`)."""
    lines = []
    for line in SERVICE.replace("name: chat", f"name: {name}").splitlines():
        key = line.strip().partition(":")[0]
        lines.append(f"  {key}: {replaced.pop(key)}" if line.startswith("  ") and key in replaced else line)
    lines += [f"  {key}: {value}" for key, value in replaced.items()]
    return "\n".join(lines) + "\n" + spec


def load(*texts: str) -> tuple[PolicySet, tuple[Diagnostic, ...]]:
    """Load the texts as the files of one folder."""
    return load_policies(documents(*texts))


def findings(*texts: str) -> list[Diagnostic]:
    """Everything that loading and resolving say about the texts."""
    policy_set, loading = load(*texts)
    return sorted([*loading, *resolve(policy_set)[1]])


def stack(*texts: str) -> Stack:
    """The Stack of texts that must be without errors."""
    policy_set, loading = load(*texts)
    resolved, resolving = resolve(policy_set)
    wrong = [d for d in (*loading, *resolving) if d.severity == "error"]
    assert not wrong, wrong
    return resolved


def workload(*texts: str) -> Workload:
    """The only workload of a Fleet and these texts."""
    (found,) = stack(FLEET, *texts).workloads
    return found


def container(*texts: str) -> Container:
    """The container of the only workload."""
    (found,) = workload(*texts).pod_sets[0].containers
    return found


def only_service(*texts: str) -> Service:
    """The only service of the texts."""
    (found,) = load(*texts)[0].services
    return found


def one(found: Iterable[Diagnostic], rule: str) -> Diagnostic:
    """The only finding of a rule."""
    (match,) = [d for d in found if d.rule == rule]
    return match


def told(rule: str, *texts: str) -> Diagnostic:
    """The only finding of a rule about a Fleet and these texts."""
    return one(findings(FLEET, *texts), rule)


def remedy(finding: Diagnostic) -> str:
    """What a finding says to do."""
    assert finding.remedy is not None
    return finding.remedy.text
