"""Findings that a comment in the file accepts, and what is wrong with such comments.

A comment that cannot be read, names no rule, or has run out accepts nothing, and is a finding itself; one that
nothing needed is a warning. Findings about comments cannot be accepted by a comment.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache

from controlplane.cli.lint.report import SuppressedFinding
from controlplane.cli.suppression_comments import Comment, Malformed, Selector, Suppression, comments
from controlplane.diagnostics import Applicability, Diagnostic, Edit, Layer, Remedy, Severity, Span
from controlplane.frozen import frozen
from controlplane.source import nearest

FAMILY = "suppression/"

_GUARDRAILS = "guardrail/"
"""Rules of an organisation's own; which there are is known only where their file is read too."""


@frozen
class Suppressed:
    """The findings that stay, those that a comment accepts, and `own`: findings about the comments."""

    findings: tuple[Diagnostic, ...]
    suppressed: tuple[SuppressedFinding, ...]
    own: tuple[Diagnostic, ...]


def _every(rule: str) -> bool:  # noqa: ARG001 - the default of a predicate
    return True


def apply(
    findings: Iterable[Diagnostic],
    texts: Mapping[str, str],
    today: date,
    selected: Callable[[str], bool] = _every,
    known: Collection[str] | None = None,
) -> Suppressed:
    """Sort findings by whether a comment of their file accepts them.

    `texts` maps every file that was read to its contents; `selected` says whether a rule ran, since a comment for one
    that did not is not unused; `known` are the ids of all rules there are (by default the catalogue's).
    """
    written = {name: _ledgers(text, name, today) for name, text in texts.items() if "controlplane" in text}
    stay: list[Diagnostic] = []
    accepted: list[SuppressedFinding] = []
    for finding in findings:
        ledger = _accept(finding, written.get(finding.span.file, ()))
        if ledger is None:
            stay.append(finding)
        else:
            accepted.append(SuppressedFinding(finding, "comment", ledger.reason))
    every = [ledger for ledgers in written.values() for ledger in ledgers]
    own = [d for ledger in every for d in _about(ledger, today, selected, known)]
    return Suppressed(tuple(stay), tuple(sorted(accepted, key=lambda s: s.finding)), tuple(sorted(own)))


@dataclass(slots=True)
class _Ledger:
    """A comment and which of its selectors were needed."""

    comment: Comment
    expired: bool
    used: set[Selector] = field(default_factory=set)

    @property
    def reason(self) -> str:
        return self.comment.reason if isinstance(self.comment, Suppression) else ""


def _ledgers(text: str, name: str, today: date) -> list[_Ledger]:
    return [
        _Ledger(c, isinstance(c, Suppression) and c.until is not None and c.until < today)
        for c in comments(text, name)
    ]


def _accept(finding: Diagnostic, ledgers: Iterable[_Ledger]) -> _Ledger | None:
    """The first comment that accepts a finding; all that name it are marked as needed."""
    first = None
    if finding.rule.startswith(FAMILY):
        return None
    for ledger in ledgers:
        comment = ledger.comment
        if isinstance(comment, Malformed) or not comment.lines[0] <= finding.span.line <= comment.lines[1]:
            continue
        named = [selector for selector in comment.selectors if selector.names(finding.rule)]
        ledger.used.update(named)
        if named and not ledger.expired:
            first = first or ledger
    return first


def _about(
    ledger: _Ledger, today: date, selected: Callable[[str], bool], known: Collection[str] | None
) -> Iterator[Diagnostic]:
    comment = ledger.comment
    if isinstance(comment, Malformed):
        yield _own("malformed", Severity.ERROR, comment.message, comment.span, Remedy(comment.remedy))
        return
    if ledger.expired:
        yield _expired(comment, today)
        return
    ids = _known_ids() if known is None else known
    ours = [s for s in comment.selectors if not s.text.startswith(_GUARDRAILS)]
    unknown = [s for s in ours if not any(s.names(rule) for rule in ids)]
    yield from (_unknown(selector, ids) for selector in unknown)
    known_here = set(ours).difference(unknown)
    idle = [s for s in ours if s not in ledger.used and s in known_here and _ran(s, ids, selected)]
    if idle and not comment.quiet:
        yield _unused(comment, idle)


def _known_ids() -> Collection[str]:
    from controlplane.cli.explanations import known_ids

    return known_ids()


def _ran(selector: Selector, ids: Collection[str], selected: Callable[[str], bool]) -> bool:
    """Whether all rules that a selector names ran; of a family, those that are no preview are enough."""
    named = [rule for rule in ids if selector.names(rule)]
    return all(selected(rule) or (len(named) > 1 and rule in _previews()) for rule in named)


@cache
def _previews() -> frozenset[str]:
    from controlplane.rules.catalogue import catalogue

    return frozenset(entry.id for entry in catalogue() if entry.is_preview)


def _expired(comment: Suppression, today: date) -> Diagnostic:
    return _own(
        "expired",
        Severity.ERROR,
        f"the comment accepts findings until {comment.until}, and today is {today}; reason given: {comment.reason}",
        comment.span,
        Remedy("Repair what it accepted and remove it, or decide again and write a later date."),
    )


def _unknown(selector: Selector, ids: Collection[str]) -> Diagnostic:
    near = _nearest_name(selector.text, ids)
    edits = (Edit(selector.span, near),) if near else ()
    meant = f"; did you mean `{near}`?" if near else ""
    remedy = f"Write `{near}`." if near else "Write a rule's id; `controlplane explain --all` lists them."
    what = "family of rules" if selector.text.endswith("/") else "rule"
    return _own(
        "unknown-rule",
        Severity.WARNING,
        f"there is no {what} `{selector.text}`{meant}",
        selector.span,
        Remedy(remedy, edits, Applicability.NEEDS_DECISION if edits else Applicability.DISPLAY_ONLY),
    )


def _nearest_name(text: str, ids: Collection[str]) -> str | None:
    if text.endswith("/"):
        family = nearest(text[:-1], {rule.partition("/")[0] for rule in ids})
        return f"{family}/" if family else None
    return nearest(text, ids)


def _unused(comment: Suppression, idle: list[Selector]) -> Diagnostic:
    kept = [selector.text for selector in comment.selectors if selector not in idle]
    names = " and ".join(f"`{selector.text}`" for selector in idle)
    edit = Edit(comment.list_span, ", ".join(kept)) if kept else Edit(comment.removal, "")
    edits = () if comment.inside_text else (edit,)
    return _own(
        "unused",
        Severity.WARNING,
        f"nothing here is found by {names}, so there is nothing to accept",
        idle[0].span if kept else comment.span,
        Remedy(
            f"Take {names} out of the comment." if kept else "Remove the comment.",
            edits,
            Applicability.SAFE if edits else Applicability.DISPLAY_ONLY,
        ),
    )


def _own(slug: str, severity: Severity, message: str, span: Span, remedy: Remedy) -> Diagnostic:
    return Diagnostic(FAMILY + slug, severity, Layer.NONE, message, span, remedy=remedy)
