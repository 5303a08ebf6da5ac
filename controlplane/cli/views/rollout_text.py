"""A rollout for people: one line whenever something changed, and a summary at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from controlplane.cli.terminal import paint, printable
from controlplane.regex import regex
from controlplane.workflows.messages import (
    LayerReport,
    LayerState,
    ObjectOutcome,
    Result,
    RolloutOutcome,
    RolloutProgress,
)

_SECONDS = regex(r"\b[0-9.]+ s\b|\(attempt [0-9]+\)")
_RESULT_STYLE = {Result.OK: "green", Result.RETURNED: "yellow", Result.FAILED: "red", Result.CANCELLED: "yellow"}


@dataclass
class RolloutLines:
    """Turns the progress of one service's rollout into lines, each said once."""

    service: str
    colour: bool
    _said: set[str] = field(default_factory=set)
    _objects: int = 0

    def lines(self, progress: RolloutProgress) -> Iterator[str]:
        """What is new since the last call."""
        if progress.failure:
            yield from self._once(paint(f"failed: {printable(progress.failure)}", "red", colour=self.colour))
        if progress.returning_to is not None:
            yield from self._once(paint(f"returning to {progress.returning_to}", "yellow", colour=self.colour))
        for each in progress.objects[self._objects :]:
            yield self._line(_object(each))
        self._objects = len(progress.objects)
        if progress.trouble:
            yield from self._once(paint(f"trouble: {printable(progress.trouble)}", "yellow", colour=self.colour))
        prefix = "return: " if progress.returning_to is not None else ""
        for layer in progress.layers:
            if layer.state is not LayerState.PENDING:
                yield from self._once(prefix + layer_line(layer))

    def _once(self, text: str) -> Iterator[str]:
        """The line, unless only the seconds that it has taken so far are new."""
        key = _SECONDS.sub("", text)
        if key not in self._said:
            self._said.add(key)
            yield self._line(text)

    def _line(self, text: str) -> str:
        return f"{paint(self.service, 'bold', colour=self.colour)}  {text}"


def summary(outcomes: Sequence[tuple[str, RolloutOutcome]], *, colour: bool) -> str:
    """One block a service: how it ended, and why."""
    return "\n".join(_outcome(service, outcome, colour=colour) for service, outcome in outcomes)


def _outcome(service: str, outcome: RolloutOutcome, *, colour: bool) -> str:
    word = paint(outcome.result.value, _RESULT_STYLE[outcome.result], "bold", colour=colour)
    seconds = outcome.finished_at - outcome.started_at
    lines = [f"{service}: {word}, {outcome.revision}, {outcome.written} objects written, {seconds:.0f} s"]
    if outcome.reason:
        lines.append(f"  stopped at {printable(outcome.stopped_at)}: {printable(outcome.reason)}")
    if outcome.returned_to is not None:
        lines.append(f"  {outcome.returned_to} serves again")
    if outcome.return_failure:
        lines.append(f"  {printable(outcome.return_failure)}")
    lines += [f"  note: {printable(n)}" for n in outcome.notes]
    return "\n".join(lines)


def _object(outcome: ObjectOutcome) -> str:
    return printable(f"{outcome.action:<9} {outcome.key}")


def layer_line(report: LayerReport) -> str:
    """`machines  healthy 1 of 1 ready: ...`."""
    numbers = f" {report.ready} of {report.wanted} ready" if report.wanted else ""
    detail = f": {printable(report.detail)}" if report.detail else ""
    return f"{report.layer.value:<9} {report.state.value}{numbers}{detail}"
