from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.questions.aggregate.method import estimated
from tests.kernels.test_aggregates import some_runs

if TYPE_CHECKING:
    from curvewise.kernels.tasks import StratifiedRuns


def runs_of_two(seed: int = 0, n_steps: int = 4) -> dict[str, StratifiedRuns]:
    return {name: some_runs(seed + place, [4] * 11, n_steps) for place, name in enumerate("AB")}


def test_without_keys_there_are_no_bands() -> None:
    scores, (pair,) = estimated(runs_of_two(), "iqm", 1.0, 0.95, 99, None)
    for own in (scores["A"], scores["B"], pair):
        assert own.curve is None
        assert own.band is None


def test_a_difference_is_that_of_the_two_and_its_spread_that_of_both() -> None:
    keys = {"A": 1, "B": 2}
    scores, (pair,) = estimated(runs_of_two(), "iqm", 1.0, 0.95, 499, keys)
    one, other = scores[pair.a], scores[pair.b]
    assert pair.value == pytest.approx(one.value - other.value)
    assert pair.value >= 0
    assert pair.error == pytest.approx(np.hypot(one.error, other.error))
    assert pair.df is not None
    assert one.df is not None
    assert other.df is not None
    assert max(one.df, other.df) < pair.df < one.df + other.df + 1e-9
    assert pair.curve is not None
    np.testing.assert_allclose(pair.curve, np.array(one.curve) - np.array(other.curve))


def test_the_same_value_is_in_the_order_of_names() -> None:
    runs = some_runs(0, [3, 3])
    scores, _ = estimated({"b": runs, "a": runs}, "mean", 1.0, 0.95, 99, None)
    assert list(scores) == ["a", "b"]


@pytest.mark.parametrize("statistic", ["iqm", "mean", "gap"])
def test_more_confidence_gives_wider_intervals_and_bands(statistic: str) -> None:
    keys = {"A": 1, "B": 2}
    narrow, wide = (
        estimated(runs_of_two(), statistic, 0.3, confidence, 999, keys)[0]["A"]
        for confidence in (0.8, 0.99)
    )
    assert wide.interval.low < narrow.interval.low < narrow.interval.high < wide.interval.high
    assert narrow.band is not None
    assert wide.band is not None
    assert np.all(wide.band.high > narrow.band.high)


def test_bands_of_gaps_do_not_go_below_zero_and_those_of_differences_may() -> None:
    keys = {"A": 1, "B": 2}
    scores, (pair,) = estimated(runs_of_two(), "gap", -1.5, 0.99, 199, keys)
    assert pair.band is not None
    assert pair.band.low.min() < 0
    for own in scores.values():
        assert own.band is not None
        assert own.band.low.min() == 0
