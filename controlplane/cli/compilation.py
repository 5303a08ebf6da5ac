"""Paths to a compiled bundle: read, parse, check, resolve, emit. Shared by every verb that takes policies."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.sources import SourceFile, read_sources
from controlplane.cli.views import findings_text
from controlplane.diagnostics import Diagnostic, Severity, has_errors
from controlplane.source import Dialect, Document, read_yaml

if TYPE_CHECKING:
    from controlplane.emit.bundle import Bundle
    from controlplane.policy.policy_set import PolicySet
    from controlplane.stack.inventory import Inventory
    from controlplane.stack.model import Stack


@dataclass(frozen=True, slots=True)
class Compilation:
    """What came of the files. `stack` and `bundle` are None when an error stands in the way."""

    sources: tuple[SourceFile, ...]
    policies: PolicySet
    findings: tuple[Diagnostic, ...]
    stack: Stack | None
    bundle: Bundle | None

    def texts(self) -> Mapping[str, str]:
        """File contents by name, for excerpts."""
        return {s.name: s.text for s in self.sources}

    def digests(self) -> Mapping[str, str]:
        """SHA-256 of every file by name."""
        return {s.name: s.digest for s in self.sources}


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compilation without errors."""

    whole: Compilation
    stack: Stack
    bundle: Bundle


def compile_paths(paths: Sequence[str]) -> Compilation:
    """Compile every policy in the files; never raises on what they say."""
    from controlplane.emit import emit
    from controlplane.policy import load_policies, resolve

    sources = read_sources(paths)
    documents, findings = _parse(sources)
    policies, more = load_policies(documents)
    findings += more
    if has_errors(findings):
        # Resolving goes on where it can, so that one run reports every mistake.
        _, more = resolve(policies)
        return Compilation(sources, policies, _unique((*findings, *more)), None, None)
    stack, more = resolve(policies)
    findings = _unique((*findings, *more))
    bundle = None if has_errors(more) else emit(stack)
    return Compilation(sources, policies, findings, stack, bundle)


def compiled(paths: Sequence[str]) -> Compiled:
    """The bundle; findings go to standard error, and an error among them ends the verb with 1."""
    result = compile_paths(paths)
    shown = [f for f in result.findings if f.severity is not Severity.INFO]
    if shown:
        colour = os.isatty(2) and not os.environ.get("NO_COLOR")
        click.echo(findings_text.render(shown, result.texts(), colour=colour), err=True)
    if result.stack is None or result.bundle is None:
        raise VerbEnd(Exit.NEGATIVE, "nothing was compiled: the policies have errors")
    if not result.policies.services:
        raise VerbEnd(Exit.NOTHING_TO_READ, f"no ModelService in {', '.join(paths)}")
    return Compiled(result, result.stack, result.bundle)


def inventory_of(paths: Sequence[str]) -> Inventory:
    """The pools of every Fleet in the files together; ends the verb with 1 on errors, 2 without a Fleet."""
    from controlplane.policy import inventory, load_policies

    sources = read_sources(paths)
    documents, findings = _parse(sources)
    policies, more = load_policies(documents)
    if has_errors((*findings, *more)):
        texts = {s.name: s.text for s in sources}
        click.echo(findings_text.render((*findings, *more), texts, colour=False), err=True)
        raise VerbEnd(Exit.NEGATIVE, "the Fleets have errors")
    if not policies.fleets:
        raise VerbEnd(Exit.NOTHING_TO_READ, f"no Fleet in {', '.join(paths)}")
    return inventory(policies)


def _parse(sources: Sequence[SourceFile]) -> tuple[list[Document], tuple[Diagnostic, ...]]:
    documents: list[Document] = []
    findings: tuple[Diagnostic, ...] = ()
    for source in sources:
        result = read_yaml(source.data, source.name, Dialect.POLICY)
        documents += result.documents
        findings += result.diagnostics
    return documents, findings


def _unique(findings: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(dict.fromkeys(findings))
