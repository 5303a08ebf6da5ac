"""The reference policies of the repository, resolved."""

from __future__ import annotations

from pathlib import Path

from controlplane.policy import load_policies, resolve
from controlplane.source import Dialect, Document, read_yaml
from controlplane.stack.model import Stack

REPOSITORY = Path(__file__).parents[2]
NAMES = ("chat-8b", "llama-70b", "shared-pool")


def resolved(name: str) -> Stack:
    """The Stack of one reference policy; it is an error of the repository if it has findings."""
    documents: list[Document] = []
    for path in sorted((REPOSITORY / "policies" / name).glob("*.yaml")):
        result = read_yaml(path.read_bytes(), str(path.relative_to(REPOSITORY)), Dialect.POLICY)
        assert result.diagnostics == ()
        documents += result.documents
    policies, findings = load_policies(documents)
    stack, more = resolve(policies)
    assert (*findings, *more) == ()
    return stack
