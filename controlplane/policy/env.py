"""The environment of a service: no literal secrets, no name twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from controlplane.diagnostics import Diagnostic, KeyPath, Layer, RelatedSpan
from controlplane.policy.findings import finding
from controlplane.policy.model_service import EnvEntry, ModelService
from controlplane.policy.policy_set import Policy

_SECRET_NAME: Final = re.compile(
    r"TOKEN(?!IZER|S(?:_|\b))|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY|ACCESS_KEY|CREDENTIAL"
)
"""Names of variables whose values are secrets; `TOKENIZERS_PARALLELISM` and `MAX_TOKENS` are not among them."""

_SECRET_VALUE: Final = re.compile(
    r"hf_[A-Za-z0-9]{20,}|sk-[A-Za-z0-9_-]{20,}|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}"
)
"""Values that are tokens whatever they are called: Hugging Face, OpenAI, AWS, GitHub."""


def check_environment(policy: Policy[ModelService]) -> Iterator[Diagnostic]:
    """Findings about `env`. No value is ever shown."""
    first: dict[str, KeyPath] = {}
    for entry, path in entries(policy):
        if _is_literal_secret(entry):
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


def _is_literal_secret(entry: EnvEntry) -> bool:
    if entry.value is None or entry.value == "":
        return False
    return bool(_SECRET_NAME.search(entry.name.upper()) or _SECRET_VALUE.search(entry.value))


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
