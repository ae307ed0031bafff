"""Common steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import CurvesError
from curvewise.data.align import (
    Grid,
    common_grid,
    common_range,
    find_short,
    inside,
    scores_at,
    usable_part,
)
from curvewise.data.tables import Columns, Selection
from tests.data.run_logs import log

if TYPE_CHECKING:
    from curvewise.data.align import UsableRun

EVERYTHING = (-np.inf, np.inf)


def usable(*steps: list[float]) -> list[UsableRun]:
    runs = [usable_part(log("A", place, own)) for place, own in enumerate(steps)]
    find_short(runs, EVERYTHING)
    return runs


def test_the_range_is_from_the_latest_first_to_the_earliest_last_step() -> None:
    runs = usable([0, 90], [5, 100], [1, 95])
    found = common_range(runs, runs, EVERYTHING)
    assert (found.low, found.high) == (5, 90)
    assert (found.begins_with, found.ends_with) == (runs[1], runs[0])
    narrow = common_range(runs, runs, (20, 40))
    assert (narrow.low, narrow.high) == (20, 40)
    # The end of a run that is filled up does not count.
    assert common_range(runs, runs[1:], EVERYTHING).high == 95


def test_ties_are_decided_by_steps_not_by_names() -> None:
    runs = usable([0, 5, 10], [0, 4, 10], [0, 1, 2, 3, 10])
    for order in (runs, runs[::-1]):
        within = common_range(order, order, EVERYTHING)
        grid = common_grid(order, within, Selection(Columns()))
        assert grid.steps.tolist() == [0, 4, 10]
        assert grid.run is runs[1]


def test_common_steps_inside_the_range_need_no_interpolation() -> None:
    runs = usable([0, 5, 10, 100], [0, 5, 10, 100, 105])
    within = common_range(runs, runs, EVERYTHING)
    grid = common_grid(runs, within, Selection(Columns()))
    assert (grid.kind, grid.steps.tolist()) == ("common", [0, 5, 10, 100])


def test_rounding_leaves_no_step_out() -> None:
    assert inside(np.array([0.1, 0.2, 0.1 + 0.2]), 0.1, 0.3).all()
    assert not inside(np.array([0.1, 0.31]), 0.1, 0.3).all()
    assert inside(np.array([]), 0, 1).tolist() == []


def test_scores_beyond_the_end_are_unknown() -> None:
    (run,) = usable([0, 10])
    grid = Grid(np.array([0.0, 5, 10, 15]), "even")
    np.testing.assert_allclose(
        scores_at(grid, run, "linear"), [0, np.sqrt(10) / 2, np.sqrt(10), np.nan]
    )
    np.testing.assert_allclose(scores_at(grid, run, "previous"), [0, 0, np.sqrt(10), np.nan])
    empty = usable_part(log("A", 0, []))
    assert np.isnan(scores_at(grid, empty, "linear")).all()


def test_a_bin_that_holds_the_end_is_the_mean_of_what_is_there() -> None:
    (run,) = usable([0, 1, 2, 6])
    run.end = 2
    edges = np.array([0.0, 2, 4, 6])
    grid = Grid(np.array([1.0, 3, 5]), "bins", edges=edges)
    found = scores_at(grid, run, "bins")
    np.testing.assert_allclose(found, [0.5, np.sqrt(2), np.nan])
    run.end = 6
    with pytest.raises(CurvesError, match="no point in bin"):
        scores_at(Grid(np.array([2.5, 3.5]), "bins", edges=np.array([2.5, 3, 4])), run, "bins")


WHOLE = [0.0, 200, 500, 1000, 2000, 3000, 5000, 8000]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([[0, 200, 500, 2000, 3000, 5000, 8000]], WHOLE),
        ([[0, 500, 2000, 5000, 8000]], WHOLE),  # three of eight
        ([[0, 2000, 8000]], WHOLE),  # a single run, with a third of the steps
        ([[0, 8000]], [0, 8000]),  # fewer are another schedule
        ([WHOLE[:2] + WHOLE[4:]] * 2, WHOLE),  # of two runs alike
        ([WHOLE[::2] + WHOLE[-1:]] * 2, WHOLE[::2] + WHOLE[-1:]),  # sparser by design
        ([WHOLE[:3] + WHOLE[4:], WHOLE[:5] + WHOLE[6:], WHOLE[:1] + WHOLE[3:]], WHOLE),
        ([[0, 200, 500, 1001, 2000, 3000, 5000, 8000]], WHOLE),  # a slip of one run
    ],
)
def test_gaps_are_told_from_schedules(others: list[list[float]], expected: list[float]) -> None:
    runs = usable(*others, WHOLE, WHOLE, WHOLE)
    for order in (runs, runs[::-1]):
        within = common_range(order, order, EVERYTHING)
        grid = common_grid(order, within, Selection(Columns()))
        assert grid.steps.tolist() == expected


def test_of_two_runs_the_one_that_skips_every_other_step_has_no_gaps() -> None:
    for fewer, expected in (
        ([0.0, 2, 4, 6], [0, 2, 4, 6]),
        ([0.0, 1, 2, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6]),
    ):
        runs = usable(fewer, [0, 1, 2, 3, 4, 5, 6])
        within = common_range(runs, runs, EVERYTHING)
        grid = common_grid(runs, within, Selection(Columns()))
        assert grid.steps.tolist() == expected
