from __future__ import annotations

from controlplane.stack.recent import recent


class Counted:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, first: object, second: object = None) -> tuple[object, object]:
        self.calls += 1
        return first, second


def test_the_same_objects_are_asked_about_once() -> None:
    function = Counted()
    remembering = recent(function.__call__)
    one: list[int] = []
    assert remembering(one) is remembering(one)
    assert remembering(one, "a")[0] is one
    assert function.calls == 2


def test_an_equal_object_is_another() -> None:
    remembering = recent(Counted().__call__)
    one: list[int] = []
    other: list[int] = []
    assert remembering(one)[0] is one
    assert remembering(other)[0] is other


def test_answers_are_right_however_many_objects_come_and_go() -> None:
    function = Counted()
    remembering = recent(function.__call__)
    assert all(remembering([number])[0] == [number] for number in range(1000))
    assert function.calls == 1000


def test_named_arguments_are_passed_on() -> None:
    assert recent(Counted().__call__)(1, second=2) == (1, 2)
