"""Holds a Guardrail against manifests, for tests."""

from __future__ import annotations

import textwrap
from datetime import date

from controlplane.diagnostics import Diagnostic
from controlplane.guardrails.guardrails import Held, compiled, hold
from controlplane.policy import load_policies, resolve_all
from controlplane.policy.guardrail import GuardrailSpec
from controlplane.policy.policy_set import Policy
from controlplane.source import Dialect, read_yaml
from controlplane.stack.read import read

TODAY = date(2026, 11, 29)

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: llm, labels: {team: search}}
spec:
  template:
    spec:
      containers:
        - name: engine
          image: registry.example/vllm-openai:v0.33.0
          args:
            - --model=/models/chat
            - --tensor-parallel-size=4
            - --max-num-seqs=128
          resources:
            limits: {nvidia.com/gpu: 4, memory: 64Gi}
"""


def guardrail(rules: str, exceptions: str = "", tests: str = "") -> str:
    """The text of a Guardrail with these rules; every part is a list in YAML."""
    text = "apiVersion: controlplane.dev/v1alpha1\nkind: Guardrail\nmetadata: {name: house}\nspec:\n"
    for key, part in {"rules": rules, "exceptions": exceptions, "tests": tests}.items():
        if part:
            text += f"  {key}:\n{textwrap.indent(textwrap.dedent(part).strip(), '    ')}\n"
    return text


def loaded(text: str) -> Policy[GuardrailSpec]:
    """The one Guardrail of a text. It has to be right but for its expressions."""
    documents = read_yaml(text.encode(), "guardrail.yaml", Dialect.POLICY)
    policies, findings = load_policies(documents.documents)
    assert [f.message for f in (*documents.diagnostics, *findings)] == []
    (only,) = policies.guardrails.values()
    return only


def refused(text: str) -> tuple[Diagnostic, ...]:
    """What is wrong with a Guardrail itself."""
    return compiled(loaded(text), TODAY)[1]


def held(text: str, manifests: str = DEPLOYMENT) -> Held:
    """What a Guardrail says of some manifests or policies."""
    rules, wrong = compiled(loaded(text), TODAY)
    assert wrong == ()
    documents = read_yaml(manifests.lstrip("\n").encode(), "manifests.yaml", Dialect.KUBERNETES).documents
    policies, _ = load_policies(documents)
    resolution = resolve_all(policies)
    stack = resolution.stack if policies.services else read(documents).stack
    return hold(rules, stack, policies.services)
