"""What one run of lint has to tell, before any format: the one input of every view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal

from controlplane.diagnostics import Diagnostic, Span
from controlplane.frozen import frozen

if TYPE_CHECKING:
    from controlplane.rules.catalogue import CataloguedRule


@frozen(order=True)
class NotJudged:
    """Something that no rule looked at. `span` is the object's place, or the file's first character.

    `object` is `Kind/namespace/name` where that is known, `reason` says why and what would help.
    """

    span: Span
    reason: str
    object: str = ""


@frozen
class SuppressedFinding:
    """A finding that somebody has accepted, and their reason.

    `kind` says how: a comment in the file, the baseline, or an exception of a guardrail.
    """

    finding: Diagnostic
    kind: Literal["comment", "baseline", "exception"]
    reason: str = ""


@frozen
class Undecided:
    """A rule could not tell, and what would tell: for `--show-unknown`."""

    rule: str
    needs: str
    span: Span | None = None


@frozen
class LintReport:
    """Everything lint found, in the order of the text.

    `texts` maps the names in spans to the files' contents; a file without findings may be left out. `rules` are all
    rules that ran. `crashed` is the message of a bug of ours that ended the run early; findings may then be missing.
    """

    findings: tuple[Diagnostic, ...] = ()
    suppressed: tuple[SuppressedFinding, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    tool_version: str = ""
    rules: tuple[CataloguedRule, ...] = ()
    crashed: str | None = None
    undecided: tuple[Undecided, ...] = ()
    files: int = 0
    """How many files were read."""
    judged: int = 0
    """How many documents rules looked at."""
    secret_lines: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """File -> its lines that hold part of a secret and are never shown, as far as its documents tell."""
