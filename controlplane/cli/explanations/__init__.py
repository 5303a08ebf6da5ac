"""What the ids mean that no file under `rules/` explains: those of readers, policies, guardrails and lint itself."""

from __future__ import annotations

from controlplane.cli.explanations.explanation import Explanation
from controlplane.cli.explanations.guardrails import GUARDRAILS
from controlplane.cli.explanations.lint import LINT
from controlplane.cli.explanations.manifests import MANIFESTS
from controlplane.cli.explanations.policies import POLICIES
from controlplane.cli.explanations.yaml_files import YAML_FILES

EXPLANATIONS: dict[str, Explanation] = {**GUARDRAILS, **LINT, **MANIFESTS, **POLICIES, **YAML_FILES}

__all__ = ["EXPLANATIONS", "Explanation", "known_ids"]


def known_ids() -> frozenset[str]:
    """Every id that a finding can carry."""
    from controlplane.rules.catalogue import catalogue

    return frozenset({entry.id for entry in catalogue()} | EXPLANATIONS.keys())
