"""Two sets of runs as a baseline and a candidate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from curvewise import Curves, CurvesError, RunLog
from curvewise.data.curves import Display, Unaligned
from curvewise.data.tables import Columns, Selection
from curvewise.data.tasks import side_by_side, unaligned
from tests.simulation import some_curves


def logs(metric: str = "return", every: int = 1, **options: Any) -> Unaligned:
    steps = np.arange(0, 13, every)
    runs = [RunLog("x", str(run), metric, steps, np.sqrt(steps) + run) for run in range(3)]
    return Unaligned(runs, Selection(Columns(), **options), f"{metric}.csv", Display())


def test_sides_are_named_by_their_roles() -> None:
    first, second = some_curves(0, (3,)), some_curves(1, (4,))
    both = side_by_side(unaligned(first), unaligned(second))
    assert both.algorithms == ("baseline", "candidate")
    assert both.sizes == (3, 4)
    np.testing.assert_array_equal(both.select("baseline").scores, first.scores)
    np.testing.assert_array_equal(both.select("candidate").scores, second.scores)
    assert both.preparation is None


def test_all_runs_are_aligned_together() -> None:
    both = side_by_side(logs(every=3), logs(every=1))
    assert both.steps.tolist() == [0, 3, 6, 9, 12]
    assert both.preparation is not None
    assert both.source.startswith("baseline return.csv and candidate return.csv; aligned")


def test_what_is_the_same_of_both_sources_is_said_once() -> None:
    first, second = (
        unaligned(some_curves(0, (3,), source=f"{name}.csv: run from 'seed'"))
        for name in ("old", "new")
    )
    assert side_by_side(first, second).source == (
        "baseline old.csv and candidate new.csv, each: run from 'seed'"
    )
    other = unaligned(some_curves(0, (3,), source="new.csv: run from 'fold'"))
    assert side_by_side(first, other).source == (
        "baseline: old.csv: run from 'seed'; candidate: new.csv: run from 'fold'"
    )


def test_blocks_and_directions_are_kept() -> None:
    curves = some_curves(0, (3,), blocks=["x", "y", "z"], higher_is_better=False)
    both = side_by_side(unaligned(curves), unaligned(curves))
    assert both.blocks is not None
    assert both.blocks.tolist() == ["x", "y", "z"] * 2
    assert not both.higher_is_better


def test_what_does_not_fit_together_is_told() -> None:
    with pytest.raises(CurvesError, match="baseline must be one algorithm, and there are 2"):
        side_by_side(unaligned(some_curves(0)), unaligned(some_curves(0, (3,))))
    with pytest.raises(CurvesError, match="metric loss, the candidate return"):
        side_by_side(logs("loss"), logs("return"))
    with pytest.raises(CurvesError, match="Higher is better for the baseline, lower for"):
        side_by_side(logs(), logs(higher_is_better=False))
    # Whatever the score of a table is called, it may be the metric of a log.
    short = Curves(np.ones((2, 13)) + np.arange(13), ["y"] * 2)
    assert side_by_side(logs(), unaligned(short)).n_runs == 5


def test_a_side_that_ends_early_is_short() -> None:
    early = Unaligned(
        [RunLog("y", "0", "return", [0, 1, 2, 3], [0, 1, 2, 3])],
        Selection(Columns()),
        "early",
        Display(),
    )
    with pytest.raises(CurvesError, match="candidate"):
        side_by_side(logs(), early)
