"""At which steps do the curves differ, from when, until when?

Piater & Cohen (1997) ask it in their section 5. The tests at each step are adjusted by the
largest statistic (Westfall & Young 1993); windows interval-wise (Pini & Vantini 2017) and by
the most striking of all; from and until by nested hypotheses in a fixed sequence.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from curvewise.cautions import differing_spread, too_few
from curvewise.errors import OptionError, counted
from curvewise.kernels.bands import DifferenceUnits, fit_band
from curvewise.kernels.enumeration import Enumeration, n_relabellings
from curvewise.kernels.profiles import StepDesign
from curvewise.kernels.pvalues import f_quantile
from curvewise.kernels.shares import resampled_shares
from curvewise.kernels.shuffles import Shuffles
from curvewise.layout import Layout
from curvewise.refusals import (
    as_generator,
    check_alpha,
    check_choice,
    check_curves,
    check_design,
    check_jobs,
    check_variation,
    resample_count,
    whole_number,
)
from curvewise.results import Interval
from curvewise.results.location import (
    Adjustment,
    Band,
    Crossing,
    Location,
)
from curvewise.scanning import MOST_PLACES, Watch, scan
from curvewise.shuffling import CHEAP, visits_all
from curvewise.step_effects import NAMES, shuffle_pvalues, step_effect, window_tests

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.refusals import RNGLike
    from curvewise.results.location import (
        StepEffect,
    )

__all__ = ["locate"]

MOST_WORK = 400_000_000  # windows × relabellings that are visited without being asked
MOST_EXACT = 2_000_000  # relabellings, when all are asked for
FEWEST_RUNS, FEWEST_BLOCKS = 3, 5  # for a band that covers


def locate(
    curves: Curves,
    *,
    adjust: Adjustment = "max-f",
    windows: bool = True,
    cluster_threshold: float | None = None,
    alpha: float = 0.05,
    n_shuffles: int = 9_999,
    n_resamples: int = 1_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
) -> Location:
    """Find the steps and windows in which algorithms differ, from when, and until when.

    Whole curves are shuffled among algorithms (inside their blocks, if there are any), and
    every p allows for all the steps or windows that were looked at.

    Parameters
    ----------
    curves : Curves
        At least two algorithms, and more runs than algorithms.
    adjust : "max-f" or "step-down"
        How p at each step is adjusted for the others: against the largest F of every
        relabelling, or stepping down from the most striking step, which finds a little more.
    windows : bool
        Whether to test every window of training as well.
    cluster_threshold : float, optional
        The F from which on neighbouring steps make a cluster; by default what F exceeds
        by chance at one step with probability alpha.
    alpha : float
        The significance level, between 0 and 1.
    n_shuffles, exact, n_jobs, rng
        As in `compare`; all relabellings are visited when that takes no more than seconds.
    n_resamples : int
        How many resamples, for the intervals of shares, the difference band and the
        crossing; 0 leaves these out.

    Returns
    -------
    Location

    Examples
    --------
    >>> import curvewise as cw
    >>> where = cw.locate(cw.load_example("tictactoe").select("A1", "A2"), rng=0)
    >>> [(region.start, region.stop) for region in where.regions]
    [(0, 0), (8000, 8000)]
    """
    check_curves(curves, "locate()")
    check_choice("adjustment", adjust, get_args(Adjustment))
    check_alpha(alpha)
    check_jobs(n_jobs)
    n_most, n_resamples = whole_number(n_shuffles), resample_count(n_resamples)
    alpha, generator = float(alpha), as_generator(rng)
    check_design(curves)
    layout = Layout.of(curves)
    labels, blocks = layout.labels, layout.blocks
    design = StepDesign.from_scores(layout.scores, labels, blocks, layout.step_noise)
    check_variation(curves, float(design.totals.sum()))
    threshold = _threshold(cluster_threshold, design.df, alpha)

    count = n_relabellings(labels, blocks)
    n_places = min(curves.n_steps, MOST_PLACES)
    # The same with and without windows, so that both give the same answer.
    n_looks = n_places * (n_places + 1) // 2
    cheap = min(CHEAP, MOST_WORK // n_looks)
    exact = visits_all(exact, count, n_most, possible=count <= MOST_EXACT, cheap=cheap)
    key, resample_key = (
        int(value) for value in generator.integers(2**64, size=2, dtype=np.uint64)
    )
    shuffles = Shuffles(labels, blocks, n_most, key)
    relabellings = Enumeration(labels, blocks) if exact else shuffles
    watch = Watch.of(
        design, labels, blocks, threshold, n_visited=relabellings.count, windows=windows
    )
    found = scan(relabellings, watch, n_jobs=n_jobs)

    tests = window_tests(curves, watch, found, alpha, exact=exact)
    names = NAMES if curves.n_steps > 1 else NAMES[:1]
    effects = {
        name: step_effect(
            curves, layout, watch, found, tests, row, adjust, alpha, exact=exact
        )
        for row, name in enumerate(names)
    }
    nested = shuffle_pvalues(found.n_nested, found.count, exact=exact)
    band, crossing = _band(curves, layout, alpha, n_resamples, resample_key)
    sampled = None
    if n_resamples:
        arrays = layout.scores, labels, blocks
        sampled = partial(resampled_shares, *arrays, n_resamples, resample_key)
    return Location(
        algorithms=curves.algorithms,
        n_runs=curves.sizes,
        steps=curves.steps,
        n_blocks=None if curves.blocks is None else len(set(curves.blocks)),
        higher_is_better=curves.higher_is_better,
        effects=effects,
        differs_from=_last(curves.steps[::-1], nested[1, ::-1], alpha),
        differs_until=_last(curves.steps, nested[0], alpha),
        pvalue_from=nested[1],
        pvalue_until=nested[0],
        windows=tests,
        band=band,
        crossing=crossing,
        adjust=adjust,
        alpha=alpha,
        exact=exact,
        n_relabellings=count,
        n_shuffles=found.count,
        seed=int(rng) if isinstance(rng, int | np.integer) else None,
        warnings=(
            *too_few(curves, count, found.count, alpha, exact=exact),
            *_without_error(effects["algorithm"]),
            *differing_spread(curves),
        ),
        resampled_shares=sampled,
        source=curves.source,
    )


def _without_error(effect: StepEffect) -> Iterator[str]:
    n_sure = int(np.isinf(effect.statistic).sum())
    if n_sure:
        yield (
            f"At {counted(n_sure, 'step')} all runs of an algorithm have the same score, so F "
            "is infinite there. Check that the runs are separate runs; p is still valid."
        )


def _band(
    curves: Curves, layout: Layout, alpha: float, n_resamples: int, seed: int
) -> tuple[Band | None, Crossing | None]:
    """Return the difference band and the crossing, for two algorithms with enough runs."""
    if len(curves.algorithms) != 2 or not n_resamples:
        return None, None
    units = DifferenceUnits.of(layout.scores, layout.labels, layout.blocks)
    if units.fewest < (FEWEST_RUNS if curves.blocks is None else FEWEST_BLOCKS):
        return None, None
    steps = curves.steps.astype(np.float64)
    fit = fit_band(units, steps, alpha, n_resamples, seed)
    a, b = curves.algorithms
    half = np.where(fit.errors > 0, fit.critical * fit.errors, 0.0)
    band = Band(
        a,
        b,
        fit.difference * layout.unit,
        (fit.difference - half) * layout.unit,
        (fit.difference + half) * layout.unit,
        1 - alpha,
    )
    if fit.crossing is None:
        return band, None
    low = np.quantile(fit.crossings, alpha / 2, method="lower")
    high = np.quantile(fit.crossings, 1 - alpha / 2, method="higher")
    ahead = float(fit.difference[steps <= fit.crossing].sum())
    first, second = (a, b) if (ahead > 0) == curves.higher_is_better else (b, a)
    crossing = Crossing(
        fit.crossing,
        Interval(float(low), float(high)),
        leads_before=first,
        leads_after=second,
        share=float(np.isfinite(fit.crossings).mean()),
        confidence=1 - alpha,
    )
    return band, crossing


def _last(steps: np.ndarray[Any, Any], pvalues: Floats, alpha: float) -> float | None:
    """Return the last step before the first hypothesis that is not rejected."""
    n_rejected = int(np.argmin(np.append(pvalues <= alpha, False)))
    return steps[n_rejected - 1].item() if n_rejected else None


def _threshold(given: float | None, df: tuple[int, int], alpha: float) -> float:
    if given is None:
        return f_quantile(alpha, df)
    if not isinstance(given, int | float | np.number) or not 0 < given < np.inf:
        msg = f"cluster_threshold is an F, a number above 0; it is {given!r}."
        raise OptionError(msg)
    return float(given)
