"""The findings of one file: collected, counted when there are too many, and put in order."""

from __future__ import annotations

from typing import Final

from controlplane.diagnostics import Diagnostic, KeyPath, Layer, RelatedSpan, Remedy, Severity, has_errors
from controlplane.source.text import SourceText

_HOPELESS: Final = 10


class Findings:
    """Collects what is wrong with a file. Positions are indices into the file's text."""

    def __init__(self, text: SourceText, limit: int) -> None:
        self.text = text
        self._limit = limit
        self._kept: list[Diagnostic] = []
        self._untold: list[Diagnostic] = []
        self._untold_count = 0

    def add(
        self,
        rule: str,
        severity: Severity,
        message: str,
        place: tuple[int, int],
        *,
        remedy: Remedy | None = None,
        path: KeyPath = (),
        related: tuple[RelatedSpan, ...] = (),
    ) -> None:
        """Note one finding of the policy layer about the characters from `place[0]` up to `place[1]`."""
        span = self.text.span(*place)
        diagnostic = Diagnostic(rule, severity, Layer.POLICY, message, span, path, remedy, related=related)
        if len(self._kept) < self._limit:
            self._kept.append(diagnostic)
            return
        self._untold_count += 1
        # One error is enough to know that the rest is not only warnings.
        if not self._untold or (severity is Severity.ERROR and not has_errors(self._untold)):
            self._untold.append(diagnostic)

    @property
    def hopeless(self) -> bool:
        """Whether there are so many more findings than are told that reading on is of no use."""
        return self._untold_count > _HOPELESS * self._limit

    def sorted(self) -> tuple[Diagnostic, ...]:
        """All findings in the order of the text, the untold ones as one more."""
        return tuple(sorted([*self._kept, *self._summary()]))

    def _summary(self) -> list[Diagnostic]:
        if not self._untold:
            return []
        severity = Severity.ERROR if has_errors(self._untold) else Severity.WARNING
        message = f"{self._limit + self._untold_count} findings; {self._limit} are told one by one"
        remedy = Remedy("Repair what is told and run again; what follows may not have been read.")
        place = self._untold[0].span
        return [Diagnostic("yaml/too-many-findings", severity, Layer.POLICY, message, place, remedy=remedy)]
