"""The progress of one rollout while it runs: what the `progress` query answers and the outcome is made from."""

from __future__ import annotations

from controlplane.workflows.messages import (
    Layer,
    LayerReport,
    LayerState,
    ObjectKey,
    ObjectOutcome,
    Phase,
    RevisionRef,
    RolloutProgress,
    RolloutRequest,
)

WRITING_ACTIONS = ("created", "updated", "replaced", "deleted")


class Board:
    """Collects what happened; only the rollout that owns it writes it. `started_at` in seconds since the epoch."""

    def __init__(self, request: RolloutRequest, started_at: float) -> None:
        self._request = request
        self._started_at = started_at
        self._objects: list[ObjectOutcome] = []
        self._layers: dict[Layer, LayerReport] = {}
        self._steps_done = 0
        self.steps_total = 0
        self.phase = Phase.VERIFY
        self.step = ""
        self.failure = ""
        self.returning_to: RevisionRef | None = None
        self.reset_layers()

    @property
    def written(self) -> int:
        """How many objects were created, updated or deleted, those of a return included."""
        return sum(o.action in WRITING_ACTIONS for o in self._objects)

    def begin(self, phase: Phase, step: str) -> None:
        """Enter a step."""
        self.phase, self.step = phase, step

    def step_done(self) -> None:
        """Leave a step."""
        self._steps_done += 1

    def record(self, outcomes: tuple[ObjectOutcome, ...]) -> None:
        """Add what happened to objects."""
        self._objects.extend(outcomes)

    def show(self, report: LayerReport) -> None:
        """Replace what is known of a layer."""
        self._layers[report.layer] = report

    def reset_layers(self) -> None:
        """Nothing is known of any layer (any more)."""
        self._layers = {layer: LayerReport(layer, LayerState.PENDING) for layer in Layer}

    def created(self) -> tuple[ObjectKey, ...]:
        """The objects that this rollout creates: the plan saw them absent, or applying them made them."""
        planned = [p.key for p in self._request.planned or () if not p.uid and not p.delete]
        made = [o.key for o in self._objects if o.action == "created"]
        return tuple(dict.fromkeys([*planned, *made]))

    def replaced(self) -> tuple[ObjectKey, ...]:
        """The objects that this rollout may have deleted and made again."""
        return tuple(p.key for p in self._request.planned or () if p.replace)

    def progress(self) -> RolloutProgress:
        """A copy to send."""
        return RolloutProgress(
            request_id=self._request.request_id,
            revision=self._request.revision,
            phase=self.phase,
            started_at=self._started_at,
            step=self.step,
            steps_done=self._steps_done,
            steps_total=self.steps_total,
            objects=tuple(self._objects),
            layers=tuple(self._layers.values()),
            failure=self.failure,
            returning_to=self.returning_to,
        )
