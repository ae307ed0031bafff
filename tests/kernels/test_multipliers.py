from __future__ import annotations

import math

import numpy as np
import pytest

from curvewise.kernels import contrasts
from curvewise.kernels.contrasts import largest_moves, profile_reach
from curvewise.kernels.pvalues import upper_quantile
from curvewise.kernels.tasks import StratifiedRuns, spread_of, t_quantiles
from tests.kernels.test_aggregates import some_runs


def test_moves_have_the_standard_error_of_the_aggregate() -> None:
    runs, other = some_runs(0, [3, 5, 4], 1), some_runs(1, [4, 2, 3], 1)
    rests = [own.residuals(own.scores) for own in (runs, other)]
    parts = [runs.squares(rests[0]), other.squares(rests[1])]
    errors = [float(spread_of(own).error[0]) for own in (parts[:1], parts)]
    one = np.ones(1)
    found = largest_moves(rests, [((0,), one), ((0, 1), one)], 20_000, [1, 2])
    np.testing.assert_allclose(np.sqrt(np.mean(found**2, axis=1)), errors, rtol=0.03)


def test_a_single_step_has_the_quantile_of_a_normal_number() -> None:
    runs = some_runs(0, [4] * 6, 1)
    rest = runs.residuals(runs.scores)
    error = spread_of([runs.squares(rest)]).error
    (moves,) = largest_moves([rest], [((0,), error)], 20_000, [3])
    assert upper_quantile(moves, 0.05) == pytest.approx(1.96, abs=0.03)


def test_steps_that_do_not_vary_do_not_move() -> None:
    rest = np.array([[0.0, 0.3], [0.0, -0.3]])
    (moves,) = largest_moves([rest], [((0,), np.array([0.0, 0.1]))], 50, [0])
    (alone,) = largest_moves([rest[:, 1:]], [((0,), np.array([0.1]))], 50, [0])
    assert np.isfinite(moves).all()
    np.testing.assert_allclose(moves, alone)


def test_batches_change_no_multiplier(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = some_runs(0, [4] * 6, 5)
    rest = runs.residuals(runs.scores)
    one = StratifiedRuns(runs.scores[:, :1], runs.tasks)
    whole = largest_moves([rest], [((0,), np.ones(5))], 300, [3])
    reach = profile_reach(one, 0.95, 300, 3)
    monkeypatch.setattr(contrasts, "MAX_CELLS", 100)
    np.testing.assert_allclose(largest_moves([rest], [((0,), np.ones(5))], 300, [3]), whole)
    assert profile_reach(one, 0.95, 300, 3) == pytest.approx(reach)


@pytest.mark.parametrize("digits", [8, 1])
def test_profiles_move_as_their_residuals_say(digits: int) -> None:
    """Sums from the highest score down are the moves of "above τ", ties or not."""
    runs = some_runs(4, [3, 5, 2, 6], 1)
    runs = StratifiedRuns(np.round(runs.scores, digits), runs.tasks)
    places = np.unique(runs.scores)
    rest = runs.residuals((runs.scores > places).astype(float))
    (moves,) = largest_moves([rest], [((0,), np.ones(len(places)))], 999, [7])
    expected = upper_quantile(moves, 0.05) + runs.weights.max() / 2
    bound = math.sqrt(math.log(40) / 2 * float(np.sum(runs.weights**2)))
    assert profile_reach(runs, 0.95, 999, 7) == pytest.approx(min(expected, bound))


def test_bands_of_curves_hold_at_all_steps_at_once() -> None:
    n_tasks, n_runs, n_steps, n_sets = 10, 3, 12, 250
    rng = np.random.default_rng(1)
    heights = rng.normal(size=n_tasks)
    tasks = np.repeat(np.arange(n_tasks), n_runs)
    held = 0
    for number in range(n_sets):
        noise = rng.normal(size=(len(tasks), 1)) + rng.normal(size=(len(tasks), n_steps))
        runs = StratifiedRuns(heights[tasks, None] + noise, tasks)
        rest = runs.residuals(runs.scores)
        spread = spread_of([runs.squares(rest)])
        (moves,) = largest_moves([rest], [((0,), spread.error)], 499, [number])
        reach = t_quantiles(upper_quantile(moves, 0.05), spread.df) * spread.error
        held += bool(np.all(np.abs(runs.mean(runs.scores) - heights.mean()) <= reach))
    assert 0.91 < held / n_sets < 0.985  # .95, give or take three standard errors


@pytest.mark.parametrize("n_tasks", [5, 26])
def test_bands_of_profiles_hold_everywhere(n_tasks: int) -> None:
    from scipy.special import ndtr

    n_runs, n_sets = 5, 160
    rng = np.random.default_rng(2)
    heights = rng.normal(size=n_tasks)
    tasks = np.repeat(np.arange(n_tasks), n_runs)
    held = 0
    for number in range(n_sets):
        made = heights[tasks] + 0.5 * rng.normal(size=len(tasks))
        reach = profile_reach(StratifiedRuns(made[:, None], tasks), 0.95, 499, number)
        ranked = np.sort(made)
        truth = ndtr((heights - ranked[:, None]) / 0.5).mean(axis=1)
        share = 1 - np.arange(1, len(made) + 1) / len(made)
        # Between two scores the profile stands still, and the truth falls.
        above = np.append(1.0, share)
        held += bool(
            np.all(np.append(1.0, truth) <= above + reach)
            and np.all(np.append(truth, 0.0) >= above - reach)
        )
    assert held / n_sets > 0.9  # .95 or more, less three standard errors
