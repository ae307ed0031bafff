"""Rows of a long table as records of runs."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise import CurvesError
from curvewise.data.tables import Records

NAN = float("nan")


def records(rows: list[int], steps: list[float], scores: list[float]) -> Records:
    return Records(
        np.array(rows, dtype=np.int32),
        np.array(steps),
        np.array(scores, dtype=float),
        ["A", "A", "B"],
        ["x", "y", "x"],
        ["1", "2", "1"],
        1e-7,
    )


def test_a_log_per_run_in_any_order_of_rows() -> None:
    found = records([2, 0, 0, 2], [5, 9, 3, 4], [1, 2, 3, 4]).logs(None)
    assert [(log.algorithm, log.run, log.block) for log in found] == [
        ("A", "x", "1"),
        ("A", "y", "2"),
        ("B", "x", "1"),
    ]
    assert [log.steps.tolist() for log in found] == [[3, 9], [], [4, 5]]
    assert found[2].scores.tolist() == [4, 1]
    assert found[0].precision == 1e-7


def test_some_of_the_records() -> None:
    found = records([0, 1], [0, 0], [1, 2]).where(np.array([True, False]))
    assert [log.n_points for log in found.logs(None)] == [1, 0, 0]


def test_repeats_that_say_the_same_are_fine() -> None:
    records([0, 0, 1, 1], [0, 0, 0, 0], [1, 1, NAN, NAN]).check_repeats()
    records([0, 1], [0, 0], [1, 2]).check_repeats()


@pytest.mark.parametrize("scores", [[1, 2], [1, NAN], [NAN, 1]])
def test_repeats_that_differ_are_refused(scores: list[float]) -> None:
    with pytest.raises(CurvesError, match=r"run 'y' of 'A' has 2 scores at step 4\."):
        records([1, 1], [4, 4], scores).check_repeats()


def test_repeats_are_settled_and_told_by_request_only() -> None:
    twice = records([0, 0], [4, 4], [1, 2])
    assert twice.logs("last")[0].scores.tolist() == [2]
    assert twice.logs("last")[0].notes
    assert twice.logs("mean")[0].scores.tolist() == [1.5]
    assert twice.logs(None)[0].notes == ()
