"""The interval of the probability of winning: its ends, and how often it covers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from curvewise.kernels.tasks import Stratum, probability_interval, winning_probability
from tests.kernels.tasks.test_van_elteren import stratum


def test_equal_sizes_give_the_plain_mean() -> None:
    rng = np.random.default_rng(0)
    strata = [stratum(rng, 5, 5) for _ in range(6)]
    mean = np.mean([own.probability for own in strata])
    assert winning_probability(strata) == pytest.approx(mean)


def test_a_single_pair_per_stratum_is_wilsons_interval_of_a_proportion() -> None:
    won = Stratum(np.array([4, 2]), np.array([True, False]))
    lost = Stratum(np.array([2, 4]), np.array([True, False]))
    low, high = probability_interval([won] * 14 + [lost] * 6, 0.05)
    z, n, p = norm.ppf(0.975), 20, 0.7
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    assert (low, high) == pytest.approx((centre - reach, centre + reach))


def test_where_all_runs_win_the_interval_has_a_width() -> None:
    clear = Stratum(np.arange(2, 14, 2), np.arange(6) >= 3)
    low, high = probability_interval([clear] * 5, 0.05)
    assert 0.5 < low < 0.95
    assert high == 1.0
    turned = Stratum(clear.doubled, ~clear.first)
    assert probability_interval([turned] * 5, 0.05) == pytest.approx((0.0, 1 - low))


def test_more_confidence_is_wider_and_more_tasks_are_narrower() -> None:
    rng = np.random.default_rng(1)
    strata = [stratum(rng, 5, 5) for _ in range(20)]
    narrow, wide = probability_interval(strata, 0.1), probability_interval(strata, 0.01)
    assert wide[0] < narrow[0] < winning_probability(strata) < narrow[1] < wide[1]
    many = probability_interval(strata * 4, 0.1)
    assert many[1] - many[0] < 0.6 * (narrow[1] - narrow[0])


@pytest.mark.parametrize(
    ("n_tasks", "n_runs", "shifts"),
    [(5, 3, (1.0,)), (10, 5, (0.0,)), (10, 5, (2.0, -2.0)), (26, 3, (3.0, 0.0, 0.0, 0.0, 0.0))],
)
def test_it_covers(n_tasks: int, n_runs: int, shifts: tuple[float, ...]) -> None:
    rng = np.random.default_rng(7)
    own = np.resize(shifts, n_tasks)
    truth = float(norm.cdf(own / np.sqrt(2)).mean())
    n_sets = 150
    missed = 0
    first = np.arange(2 * n_runs) < n_runs
    for _ in range(n_sets):
        numbers = rng.normal(size=(n_tasks, 2 * n_runs)) + np.where(first, own[:, None], 0.0)
        ranks = 2 * (1 + np.argsort(np.argsort(numbers, axis=1), axis=1))
        low, high = probability_interval([Stratum(r, first) for r in ranks], 0.05)
        missed += not low <= truth <= high
    assert missed <= 0.05 * n_sets + 3 * np.sqrt(0.05 * 0.95 * n_sets)
