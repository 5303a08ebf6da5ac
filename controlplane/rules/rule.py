"""What a rule is, and what it yields."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from controlplane.diagnostics import Applicability, Edit, Evidence, Layer, Severity
from controlplane.frozen import frozen
from controlplane.stack.facts import Fact, Origin
from controlplane.stack.model import Stack

Place = Fact[Any] | Origin | None
"""Where a finding stands: a fact's place, or a place itself. None, and a fact without one, are no place."""


@frozen
class Finding:
    """One fault. `message` states the fact with both numbers; `at` is the value to change.

    `otherwise` is the place where `at` has none (a default, a computed value): the container's, the group's or the
    workload's origin. `remedy`, with the value to set, takes the place of the rule's own.
    """

    message: str
    at: Place
    otherwise: Place = None
    evidence: tuple[Evidence, ...] = ()
    remedy: str = ""
    edits: tuple[Edit, ...] = ()
    applicability: Applicability = Applicability.DISPLAY_ONLY
    related: tuple[tuple[Place, str], ...] = ()
    severity: Severity | None = None


@frozen
class Abstention:
    """The rule would have to guess: `needs` says what would tell. Counted by `--show-unknown`."""

    needs: str
    at: Place = None


Check = Callable[[Stack], Iterable[Finding | Abstention]]


@frozen
class Rule:
    """A rule as its file declares it; its id is its path and its title the first line of its module's docstring.

    `layer` is where the cause lies. `rationale` says why it matters and what happens otherwise, `remedy` what to do,
    in the imperative and ending in a full stop. `bad` and `good` are manifests: each bad one must fire exactly this
    rule on the lines marked `# fires` (or behind a line `# fires below`), each good one must be clean under all
    rules. `also` names rules that a bad example cannot help firing too. `since` is the release that brought the rule,
    `sources` say where its facts were read, with versions.
    """

    severity: Severity
    layer: Layer
    since: str
    rationale: str
    remedy: str
    bad: tuple[str, ...]
    good: tuple[str, ...]
    check: Check
    sources: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    status: Literal["stable", "preview"] = "stable"
