"""The environment of a service: no literal secrets, no name twice."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Diagnostic, KeyPath, Layer, RelatedSpan
from controlplane.policy.findings import finding
from controlplane.policy.model_service import EnvEntry, ModelService
from controlplane.policy.policy_set import Policy
from controlplane.policy.secrets import is_literal_secret


def check_environment(policy: Policy[ModelService]) -> Iterator[Diagnostic]:
    """Findings about `env`. No value is ever shown."""
    first: dict[str, KeyPath] = {}
    for entry, path in entries(policy):
        if entry.value is not None and is_literal_secret(entry.name, entry.value):
            yield _literal_secret(policy, entry, path)
        if entry.name in first:
            yield _twice(policy, entry.name, first[entry.name], path)
        first.setdefault(entry.name, path)


def entries(policy: Policy[ModelService]) -> list[tuple[EnvEntry, KeyPath]]:
    """The entries that could be read, with their paths in the document."""
    kept = policy.spec.spec.env
    written = policy.document.value
    spec = written.get("spec") if isinstance(written, dict) else None
    env = spec.get("env") if isinstance(spec, dict) else None
    count = len(env) if isinstance(env, list) else 0
    paths: list[KeyPath] = [("spec", "env", i) for i in range(count) if ("spec", "env", i) not in policy.put_aside]
    return list(zip(kept, paths, strict=False))


def _literal_secret(policy: Policy[ModelService], entry: EnvEntry, path: KeyPath) -> Diagnostic:
    return finding(
        "policy/literal-secret",
        f"{entry.name} holds a secret in plain text ({len(entry.value or '')} characters, not shown)",
        policy.span(*path, "value"),
        (*path, "value"),
        f"Put it into a Secret of namespace {policy.spec.metadata.namespace} and write "
        f"{{name: {entry.name}, secret: {{name: …, key: …}}}}; then replace the value that was written here.",
    )


def _twice(policy: Policy[ModelService], name: str, first: KeyPath, path: KeyPath) -> Diagnostic:
    return finding(
        "policy/duplicate-variable",
        f"{name} is set twice; Kubernetes merges variables by name and refuses or drops one",
        policy.span(*path, "name"),
        (*path, "name"),
        "Remove one of the two.",
        layer=Layer.KUBERNETES,
        related=(RelatedSpan(policy.span(*first, "name"), "the first"),),
    )
