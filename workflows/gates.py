"""What stops a rollout, and how a failed activity is told."""

from __future__ import annotations

from temporalio.exceptions import ActivityError, FailureError
from temporalio.exceptions import TimeoutError as TimeIsUp

from controlplane.workflows.messages import LayerReport, LayerState


class GateClosed(Exception):
    """A rollout cannot go on. `stopped_at` is the phase or layer, `reason` what was found there."""

    def __init__(self, stopped_at: str, reason: str, *, cancelled: bool = False) -> None:
        super().__init__(f"{stopped_at}: {reason}")
        self.stopped_at = stopped_at
        self.reason = reason
        self.cancelled = cancelled


def timed_out(error: ActivityError) -> bool:
    """Whether the activity ended because its time was up."""
    return isinstance(error.cause, TimeIsUp)


def told(error: ActivityError) -> str:
    """A failed activity in one sentence, in the words of whoever refused."""
    return error.cause.message if isinstance(error.cause, FailureError) else error.message


def layer_failure(report: LayerReport, timeout_s: float) -> str:
    """Why a layer that is not healthy stops the rollout, with both numbers."""
    counted = f"{report.ready} of {report.wanted} ready"
    detail = f": {report.detail}" if report.detail else ""
    if report.state is LayerState.TIMED_OUT:
        return f"{counted} after {timeout_s:g} s{detail}"
    return f"{counted}{detail}"
