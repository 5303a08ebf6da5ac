from __future__ import annotations

import pytest

from controlplane.diagnostics import KeyPath, Span, render_path


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("spec",), "spec"),
        (("spec", "containers", 0, "image"), "spec.containers[0].image"),
        ((0, 1), "[0][1]"),
        (("metadata", "labels", "app.kubernetes.io/name"), 'metadata.labels["app.kubernetes.io/name"]'),
        (("max-num-seqs",), "max-num-seqs"),
        (("", "a b"), '[""]["a b"]'),
        (("1",), '["1"]'),
    ],
)
def test_path_is_written_as_people_do(path: KeyPath, text: str) -> None:
    assert render_path(path) == text


def test_span_is_written_as_editors_open_it() -> None:
    assert str(Span("policies/chat.yaml", 12, 5, 12, 9)) == "policies/chat.yaml:12:5"


def test_spans_are_ordered_by_file_and_place() -> None:
    spans = [Span("b", 1, 1, 1, 2), Span("a", 10, 1, 10, 2), Span("a", 2, 9, 2, 9), Span("a", 2, 1, 3, 1)]
    assert sorted(spans) == [spans[3], spans[2], spans[1], spans[0]]
