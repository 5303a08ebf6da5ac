"""Paths to a compiled bundle: read, parse, check, resolve, emit. Shared by every verb that takes policies."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.guardrail_findings import guardrail_findings
from controlplane.cli.sources import SourceFile, read_sources
from controlplane.cli.views import findings_text
from controlplane.diagnostics import Diagnostic, Severity, has_errors
from controlplane.frozen import frozen
from controlplane.source import Dialect, Document, read_yaml

if TYPE_CHECKING:
    from controlplane.emit.bundle import Bundle
    from controlplane.policy.fleet import FleetSpec
    from controlplane.policy.policy_set import PolicySet
    from controlplane.policy.resolve import Resolution
    from controlplane.stack.inventory import Inventory, NodePool
    from controlplane.stack.model import Stack

_OF_VALUES = frozenset({"policy/wrong-type", "policy/bad-value", "policy/bad-argument-value"})


@frozen
class Compilation:
    """What came of the files. `bundle` is None when an error stands in the way."""

    sources: tuple[SourceFile, ...]
    policies: PolicySet
    findings: tuple[Diagnostic, ...]
    resolution: Resolution
    bundle: Bundle | None

    def texts(self) -> Mapping[str, str]:
        """File contents by name, for excerpts."""
        return {s.name: s.text for s in self.sources}

    def digests(self) -> Mapping[str, str]:
        """SHA-256 of every file by name."""
        return {s.name: s.digest for s in self.sources}


@frozen
class Compiled:
    """A compilation without errors."""

    whole: Compilation
    stack: Stack
    bundle: Bundle


def compile_paths(paths: Sequence[str]) -> Compilation:
    """Compile every policy in the files; never raises on what they say."""
    from controlplane.emit import emit
    from controlplane.policy import load_policies, resolve_all

    sources = read_sources(paths)
    documents, reading = _parse(sources)
    policies, loading = load_policies(documents)
    # Resolving goes on where it can, so that one run reports every mistake.
    resolution = resolve_all(policies)
    guarded = guardrail_findings(policies, [resolution.stack])
    findings = told_once(reading, (*loading, *resolution.findings, *guarded.findings))
    bundle = None if has_errors(findings) else emit(resolution.stack)
    return Compilation(sources, policies, findings, resolution, bundle)


def read_policies(paths: Sequence[str]) -> tuple[PolicySet, tuple[Diagnostic, ...], Mapping[str, str]]:
    """The policies in the files, what is wrong with them, and the texts by file name; nothing is resolved."""
    from controlplane.policy import load_policies

    sources = read_sources(paths)
    documents, reading = _parse(sources)
    policies, loading = load_policies(documents)
    return policies, told_once(reading, loading), {s.name: s.text for s in sources}


def told_once(reading: Sequence[Diagnostic], judging: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """What the reader and the policies say, each mistake once.

    A value that cannot be read has no type to be judged. One that YAML's readers take differently is told by what is
    needed there. Where part of a file could not be read, what refers to a missing policy proves nothing.
    """
    unread = {f.span for f in reading if f.rule == "yaml/unreadable-scalar"}
    lost = any(f.severity is Severity.ERROR and not f.path for f in reading)
    kept = [
        f
        for f in judging
        if not (f.span in unread and f.rule in _OF_VALUES) and not (lost and f.rule == "policy/unknown-reference")
    ]
    typed = {f.span for f in kept if f.rule in _OF_VALUES}
    first = [f for f in reading if not (f.rule == "yaml/ambiguous-scalar" and f.span in typed)]
    return tuple(dict.fromkeys((*first, *kept)))


def compiled(paths: Sequence[str]) -> Compiled:
    """The bundle; findings go to standard error, and an error among them ends the verb with 1."""
    result = compile_paths(paths)
    shown = [f for f in result.findings if f.severity is not Severity.INFO]
    if shown:
        colour = os.isatty(2) and not os.environ.get("NO_COLOR")
        click.echo(findings_text.render(shown, result.texts(), colour=colour), err=True)
    if result.bundle is None:
        raise VerbEnd(Exit.NEGATIVE, "nothing was compiled: the policies have errors")
    if not result.policies.services:
        raise VerbEnd(Exit.NOTHING_TO_READ, f"no ModelService in {', '.join(paths)}")
    return Compiled(result, result.resolution.stack, result.bundle)


@frozen
class FleetView:
    """What Fleets say there is: machines, and claims as (namespace, name)."""

    inventory: Inventory
    claims: tuple[tuple[str, str], ...]


def fleets_in(paths: Sequence[str]) -> FleetView:
    """The pools and claims of every Fleet in the files together; each path is read on its own.

    Ends the verb with 1 on errors, with 2 where there is no Fleet.
    """
    from controlplane.policy import resolve
    from controlplane.policy.resolution.inventory import inventory_of
    from controlplane.stack.inventory import Inventory

    pools: list[NodePool] = []
    claims: set[tuple[str, str]] = set()
    for policies in map(_with_fleet, paths):
        pools += [pool for fleet in policies.fleets.values() for pool in inventory_of(fleet).pools]
        claims.update(claim for fleet in policies.fleets.values() for claim in _claims(fleet.spec))
        claims.update(
            (w.ref.namespace, c) for w in resolve(policies)[0].workloads for p in w.pod_sets for c in p.claims()
        )
    return FleetView(Inventory(tuple(_by_name(pools))), tuple(sorted(claims)))


def _with_fleet(path: str) -> PolicySet:
    from controlplane.policy import load_policies

    sources = read_sources([path])
    documents, findings = _parse(sources)
    policies, more = load_policies(documents)
    if has_errors((*findings, *more)):
        texts = {s.name: s.text for s in sources}
        click.echo(findings_text.render((*findings, *more), texts, colour=False), err=True)
        raise VerbEnd(Exit.NEGATIVE, f"the policies in {path} have errors")
    if not policies.fleets:
        raise VerbEnd(Exit.NOTHING_TO_READ, f"no Fleet in {path}")
    return policies


def _claims(fleet: FleetSpec) -> Iterator[tuple[str, str]]:
    """Storage does not say in which namespaces its claims are: every namespace of the Fleet may use them."""
    for namespace in fleet.namespaces:
        for storage in fleet.storage:
            yield from ((namespace.name, claim) for claim in storage.claims)


def _by_name(pools: Sequence[NodePool]) -> list[NodePool]:
    """Each pool once: several folders may describe the same machines, and then they must agree."""
    found: dict[str, NodePool] = {}
    for pool in pools:
        if found.setdefault(pool.name, pool) != pool:
            raise VerbEnd(
                Exit.NEGATIVE, f"two Fleets describe the pool {pool.name!r} differently", "Rename one of them."
            )
    return list(found.values())


def _parse(sources: Sequence[SourceFile]) -> tuple[list[Document], tuple[Diagnostic, ...]]:
    documents: list[Document] = []
    findings: tuple[Diagnostic, ...] = ()
    for source in sources:
        result = read_yaml(source.data, source.name, Dialect.POLICY)
        documents += result.documents
        findings += result.diagnostics
    return documents, findings
