"""How often locate() names a place where there is nothing, and misses one where there is.

``make test`` runs a short form, ``make test-all`` more of it, ``make calibration`` the long one.
"""

from __future__ import annotations

import os
from itertools import product

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, locate
from tests.simulation import NULLS, autoregressive

ALPHA = 0.05
KINDS = ("AR(1)", "random walk", "integer-tied")
DESIGNS = tuple(product((2, 4), (5, 10)))
CLAIMS = ("region", "change of difference", "window", "from", "until", "cluster")


def names(n_algorithms: int, n_runs: int) -> list[str]:
    return [f"A{i}" for i in range(n_algorithms) for _ in range(n_runs)]


def alarms(
    kind: str, n_algorithms: int, n_runs: int, n_steps: int, n_trials: int
) -> dict[str, int]:
    """Count the data sets without any effect in which something was found."""
    counts = dict.fromkeys(CLAIMS, 0)
    seed = [KINDS.index(kind), n_algorithms, n_runs, n_steps]
    for stream in np.random.default_rng(seed).spawn(n_trials):
        scores = NULLS[kind](stream, n_algorithms * n_runs, n_steps)
        curves = Curves(scores, names(n_algorithms, n_runs))
        exact = None if n_algorithms * n_runs == 10 else False
        where = locate(curves, n_shuffles=199, exact=exact, n_resamples=0, rng=stream)
        assert where.windows is not None
        counts["region"] += bool(where.regions)
        counts["change of difference"] += bool(where.effects["interaction"].regions)
        counts["window"] += bool((where.windows.pvalue_adjusted <= ALPHA).any())
        counts["from"] += where.differs_from is not None
        counts["until"] += where.differs_until is not None
        clusters = where.effects["algorithm"].clusters
        counts["cluster"] += any(cluster.pvalue <= ALPHA for cluster in clusters)
    return counts


def check(kind: str, design: tuple[int, int], n_steps: int, n_trials: int) -> None:
    counts = alarms(kind, *design, n_steps, n_trials)
    n_tests = len(KINDS) * len(DESIGNS) * len(CLAIMS)
    most = stats.binom.isf(1e-4 / n_tests, n_trials, ALPHA)
    for claim, count in counts.items():
        rate = f"{kind}, {design}, {n_steps} steps: {claim} in {count} of {n_trials}"
        assert count <= most, rate


# Every kind with one design is quick enough for each time.
PAIRED = list(zip(KINDS, DESIGNS, strict=False))


@pytest.mark.parametrize(
    ("kind", "design"),
    [
        pytest.param(
            kind, design, marks=[] if (kind, design) in PAIRED else pytest.mark.slow
        )
        for kind in KINDS
        for design in DESIGNS
    ],
    ids=str,
)
def test_nothing_is_located_where_nothing_is(kind: str, design: tuple[int, int]) -> None:
    check(kind, design, n_steps=20, n_trials=60)


@pytest.mark.calibration
@pytest.mark.parametrize("n_steps", [20, 200])
@pytest.mark.parametrize("design", DESIGNS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_located_where_nothing_is_in_full(
    kind: str, design: tuple[int, int], n_steps: int
) -> None:
    n_trials = int(os.environ.get("CURVEWISE_TRIALS", "10000"))
    check(kind, design, n_steps, n_trials // (10 if n_steps == 20 else 100))


def planted(n_trials: int, n_runs: int, size: float, seed: int) -> dict[str, float]:
    """Plant a difference in the steps 5 to 12 of 40; count claims, true and false."""
    counts = dict.fromkeys(("found", "covered", "until", "false until", "false from"), 0)
    counts["false region"] = counts["any false"] = 0
    for stream in np.random.default_rng(seed).spawn(n_trials):
        scores = autoregressive(stream, 2 * n_runs, 40)
        scores[:n_runs, 4:12] += size
        curves = Curves(scores, names(2, n_runs), np.arange(1, 41))
        where = locate(
            curves, n_shuffles=399, exact=False, n_resamples=0, windows=False, rng=stream
        )
        claimed = where.pvalue_adjusted <= ALPHA
        counts["found"] += bool(claimed.any())
        counts["covered"] += bool(claimed[4:12].all())
        counts["false region"] += bool(claimed[:4].any() or claimed[12:].any())
        # They claim "still at or after" and "already at or before".
        counts["until"] += where.differs_until == 12
        counts["false until"] += (where.differs_until or 0) > 12
        counts["false from"] += (where.differs_from or 41) < 5
        # A region outside is also too early or too late; all steps have an unusual difference.
        counts["any false"] += (where.differs_until or 0) > 12 or (
            where.differs_from or 41
        ) < 5
    return {name: count / n_trials for name, count in counts.items()}


def check_planted(n_trials: int) -> None:
    rates = planted(n_trials, n_runs=10, size=4.0, seed=1)
    most = stats.binom.isf(1e-4 / 4, n_trials, ALPHA) / n_trials
    for claim in ("false until", "false from", "false region", "any false"):
        assert rates[claim] <= most, rates
    assert rates["found"] > 0.99, rates
    assert rates["covered"] > 0.9, rates
    assert rates["until"] > 0.8, rates


def test_a_planted_difference_is_found_and_no_more_than_that() -> None:
    check_planted(100)


@pytest.mark.calibration
def test_a_planted_difference_is_found_and_no_more_than_that_in_full() -> None:
    check_planted(int(os.environ.get("CURVEWISE_TRIALS", "10000")) // 5)


def parallel_alarms(n_trials: int) -> int:
    """Count parallel curves in which the difference is said to change."""
    count = 0
    for stream in np.random.default_rng(2).spawn(n_trials):
        scores = autoregressive(stream, 20, 20)
        scores[:10] += 5
        where = locate(
            Curves(scores, names(2, 10)),
            n_shuffles=199,
            exact=False,
            n_resamples=0,
            rng=stream,
        )
        assert where.windows is not None
        shapes = where.windows.pvalue_adjusted[1]
        claims = bool(where.effects["interaction"].regions), (shapes <= ALPHA).any()
        count += any(claims)
    return count


def test_parallel_curves_have_no_region_of_change() -> None:
    # Two claims, each at alpha.
    assert parallel_alarms(100) <= stats.binom.isf(1e-4, 100, 2 * ALPHA)


DIFFERENCES = {
    "rising": np.linspace(-1, 1, 20),
    "far apart": np.full(20, 10.0),
    "late": np.where(np.arange(20) < 10, 0.0, 3.0),
}


def coverage(sizes: tuple[int, int], kind: str, n_trials: int) -> float:
    """How often the band holds the true difference at every step."""
    truth = DIFFERENCES[kind]
    covered = 0
    seed = [*sizes, list(DIFFERENCES).index(kind)]
    for stream in np.random.default_rng(seed).spawn(n_trials):
        scores = autoregressive(stream, sum(sizes), len(truth))
        scores[: sizes[0]] += truth
        where = locate(
            Curves(scores, np.repeat(["A", "B"], sizes)),
            windows=False,
            exact=None if sum(sizes) < 12 else False,
            n_shuffles=399,
            n_resamples=0,
            rng=stream,
        )
        band = where.band
        assert band is not None
        covered += bool(((band.low <= truth) & (truth <= band.high)).all())
    return covered / n_trials


BANDS = pytest.mark.parametrize("sizes", [(5, 5), (10, 10), (4, 7)], ids=str)


@BANDS
@pytest.mark.parametrize("kind", DIFFERENCES)
def test_the_band_covers_at_its_level(sizes: tuple[int, int], kind: str) -> None:
    n_trials = 100
    least = stats.binom.ppf(1e-4, n_trials, 1 - ALPHA) / n_trials
    assert coverage(sizes, kind, n_trials) >= least


@pytest.mark.calibration
@BANDS
@pytest.mark.parametrize("kind", DIFFERENCES)
def test_the_band_covers_at_its_level_in_full(sizes: tuple[int, int], kind: str) -> None:
    """Shuffled residuals are approximate, and ends are moved to agree with the steps."""
    n_trials = int(os.environ.get("CURVEWISE_TRIALS", "10000")) // 5
    least = stats.binom.ppf(1e-4, n_trials, 0.93) / n_trials
    assert coverage(sizes, kind, n_trials) >= least


def crossings_told(difference: float, n_trials: int) -> tuple[float, float]:
    """How often a crossing is told, and how often its interval then misses the true one."""
    told = missed = 0
    truth = difference * np.linspace(-1, 1, 20)
    for stream in np.random.default_rng([int(difference), 3]).spawn(n_trials):
        scores = autoregressive(stream, 10, 20)
        scores[:5] += truth
        crossing = locate(
            Curves(scores, names(2, 5)), windows=False, n_resamples=0
        ).crossing
        if crossing is not None:
            told += 1
            missed += not crossing.interval.low <= 9.5 <= crossing.interval.high
    return told / n_trials, missed / n_trials


def check_crossings(n_trials: int) -> None:
    # Of curves that do not differ, both leads would have to be found falsely.
    assert (
        crossings_told(0.0, n_trials)[0]
        <= stats.binom.isf(1e-4, n_trials, 0.01) / n_trials
    )
    told, missed = crossings_told(5.0, n_trials)
    assert told > 0.5
    assert missed <= stats.binom.isf(1e-4, n_trials, ALPHA) / n_trials


def test_crossings_are_told_where_they_are() -> None:
    check_crossings(100)


@pytest.mark.calibration
def test_crossings_are_told_where_they_are_in_full() -> None:
    check_crossings(int(os.environ.get("CURVEWISE_TRIALS", "10000")) // 5)
