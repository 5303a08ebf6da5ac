"""A rollout as lines: each change once, and never one a second."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controlplane.cli.views.rollout_text import RolloutLines, summary
from controlplane.workflows.messages import (
    Layer,
    LayerReport,
    LayerState,
    ObjectKey,
    ObjectOutcome,
    Phase,
    Result,
    RevisionRef,
    RolloutOutcome,
    RolloutProgress,
)

REVISION = RevisionRef(2, "abc")
PROGRESS = RolloutProgress("r", REVISION, Phase.HEALTH, started_at=0.0)
DEPLOYMENT = ObjectKey("apps/v1", "Deployment", "llm", "chat")


def waiting(detail: str) -> RolloutProgress:
    return replace(PROGRESS, layers=(LayerReport(Layer.MACHINES, LayerState.WAITING, 0, 1, detail),))


def test_only_passing_seconds_do_not_make_a_new_line() -> None:
    lines = RolloutLines("llm/chat", colour=False)
    first = list(lines.lines(waiting("not scheduled for 2 s of the 300 s allowed")))
    assert first == ["llm/chat  machines  waiting 0 of 1 ready: not scheduled for 2 s of the 300 s allowed"]
    assert list(lines.lines(waiting("not scheduled for 3 s of the 300 s allowed"))) == []
    assert len(list(lines.lines(waiting("image cannot be pulled")))) == 1


def test_each_object_is_told_once() -> None:
    lines = RolloutLines("llm/chat", colour=False)
    progress = replace(PROGRESS, objects=(ObjectOutcome(DEPLOYMENT, "updated"),))
    assert list(lines.lines(progress)) == ["llm/chat  updated   Deployment/llm/chat"]
    assert list(lines.lines(progress)) == []


def test_layers_of_a_return_are_marked_as_such_to_the_end() -> None:
    lines = RolloutLines("llm/chat", colour=False)
    healthy = LayerReport(Layer.MACHINES, LayerState.HEALTHY, 1, 1)
    back = replace(
        PROGRESS, phase=Phase.DONE, failure="machines: no image", returning_to=RevisionRef(1, "x"), layers=(healthy,)
    )
    assert list(lines.lines(back)) == [
        "llm/chat  failed: machines: no image",
        "llm/chat  returning to revision 1",
        "llm/chat  return: machines  healthy 1 of 1 ready",
    ]


@pytest.mark.parametrize("text", ["\x1b[2J", "\u202e"])
def test_servers_text_does_not_control_the_terminal(text: str) -> None:
    [line] = RolloutLines("llm/chat", colour=False).lines(waiting(f"scheduler: {text}"))
    assert text not in line


def test_summary_says_where_it_stopped_and_what_serves_again() -> None:
    outcome = RolloutOutcome(
        Result.RETURNED,
        REVISION,
        stopped_at="machines",
        reason="0 of 1 ready after 60 s",
        returned_to=RevisionRef(1, "x"),
        written=2,
        started_at=10.0,
        finished_at=75.0,
    )
    assert summary([("llm/chat", outcome)], colour=False).splitlines() == [
        "llm/chat: returned, revision 2, 2 objects written, 65 s",
        "  stopped at machines: 0 of 1 ready after 60 s",
        "  revision 1 serves again",
    ]
