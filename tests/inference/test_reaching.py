"""When runs reach a threshold, as far as they were trained."""

from __future__ import annotations

import numpy as np
import pytest

import curvewise as cw
from curvewise.data.points import RunLog
from curvewise.inference.survival import TrainedDifferentlyLong, reaching


def logs(ends: list[int]) -> list[RunLog]:
    """Runs of A and B that gain a point a step, up to where they end."""
    return [
        RunLog("AB"[place % 2], str(place), "return", range(end + 1), range(end + 1))
        for place, end in enumerate(ends)
    ]


def test_lower_scores_may_be_better() -> None:
    losses = np.array([[3.0, 2, 1, 0], [3, 3, 3, 2]])
    curves = cw.Curves(losses, ["A", "B"], higher_is_better=False)
    found = reaching(curves, 1.0)
    assert found.times.steps.tolist() == [2, 3]
    assert found.times.reached.tolist() == [True, False]
    assert found.horizon == 3
    assert found.caveats() == ()


def test_a_score_that_misses_the_threshold_by_rounding_reaches_it() -> None:
    curves = cw.Curves(np.array([[0.0, 0.3 - 1e-16, 1], [0, 0, 0.3]]), ["A", "B"])
    assert reaching(curves, 0.1 + 0.2).times.steps.tolist() == [1, 2]


def test_a_run_whose_last_score_is_carried_on_is_censored_where_it_ended() -> None:
    """It ends at 4 with a score of 4; the carried score of 4 is nobody's."""
    curves = cw.align(logs([10, 10, 4, 10]), short="carry")
    found = reaching(curves, 6.0)
    by_run = dict(zip(curves.runs, found.times.steps, strict=True))
    assert by_run == {"0": 6, "2": 4, "1": 6, "3": 6}
    assert found.n_lost == 1
    assert found.horizon == 10
    (caveat,) = found.caveats()
    assert isinstance(caveat, TrainedDifferentlyLong)
    assert "does not depend on the algorithm" in caveat.sentence()
    early = reaching(curves, 3.0)
    assert early.times.reached.all()
    assert early.caveats() == ()


def test_a_window_leaves_a_run_that_ended_before_it_without_a_say() -> None:
    curves = cw.align(logs([10, 10, 4, 10]), short="carry").window(6, 10)
    found = reaching(curves, 8.0)
    assert sorted(found.times.steps.tolist()) == [4, 8, 8, 8]


def test_a_run_that_counts_as_the_worst_score_never_reaches_it() -> None:
    curves = cw.align(logs([10, 10, 4, 10]), short="worst")
    found = reaching(curves, 6.0)
    by_run = dict(zip(curves.runs, found.times.steps, strict=True))
    assert by_run == {"0": 6, "2": 10, "1": 6, "3": 6}
    assert found.caveats() == ()
    # What it reached before it failed counts.
    assert reaching(curves, 3.0).times.reached.all()


def test_all_runs_of_an_algorithm_may_end_early() -> None:
    curves = cw.align(logs([10, 4, 10, 6]), short="carry")
    found = reaching(curves, 8.0)
    assert found.horizon == 6
    assert found.n_lost == 1


@pytest.mark.parametrize("hold", [1, 2])
def test_a_threshold_may_have_to_be_held(hold: int) -> None:
    curves = cw.Curves(np.array([[0, 5, 0, 5, 5.0], [5, 5, 5, 5, 5]]), ["A", "B"])
    assert reaching(curves, 5.0, hold=hold).times.steps.tolist() == [1 if hold == 1 else 3, 0]


def test_a_threshold_cannot_be_held_longer_than_there_are_steps() -> None:
    curves = cw.Curves(np.array([[0, 5.0], [5, 5]]), ["A", "B"])
    with pytest.raises(cw.OptionError, match=r"hold is 3, and there are 2 steps: no run"):
        reaching(curves, 5.0, hold=3)


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e120])
def test_times_do_not_depend_on_the_size_of_scores(size: float) -> None:
    scores = size * np.array([[0, 1, 0.5, 4, 8.0], [0, 0, 1, 2, 9]])
    found = reaching(cw.Curves(scores, ["A", "B"]), 3 * size)
    assert found.times.steps == pytest.approx([1.5 + 1.5 * 2.25 / 3.25, 3 + 1 / 7])
    assert found.times.reached.all()
