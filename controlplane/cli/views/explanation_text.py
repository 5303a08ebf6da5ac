"""A rule in words: why it matters, a manifest that has the fault, one that has not, what to do, where it is written.

`explain` prints it, and the pages under `docs/rules` are made of the same parts.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from controlplane.cli.explanations import EXPLANATIONS
from controlplane.cli.terminal import paint
from controlplane.frozen import frozen
from controlplane.rules.catalogue import catalogue

_WIDTH = 100


@frozen
class Explained:
    """All that is to be said about an id. What stands only in a rule's file is empty for other ids."""

    id: str
    title: str
    severity: str
    why: str
    remedy: str
    layer: str = ""
    since: str = ""
    status: str = "stable"
    bad: tuple[str, ...] = ()
    good: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


def explained() -> dict[str, Explained]:
    """Every id that a finding can carry, in their order."""
    found = {
        rule: Explained(rule, entry.title, entry.severity.value, entry.why, entry.remedy)
        for rule, entry in EXPLANATIONS.items()
    }
    for entry in catalogue():
        rule = entry.rule
        found[entry.id] = Explained(
            entry.id,
            entry.title,
            rule.severity.value,
            rule.rationale,
            rule.remedy,
            rule.layer.value,
            rule.since,
            rule.status,
            tuple(example(text) for text in rule.bad),
            tuple(example(text) for text in rule.good),
            rule.sources,
        )
    return dict(sorted(found.items()))


def example(text: str) -> str:
    """A manifest as it would stand in a file."""
    return textwrap.dedent(text).strip("\n")


def render(entry: Explained, *, colour: bool) -> str:
    """One id on a terminal."""
    head = f"{paint(entry.id, 'bold', colour=colour)}: {entry.title}"
    facts = [entry.severity, *(f"layer {entry.layer}" for _ in entry.layer[:1])]
    facts += [f"since {entry.since}"] if entry.since else []
    facts += ["preview"] if entry.status == "preview" else []
    parts = [f"{head}\n{', '.join(facts)}", _filled(entry.why)]
    parts += [_indented("Found in", text, colour=colour) for text in entry.bad]
    parts.append(f"{paint('Remedy: ', 'green', colour=colour)}{_filled(entry.remedy)}")
    parts += [_indented("Clean", text, colour=colour) for text in entry.good]
    if entry.sources:
        parts.append("\n".join(["Sources:", *(_filled(f"- {source}", "  ") for source in entry.sources)]))
    return "\n\n".join(parts)


def render_table(entries: Iterable[Explained]) -> str:
    """One line for each id."""
    rows = [(entry.id, entry.severity, entry.title) for entry in entries]
    first = max((len(rule) for rule, _, _ in rows), default=0)
    return "\n".join(f"{rule:<{first}}  {severity:<7}  {title}" for rule, severity, title in rows)


def as_json(entry: Explained) -> dict[str, Any]:
    """One id for programs."""
    return {
        "rule": entry.id,
        "title": entry.title,
        "severity": entry.severity,
        "layer": entry.layer,
        "since": entry.since,
        "status": entry.status,
        "why": entry.why,
        "remedy": entry.remedy,
        "bad": list(entry.bad),
        "good": list(entry.good),
        "sources": list(entry.sources),
    }


def _filled(text: str, further: str = "") -> str:
    return textwrap.fill(text, _WIDTH, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)


def _indented(head: str, text: str, *, colour: bool) -> str:
    return f"{paint(f'{head}:', 'dim', colour=colour)}\n{textwrap.indent(text, '  ')}"
