"""Reading is the inverse of writing, and nothing that stands in a file can stop it."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, settings

from controlplane.emit import emit, explained_yaml, to_yaml
from controlplane.source import Dialect, read_yaml
from controlplane.stack.model import Stack
from controlplane.stack.read import Reading, read, read_live
from tests.stack import strategies as some

# Without the phase that explains: it traces every line, and a Stack takes thousands.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
THOROUGH = settings(max_examples=100, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))


def read_text(text: str) -> Reading:
    result = read_yaml(text.encode(), "stack.yaml", Dialect.KUBERNETES)
    assert result.diagnostics == () or not text
    return read(result.documents)


@THOROUGH
@given(some.stacks())
def test_a_written_stack_is_read_back_as_it_was(stack: Stack) -> None:
    reading = read_text(to_yaml(emit(stack)))
    assert reading.stack == stack
    assert reading.diagnostics == ()
    assert reading.skipped == ()


@THOROUGH
@given(some.stacks())
def test_comments_of_origin_change_nothing_that_is_read(stack: Stack) -> None:
    assert read_text(explained_yaml(emit(stack))).stack == stack


@THOROUGH
@given(some.stacks())
def test_a_written_stack_is_read_back_from_live_objects(stack: Stack) -> None:
    assert read_live([made.manifest for made in emit(stack).objects]).stack == stack
