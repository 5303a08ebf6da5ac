"""What lint says of one file, be it of manifests or of policies."""

from __future__ import annotations

from controlplane.cli.lint.judging import Court
from controlplane.cli.lint.policies import Given, judge_policies
from controlplane.diagnostics import Diagnostic
from controlplane.rules import catalogue
from controlplane.source import Dialect, read_yaml
from tests.rules.judging import findings_of


def said(text: str) -> tuple[Diagnostic, ...]:
    """The findings, in the order of the text."""
    if "apiVersion: controlplane.dev/" not in text:
        return findings_of(text)
    read = read_yaml(text.encode(), "policies.yaml", Dialect.POLICY)
    judged = judge_policies(read.documents, read.diagnostics, Court(catalogue()), Given())
    return tuple(sorted(judged.verdict.findings))
