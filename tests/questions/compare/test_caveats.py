"""Which caveats a comparison has, and in which order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, compare
from curvewise.inference.caveats import (
    BlocksOfOneAlgorithm,
    InfiniteF,
    PooledErrorMisleads,
    SingleRun,
    SingleStep,
    TooFewRuns,
    TooFewShuffles,
    UnevenBlocks,
    WelchIsApproximate,
)
from tests.simulation import autoregressive, some_curves


def kinds(curves: Curves, **options: Any) -> list[str]:
    return [caveat.kind for caveat in compare(curves, **options).caveats]


def parallel(shift: float) -> Curves:
    """Curves that differ in height alone."""
    scores = autoregressive(np.random.default_rng(0), 10, 20)
    scores[5:] += shift
    return Curves(scores, list("AAAAABBBBB"))


def test_three_runs_each_cannot_be_significant() -> None:
    found = compare(some_curves(0, (3, 3)))
    assert found.smallest_pvalue == pytest.approx(0.1)
    assert found.caveats == (TooFewRuns((3, 3), 0.1, 0.05, 4),)
    # Sampling does not hide it.
    sampled = compare(some_curves(0, (3, 3)), exact=False, rng=0)
    assert sampled.smallest_pvalue == pytest.approx(0.1)
    assert sampled.caveats == found.caveats


def test_too_few_shuffles_are_warned_of() -> None:
    found = compare(some_curves(0, (6, 6)), exact=False, n_shuffles=10, rng=0)
    assert found.caveats == (TooFewShuffles(10, 0.05),)


def test_a_single_run_and_a_single_step_are_used_and_warned_of() -> None:
    found = compare(some_curves(0, (1, 6)), alpha=0.2)
    assert found.n_relabellings == 7
    assert found.caveats == (SingleRun("A"),)
    assert compare(some_curves(0, (5, 5), 1)).caveats == (SingleStep(),)


def test_runs_without_error_are_told_for_each_effect() -> None:
    curve = np.array([0, 1, 2, 2.0])  # of three values: they may be the same by chance
    lifted = Curves([curve] * 4 + [curve + 1] * 4, list("AAAABBBB"))
    assert compare(lifted).caveats == (InfiniteF("algorithm"),)
    bent = Curves([curve] * 4 + [curve**2] * 4, list("AAAABBBB"))
    assert compare(bent).caveats == (InfiniteF("algorithm"), InfiniteF("interaction"))


def test_the_pooled_error_lets_height_pass_for_shape_and_says_so() -> None:
    curves = parallel(4)
    pooled, split = compare(curves, error="pooled"), compare(curves)
    assert pooled.interaction is not None
    assert split.interaction is not None
    assert pooled.interaction.significant
    assert not split.interaction.significant
    assert pooled.caveats == (
        PooledErrorMisleads(
            "interaction",
            "algorithm",
            other_differs=True,
            pvalue_pooled=pooled.interaction.pvalue,
            pvalue_split=split.interaction.pvalue,
        ),
    )
    assert split.caveats == ()
    assert split.effects["pooled"]["interaction"].pvalue == pooled.interaction.pvalue


def test_the_pooled_error_lets_shape_pass_for_height_too() -> None:
    rng = np.random.default_rng(1)
    scores = 0.2 * rng.normal(size=(10, 8)) + 0.5 * rng.normal(size=(10, 1))
    scores[5:] += np.linspace(-4, 4, 8)
    found = compare(Curves(scores, list("AAAAABBBBB")), error="pooled", alpha=0.3)
    about = [c for c in found.caveats if isinstance(c, PooledErrorMisleads)]
    assert ("algorithm", "interaction", True) in {
        (c.effect, c.other, c.other_differs) for c in about
    }


def test_the_pooled_error_misleads_nobody_where_nothing_is_found() -> None:
    assert kinds(parallel(0), error="pooled") == []
    assert kinds(some_curves(0, (5, 5), 1), error="pooled") == ["single step"]


def test_spread_is_told_with_the_advice_that_fits_the_test() -> None:
    curves = some_curves(0, (5, 12))
    wide = Curves(curves.scores * np.where(curves.codes, 1, 9)[:, None], curves.labels)
    assert kinds(wide) == ["different spread"]
    unequal = compare(wide, spread="unequal")
    assert unequal.caveats == (WelchIsApproximate(5),)


def test_uneven_blocks_are_used_and_said() -> None:
    found = compare(some_curves(0, (4, 4), blocks=[1, 1, 2, 2, 1, 2, 2, 2]))
    assert found.caveats == (UnevenBlocks(),)
    assert not found.even_blocks
    alone = compare(some_curves(0, (4, 4), blocks=[1, 2, 3, 3, 1, 2, 2, 1]), alpha=0.2)
    assert alone.caveats == (BlocksOfOneAlgorithm(("3",), 3), UnevenBlocks())


def test_the_gravest_come_first() -> None:
    found = compare(some_curves(0, (1, 2), 1), exact=False, n_shuffles=2, rng=0)
    assert [caveat.kind for caveat in found.caveats] == [
        "too few runs",
        "too few shuffles",
        "single run",
        "single step",
    ]


def advised(sizes: tuple[int, ...], ratio: float, n_trials: int) -> float:
    """Return how often it is advised to allow for unequal spread, at a ratio of variances."""
    count = 0
    for stream in np.random.default_rng(4).spawn(n_trials):
        scores = autoregressive(stream, sum(sizes), 12)
        scores[: sizes[0]] *= np.sqrt(ratio)
        curves = Curves(scores, np.repeat(list("ABC"[: len(sizes)]), sizes))
        found = compare(curves, exact=False, n_shuffles=1)
        count += any('spread="unequal"' in warning for warning in found.warnings)
    return count / n_trials


@pytest.mark.parametrize("n_trials", [80, pytest.param(250, marks=pytest.mark.slow)])
@pytest.mark.parametrize("sizes", [(5, 10), (8, 20), (5, 5, 10)])
def test_the_advice_is_rare_where_spreads_are_equal(sizes: tuple[int, ...], n_trials: int) -> None:
    most = stats.binom.isf(1e-4, n_trials, 0.04)
    assert advised(sizes, 1, n_trials) <= most / n_trials


@pytest.mark.parametrize("n_trials", [50, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("sizes", [(5, 10), (4, 12), (20, 8)])
def test_the_advice_comes_where_spreads_matter(sizes: tuple[int, ...], n_trials: int) -> None:
    assert advised(sizes, 25, n_trials) > 0.7
