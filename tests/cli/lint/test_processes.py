"""Work spread over processes gives what one process gives, in the same order."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from controlplane.cli.lint.processes import MOST, _shares, processors, spread


def square(number: int) -> int:
    return number * number


def fail_on_three(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number


def end_on_three(number: int) -> int:
    if number == 3:
        os._exit(9)
    return number


@hypothesis_settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 4))
def test_results_keep_the_order_of_the_work(weights: list[int], processes: int) -> None:
    items = list(range(len(weights)))
    assert spread(square, items, weights, processes) == [square(item) for item in items]


@given(st.lists(st.integers(0, 100), min_size=1), st.integers(1, 5))
def test_every_item_is_given_out_once_and_evenly(weights: list[int], processes: int) -> None:
    shares = _shares(weights, processes)
    assert sorted(index for share in shares for index in share) == list(range(len(weights)))
    loads = [sum(weights[index] + 1 for index in share) for share in shares]
    assert max(loads) - min(loads) <= max(weights) + 1


def test_exception_in_another_process_is_raised_here() -> None:
    with pytest.raises(ValueError, match="three"):
        spread(fail_on_three, [1, 2, 3, 4], [9, 9, 9, 9], 2)
    with pytest.raises(ValueError, match="three"):
        spread(fail_on_three, [3, 1], [9, 9], 2)


def test_process_that_ends_without_a_result_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="ended without a result"):
        spread(end_on_three, [1, 3], [9, 1], 2)


_ALONE = """
import os
from controlplane.cli.lint.processes import spread
assert spread(abs, [-1, -2, -3], [1, 1, 1], 3) == [1, 2, 3]
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("no child is left")
"""


def test_no_process_is_left_behind() -> None:
    # In a process of its own: other tests of this one may have children.
    ran = subprocess.run([sys.executable, "-c", _ALONE], capture_output=True, text=True, check=True)
    assert ran.stdout == "no child is left\n"


def test_nothing_is_forked_beside_threads() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert processors() == 1
    finally:
        done.set()
        thread.join()
    assert 1 <= processors() <= MOST
