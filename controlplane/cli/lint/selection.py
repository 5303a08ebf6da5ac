"""Which rules run and how much their findings weigh: by prefixes of their ids, the longest of which decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Final

from controlplane.diagnostics import Diagnostic, Severity
from controlplane.frozen import frozen

_OF_UNREADABLE: Final = frozenset(
    f"yaml/{slug}"
    for slug in (
        "syntax", "tab-indentation", "not-utf8", "nul-byte", "control-character", "too-large", "too-deep",
        "too-many-nodes", "alias-expansion", "too-many-documents", "too-many-unreadable-documents",
    )
)  # fmt: skip
"""What keeps a document from being judged at all: told whatever is selected, unless it is ignored by name."""


@frozen
class Selection:
    """What was chosen. Without `select` every rule runs but those that are only a preview."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)

    def takes(self, rule: str, *, preview: bool = False) -> bool:
        """Whether a rule is selected; of prefixes of the same length, the one that ignores decides."""
        chosen = _longest(rule, self.select)
        ignored = _longest(rule, self.ignore)
        if chosen == 0:
            wanted = rule in _OF_UNREADABLE if self.select else not preview
            return wanted and ignored == 0
        return chosen > ignored

    def weighed(self, finding: Diagnostic) -> Diagnostic:
        """The finding with the severity that was set for it."""
        prefixes = sorted((prefix for prefix in self.severity if matches(finding.rule, prefix)), key=len)
        return replace(finding, severity=self.severity[prefixes[-1]]) if prefixes else finding

    def applied(self, findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """The selected findings, each with its severity."""
        return tuple(sorted(self.weighed(f) for f in findings if self.takes(f.rule)))


def matches(rule: str, prefix: str) -> bool:
    """Whether an id begins with whole words of a prefix: `ray` and `vllm/argument` match, `vllm/arg` does not."""
    rest = rule.removeprefix(prefix)
    return rule.startswith(prefix) and (not rest or rest[0] in "/-" or prefix.endswith("/"))


def _longest(rule: str, prefixes: Iterable[str]) -> int:
    return max((len(prefix) for prefix in prefixes if matches(rule, prefix)), default=0)
