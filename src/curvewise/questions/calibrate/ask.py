"""How often would common tests cry wolf on these very runs? Halves of the same runs, compared."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.checks import check_whole
from curvewise.data.curves import Curves
from curvewise.errors import refuse
from curvewise.inference.asking import RNGLike, Share, asked_of, question
from curvewise.inference.caveats import prepared
from curvewise.inference.work import known_seed, random_keys
from curvewise.kernels.invert import halves, n_halvings, rejections
from curvewise.kernels.pvalues import n_allowed
from curvewise.questions.calibrate.result import (
    BlocksNotUsed,
    Calibration,
    ProcedureRate,
    SplitRuns,
    TooFewToSplit,
    TooFewToTell,
)
from curvewise.shuffling.visit import track_items
from curvewise.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from curvewise.inference.caveats import Caveat
    from curvewise.kernels import Floats


MIN_RUNS = 4  # of which two halves of two are made
MIN_RUNS_FOR_RATE = 6
MIN_SPLITS, MAX_SPLITS = 100, 1_000_000
MAX_SCORES_AT_ONCE = 2**22
# How far the rate of n runs varies between sets of runs: this over n, and no less than that.
SPREAD_TIMES_RUNS, MIN_SPREAD = 0.8, 0.05


@question()
def calibrate(
    curves: Curves,
    *,
    algorithm: str | None = None,
    alpha: Share = 0.05,
    n_splits: int = 1_000,
    rng: RNGLike = None,
) -> Calibration:
    """Count how often common tests would have announced a difference where there is none.

    The runs of one algorithm are split in two halves at random, as if they were two algorithms,
    and tested; over and over.

    Parameters
    ----------
    curves : Curves
    algorithm : str, optional
        The algorithm whose runs are split; each of them by default.
    alpha : float
        The significance level of the tests.
    n_splits : int
        How many random splits of the runs of an algorithm, from 100 to 1,000,000; all of them
        where there are no more.
    rng : numpy Generator or int, optional
        As in `compare`; splits come from it.

    Returns
    -------
    Calibration
        A row for each procedure: the conventional F test, which takes all scores for
        independent, of height and of shape; t-tests at every step, where one is enough, of the
        final score, and of the mean over steps; and curvewise, whose rate follows from the
        number of runs alone.

    Raises
    ------
    CurvesError
        If the algorithm is unknown, has fewer than 4 runs, or its runs are all the same.
    OptionError
        If an argument has a value that cannot be used.

    Examples
    --------
    >>> import curvewise as cw
    >>> found = cw.calibrate(cw.load_example("tictactoe"), algorithm="A1", rng=0)
    >>> found["every step"].rate
    0.302
    >>> found["curvewise"].by_construction
    True
    """
    asked_of(calibrate, **locals())
    check_whole("n_splits", n_splits, MIN_SPLITS, MAX_SPLITS)
    chosen = curves if algorithm is None else curves.select(algorithm)
    sizes = dict(zip(chosen.algorithms, chosen.sizes, strict=True))
    usable = [name for name, size in sizes.items() if size >= MIN_RUNS]
    if not usable:
        most = max(sizes, key=lambda name: sizes[name])
        refuse(
            f"{most!r} has {plural(sizes[most], 'run')}: two halves to compare need {MIN_RUNS} "
            f"runs or more of an algorithm, and a rate {MIN_RUNS_FOR_RATE}. Repeat the training "
            "with other seeds."
        )
    if not any(np.ptp(chosen.select(name).scores, axis=0).any() for name in usable):
        refuse(
            "All runs of an algorithm have the same curve: no split of them could differ. Check "
            "that the runs were trained with different seeds."
        )
    # All are split alike, so that who else is there changes no digit.
    (key,) = random_keys(rng, 1)
    found = {
        name: _split(chosen.select(name).scores, float(alpha), int(n_splits), key)
        for name in track_items(usable)
    }
    return Calibration(
        rows=_pooled(list(found.values())),
        algorithms=found,
        alpha=float(alpha),
        n_steps=chosen.n_steps,
        seed=known_seed(rng),
        caveats=tuple(_caveats(chosen, sizes)),
        source=curves.source,
        preparation=curves.preparation,
    )


def _split(scores: Floats, alpha: float, n_splits: int, key: int) -> SplitRuns:
    """Split the runs of one algorithm over and over, and test."""
    n_runs = len(scores)
    n_all = n_halvings(n_runs)
    n_found: dict[str, int] = {}
    at_once = max(MAX_SCORES_AT_ONCE // scores.shape[1], 1)
    for splits in halves(n_runs, n_splits, key):
        for start in range(0, len(splits), at_once):
            part = splits[start : start + at_once]
            for test, found in rejections(scores, part, alpha).items():
                n_found[test] = n_found.get(test, 0) + int(found.sum())
    n_done = min(n_all, n_splits)
    sd = max(SPREAD_TIMES_RUNS / n_runs, MIN_SPREAD)
    is_rate = n_runs >= MIN_RUNS_FOR_RATE
    rates = [
        ProcedureRate(test, count / n_done, sd, count, n_done, is_rate)
        for test, count in n_found.items()
    ]
    # Of all splits, an exact test rejects those with the largest statistics, as many as alpha
    # allows: fewer only where statistics tie.
    allowed = max(n_allowed(n_all, alpha, exact=True), 0)
    own = ProcedureRate(
        *("curvewise", allowed / n_all, 0.0, allowed, n_all, is_rate), by_construction=True
    )
    return SplitRuns(n_runs, n_done, n_all <= n_splits, (*rates, own))


def _pooled(members: Sequence[SplitRuns]) -> tuple[ProcedureRate, ...]:
    """Average the rates of algorithms, weighted by their numbers of runs less 1.

    The runs of different algorithms are independent of each other, and so are their rates.
    """
    if len(members) == 1:
        return members[0].rates
    weights = np.array([own.n_runs - 1.0 for own in members])
    weights /= weights.sum()
    limit = SPREAD_TIMES_RUNS / MIN_RUNS_FOR_RATE
    spread = math.sqrt(sum((weights * [own.rates[0].sd for own in members]) ** 2))
    return tuple(
        ProcedureRate(
            same[0].procedure,
            float(weights @ [row.rate for row in same]),
            0.0 if same[0].by_construction else spread,
            sum(row.n_found for row in same),
            sum(row.n_splits for row in same),
            spread <= limit,
            same[0].by_construction,
        )
        for same in zip(*(own.rates for own in members), strict=True)
    )


def _caveats(curves: Curves, sizes: Mapping[str, int]) -> Iterator[Caveat]:
    unusable = tuple(name for name, size in sizes.items() if size < MIN_RUNS)
    few = tuple(name for name, size in sizes.items() if MIN_RUNS <= size < MIN_RUNS_FOR_RATE)
    if unusable:
        yield TooFewToSplit(unusable, MIN_RUNS)
    if few:
        yield TooFewToTell(few, MIN_RUNS_FOR_RATE)
    yield from prepared(curves)
    if curves.blocks is not None:
        yield BlocksNotUsed()
