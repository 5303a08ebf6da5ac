"""The shape of a finding. Rendering one is the work of `cli/views`."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import field

from controlplane.diagnostics.span import KeyPath, Span
from controlplane.frozen import frozen


class Severity(enum.StrEnum):
    """How bad: an error stops the verb, a warning does not, an info only tells."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Layer(enum.StrEnum):
    """The layer in which the cause lies, not the one where it shows."""

    POLICY = "policy"
    GATEWAY = "gateway"
    ADMISSION = "admission"
    KUBERNETES = "kubernetes"
    CONTAINER = "container"
    RAY = "ray"
    SERVE = "serve"
    VLLM = "vllm"
    KV_TRANSFER = "kv-transfer"
    CROSS = "cross"
    NONE = "none"


class Applicability(enum.StrEnum):
    """Whether a remedy's edits may be made without asking."""

    SAFE = "safe"
    NEEDS_DECISION = "needs-decision"
    DISPLAY_ONLY = "display-only"


@frozen
class Edit:
    """Replace the characters of `span` by `new_text`; an empty span inserts."""

    span: Span
    new_text: str


@frozen
class Remedy:
    """What to do, in the imperative and with the value to set, ending in a full stop."""

    text: str
    edits: tuple[Edit, ...] = ()
    applicability: Applicability = Applicability.DISPLAY_ONLY


@frozen
class Evidence:
    """One fact that a finding rests on. `source` is where it came from: a place, a live field, a table, a formula."""

    fact: str
    value: str | int | float | bool | None
    source: str
    unit: str = ""
    time: str | None = None


@frozen
class RelatedSpan:
    """A second place that belongs to the finding, such as an alias's anchor."""

    span: Span
    message: str


_SEVERITY_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@frozen
class Diagnostic:
    """One finding. `message` states the fact with both numbers; `rule` is the permanent id `layer/slug`.

    Sorted by file, line, column, severity and rule, so that output is deterministic.
    """

    rule: str
    severity: Severity
    layer: Layer
    message: str
    span: Span
    path: KeyPath = ()
    remedy: Remedy | None = None
    evidence: tuple[Evidence, ...] = ()
    related: tuple[RelatedSpan, ...] = field(default=())

    def sort_key(self) -> tuple[Span, int, str, str]:
        return (self.span, _SEVERITY_ORDER[self.severity], self.rule, self.message)

    def __lt__(self, other: Diagnostic) -> bool:
        return self.sort_key() < other.sort_key()


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any finding is an error."""
    return any(d.severity is Severity.ERROR for d in diagnostics)
