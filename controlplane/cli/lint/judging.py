"""Manifests to what the rules say of them: grouped, read as Stacks, judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from controlplane.cli.lint.processes import processors, spread
from controlplane.cli.lint.report import NotJudged, Undecided
from controlplane.diagnostics import Diagnostic, Span
from controlplane.frozen import frozen
from controlplane.rules import judge
from controlplane.rules.catalogue import CataloguedRule
from controlplane.source import Document
from controlplane.stack.facts import Fact
from controlplane.stack.inventory import Inventory
from controlplane.stack.model import Stack
from controlplane.stack.read import read
from controlplane.stack.together import together

_WORTH_A_PROCESS_DOCUMENTS = 100
_OF_TYPES = frozenset({"kubernetes/field-type", "ray/field-type", "serve/field-type"})
"""What is needed at a place tells more than how YAML's readers differ there: `NO` as a label is to be quoted."""


@frozen
class Machines:
    """What a Fleet says of the cluster: its inventory and the versions that run there."""

    inventory: Inventory
    versions: Mapping[str, Fact[str]] = field(default_factory=dict)


@frozen
class Verdict:
    """What came of judging some documents, and the Stacks that they made."""

    findings: tuple[Diagnostic, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    stacks: tuple[Stack, ...] = ()


@frozen
class Court:
    """What every group of documents is judged by: the rules, assumed versions, and machines where they are known."""

    rules: tuple[CataloguedRule, ...]
    assume: Mapping[str, str] = field(default_factory=dict)
    machines: Machines | None = None

    def documents(self, documents: Iterable[Document], *, keep_stacks: bool = False) -> Verdict:
        """Judge documents in the groups that belong together. Without `keep_stacks` the Stacks are left behind."""
        groups = together(documents)
        if keep_stacks:
            return merged(self.group(group) for group in groups)
        count = sum(map(len, groups))
        processes = processors() if count > _WORTH_A_PROCESS_DOCUMENTS else 1
        return merged(spread(self._without_stacks, groups, list(map(len, groups)), processes))

    def _without_stacks(self, documents: Sequence[Document]) -> Verdict:
        return replace(self.group(documents), stacks=())

    def group(self, documents: Sequence[Document]) -> Verdict:
        """Judge documents that are one Stack."""
        reading = read(documents, self.assume, self.machines.inventory if self.machines else None)
        skipped = tuple(NotJudged(_point(s.span), s.reason, str(s.ref)) for s in reading.skipped)
        verdict = self.stack(self._in_cluster(reading.stack), documents[0].span)
        return merged([Verdict(reading.diagnostics, skipped), verdict])

    def stack(self, stack: Stack, nowhere: Span) -> Verdict:
        """Judge a Stack. A finding without a place of its own gets `nowhere`."""
        judged = judge(stack, self.rules)
        findings = tuple(f if f.span.file else replace(f, span=_point(nowhere)) for f in judged.findings)
        undecided = tuple(Undecided(a.rule, a.needs, a.span) for a in judged.abstained)
        return Verdict(findings, undecided=undecided, stacks=(stack,))

    def _in_cluster(self, stack: Stack) -> Stack:
        """The Stack with the versions that a Fleet tells, where nothing else was assumed."""
        if self.machines is None or not self.machines.versions:
            return stack
        versions = {**self.machines.versions, **stack.context.versions}
        return replace(stack, context=replace(stack.context, versions=versions))


def merged(verdicts: Iterable[Verdict]) -> Verdict:
    """Several verdicts as one, each finding once."""
    findings: dict[Diagnostic, None] = {}
    not_judged: dict[NotJudged, None] = {}
    undecided: dict[Undecided, None] = {}
    stacks: list[Stack] = []
    for verdict in verdicts:
        findings.update(dict.fromkeys(verdict.findings))
        not_judged.update(dict.fromkeys(verdict.not_judged))
        undecided.update(dict.fromkeys(verdict.undecided))
        stacks += verdict.stacks
    typed = {finding.span for finding in findings if finding.rule in _OF_TYPES}
    told = [f for f in findings if f.rule != "yaml/ambiguous-scalar" or f.span not in typed]
    return Verdict(
        tuple(sorted(told)), tuple(sorted(not_judged)), tuple(sorted(undecided, key=_order)), tuple(stacks)
    )


def _order(entry: Undecided) -> tuple[str, str, tuple[Span, ...]]:
    return entry.rule, entry.needs, () if entry.span is None else (entry.span,)


def _point(span: Span) -> Span:
    return Span(span.file, span.line, span.column, span.line, span.column)
