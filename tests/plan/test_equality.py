"""Spellings of one value are one value, on the fields where they are, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from controlplane.plan.equality import same_value

_LIMITS = ("spec", "containers", 0, "resources", "limits")


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ((*_LIMITS, "cpu"), "1000m", "1"),
        ((*_LIMITS, "cpu"), "1", 1),
        ((*_LIMITS, "cpu"), "0.5", "500m"),
        ((*_LIMITS, "cpu"), 0.5, "500m"),
        ((*_LIMITS, "memory"), "1.5Gi", "1536Mi"),
        ((*_LIMITS, "memory"), "1000M", "1G"),
        ((*_LIMITS, "memory"), "1Gi", "1073741824"),
        (_LIMITS, {"cpu": "1000m"}, {"cpu": 1}),
        (("spec", "volumes", 0, "emptyDir", "sizeLimit"), "1024Mi", "1Gi"),
        (("spec", "resources"), {"requests": {"storage": "1024Gi"}}, {"requests": {"storage": "1Ti"}}),
        (("spec", "hard", "requests.nvidia.com/gpu"), "8", 8),
        (("spec", "ports", 0, "targetPort"), "80", 80),
        (("spec", "maxUnavailable"), "1", 1),
        (("spec", "scrapeTimeout"), "300s", "5m"),
        (("spec", "interval"), "60s", "1m0s"),
        (("spec", "replicas"), 1, 1.0),
        ((), {"a": None}, {"a": None}),
    ],
)
def test_equal_values(path: Any, one: Any, other: Any) -> None:
    assert same_value(path, one, other)
    assert same_value(path, other, one)


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ((*_LIMITS, "cpu"), "1", "2"),
        ((*_LIMITS, "cpu"), "1", "1Ki"),
        ((*_LIMITS, "cpu"), "1K", "1000"),
        (("spec", "env", 0, "value"), "1000m", "1"),
        (("spec", "env", 0, "value"), "1", 1),
        (("metadata", "labels", "cpu"), "1000m", "1"),
        (("spec", "targetPort"), "http", 80),
        (("spec", "maxSurge"), "25%", 25),
        (("spec", "paused"), True, 1),
        (("spec", "paused"), False, None),
        (("spec", "args"), ["a", "b"], ["b", "a"]),
        (("spec", "interval"), "1m", "1h"),
        (("spec", "name"), "5m", "300s"),
        (("spec", "a"), {}, None),
    ],
)
def test_different_values(path: Any, one: Any, other: Any) -> None:
    assert not same_value(path, one, other)


def test_a_huge_exponent_is_compared_as_text_and_at_once() -> None:
    assert not same_value((*_LIMITS, "cpu"), "1e999999999", "1e999999998")
