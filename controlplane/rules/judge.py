"""Stack -> what every rule says of it."""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.diagnostics import Diagnostic, KeyPath, RelatedSpan, Remedy, Span
from controlplane.frozen import frozen
from controlplane.rules.catalogue import CataloguedRule, catalogue
from controlplane.rules.rule import Abstention, Finding, Place
from controlplane.stack.facts import Declared, Derived, Known, LiveField, OneOf, Unknown
from controlplane.stack.model import Stack


@frozen
class Abstained:
    """A rule that could not tell, and what would tell."""

    rule: str
    needs: str
    span: Span | None = None


@frozen
class Judgement:
    """The findings in the order of the text, and where rules could not tell."""

    findings: tuple[Diagnostic, ...]
    abstained: tuple[Abstained, ...] = ()


def judge(stack: Stack, rules: Iterable[CataloguedRule] | None = None) -> Judgement:
    """What the rules (all of them by default) say of a Stack."""
    findings: set[Diagnostic] = set()
    abstained: list[Abstained] = []
    for entry in catalogue() if rules is None else rules:
        for result in entry.rule.check(stack) if entry.concerns(stack) else ():
            if isinstance(result, Abstention):
                abstained.append(Abstained(entry.id, result.needs, _declared(result.at)[0]))
            else:
                findings.add(_diagnostic(entry, result))
    return Judgement(tuple(sorted(findings)), tuple(abstained))


def _diagnostic(entry: CataloguedRule, finding: Finding) -> Diagnostic:
    span, path = _declared(finding.at)
    if span is None:
        span, path = _declared(finding.otherwise)
    related = ((_declared(place)[0], message) for place, message in finding.related)
    return Diagnostic(
        rule=entry.id,
        severity=finding.severity or entry.rule.severity,
        layer=entry.rule.layer,
        message=finding.message,
        span=span or _NOWHERE,
        path=path,
        remedy=Remedy(finding.remedy or entry.rule.remedy, finding.edits, finding.applicability),
        evidence=finding.evidence,
        related=tuple(RelatedSpan(span, message) for span, message in related if span is not None),
    )


_NOWHERE = Span("", 1, 1, 1, 1)


def _declared(place: Place) -> tuple[Span | None, KeyPath]:
    """The place in a file, followed through a computed value to the first input that somebody wrote."""
    match place:
        case Declared(span, path):
            return span, path
        case LiveField(name, path):
            return Span(name, 1, 1, 1, 1), path
        case Derived(_, inputs):
            found = (_declared(given.origin) for given in inputs)
            return next(((span, path) for span, path in found if span is not None), (None, ()))
        case Known() | OneOf():
            return _declared(place.origin)
        case Unknown() | _:
            return None, ()
