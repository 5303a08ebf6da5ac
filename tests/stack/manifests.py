"""Manifests for the readers' tests, as text."""

from __future__ import annotations

from controlplane.source import Dialect, read_yaml
from controlplane.stack.model import Workload
from controlplane.stack.pods import Container
from controlplane.stack.read import Reading, read

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat, namespace: llm}}
spec:
  template:
    spec:
      containers:
      - name: main
        image: vllm/vllm-openai:v0.33.0
        {}
"""


def read_text(text: str) -> Reading:
    """What is read from the text of a file; the file itself has nothing wrong."""
    result = read_yaml(text.encode(), "manifest.yaml", Dialect.KUBERNETES)
    assert result.diagnostics == ()
    return read(result.documents)


def workload(text: str) -> Workload:
    """The only workload of a text."""
    (found,) = read_text(text).stack.workloads
    return found


def container(fields: str) -> Container:
    """The container of a Deployment with these fields, in flow style or one line each."""
    return workload(DEPLOYMENT.format(fields.replace("\n", "\n        "))).pod_sets[0].containers[0]
