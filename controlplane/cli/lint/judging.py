"""Manifests to what the rules say of them: grouped, read as Stacks, judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from controlplane.cli.lint.report import NotJudged, Undecided
from controlplane.diagnostics import Diagnostic, Span
from controlplane.rules import judge
from controlplane.rules.catalogue import CataloguedRule
from controlplane.source import Document
from controlplane.stack.facts import Fact
from controlplane.stack.inventory import Inventory
from controlplane.stack.model import Context, Stack
from controlplane.stack.read import Reading, read
from controlplane.stack.together import together


@dataclass(frozen=True, slots=True)
class Machines:
    """What a Fleet says of the cluster: its inventory and the versions that run there."""

    inventory: Inventory
    versions: Mapping[str, Fact[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of judging some documents."""

    findings: tuple[Diagnostic, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()
    undecided: tuple[Undecided, ...] = ()


@dataclass(frozen=True, slots=True)
class Court:
    """What every group of documents is judged by: the rules, assumed versions, and machines where they are known."""

    rules: tuple[CataloguedRule, ...]
    assume: Mapping[str, str] = field(default_factory=dict)
    machines: Machines | None = None

    def documents(self, documents: Iterable[Document]) -> Verdict:
        """Judge documents in the groups that belong together."""
        return merged(self.group(group) for group in together(documents))

    def group(self, documents: Sequence[Document]) -> Verdict:
        """Judge documents that are one Stack."""
        reading = read(documents)
        nowhere = documents[0].span
        verdict = self.stack(self._on_machines(reading), nowhere)
        skipped = tuple(NotJudged(_point(s.span), s.reason, str(s.ref)) for s in reading.skipped)
        return merged([Verdict(reading.diagnostics, skipped), verdict])

    def stack(self, stack: Stack, nowhere: Span) -> Verdict:
        """Judge a Stack. A finding without a place of its own gets `nowhere`."""
        judged = judge(stack, self.rules)
        findings = tuple(f if f.span.file else replace(f, span=_point(nowhere)) for f in judged.findings)
        undecided = tuple(Undecided(a.rule, a.needs, a.span) for a in judged.abstained)
        return Verdict(findings, undecided=undecided)

    def _on_machines(self, reading: Reading) -> Stack:
        if self.machines is None:
            return reading.stack
        context = reading.stack.context
        versions = {**self.machines.versions, **context.versions}
        context = Context(versions, context.complete | {"Node"})
        return replace(reading.stack, inventory=self.machines.inventory, context=context)


def merged(verdicts: Iterable[Verdict]) -> Verdict:
    """Several verdicts as one, each finding once."""
    findings: dict[Diagnostic, None] = {}
    not_judged: dict[NotJudged, None] = {}
    undecided: dict[Undecided, None] = {}
    for verdict in verdicts:
        findings.update(dict.fromkeys(verdict.findings))
        not_judged.update(dict.fromkeys(verdict.not_judged))
        undecided.update(dict.fromkeys(verdict.undecided))
    return Verdict(tuple(sorted(findings)), tuple(sorted(not_judged)), tuple(undecided))


def _point(span: Span) -> Span:
    return Span(span.file, span.line, span.column, span.line, span.column)
