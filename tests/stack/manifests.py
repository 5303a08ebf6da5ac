"""Manifests for the readers' tests, as text."""

from __future__ import annotations

from controlplane.source import Dialect, read_yaml
from controlplane.stack.facts import Declared, Origin
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


def at(text: str, origin: Origin | None) -> str:
    """What a file has at a place: the text from its start to its end, lines joined by line breaks."""
    assert isinstance(origin, Declared)
    span = origin.span
    lines = text.splitlines()[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)
