"""At which steps do the curves differ, from when, until when?

Piater & Cohen (1997) ask it in their section 5. The tests at each step are adjusted by the
largest statistic (Westfall & Young 1993); windows interval-wise (Pini & Vantini 2017) and by
the most striking of all; from and until by nested hypotheses in a fixed sequence.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.checks import as_float, refuse_option, resample_count, value_text
from curvewise.data.curves import Curves
from curvewise.inference.asking import (
    PathLike,
    RNGLike,
    Share,
    Shuffles,
    ask,
    check_design,
    check_variation,
    question,
)
from curvewise.inference.caveats import different_spread, prepared, single_runs, too_few
from curvewise.inference.result import PARTS, Interval, told_of
from curvewise.kernels.pvalues import f_quantile
from curvewise.kernels.steps import StepDesign, sequential, sign_changes, zero_crossing
from curvewise.questions.locate.method import (
    Reference,
    Scanned,
    ShareBootstrap,
    StepScan,
    scan_limits,
)
from curvewise.questions.locate.result import Adjustment, Crossing, InfiniteFAtSteps, Location
from curvewise.shuffling.visit import Layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.inference.asking import Asked
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats
    from curvewise.questions.locate.result import Band, StepEffect


# --- The difference of two algorithms: its band, and where they are known to change places.


def crossings_of(
    band: Band | None, steps: Floats, *, higher_is_better: bool
) -> tuple[Crossing, ...]:
    """Return every change of places that a band proves, in order.

    The band lies on one side of 0 at the last step before it, on the other at the first step
    after it.
    """
    if band is None:
        return ()
    signs = (band.low > 0).astype(np.int64) - (band.high < 0)
    crossings = []
    for first, last in sign_changes(signs):
        inside = slice(first, last + 1)
        before, after = band.a, band.b
        if (signs[first] > 0) != higher_is_better:
            before, after = after, before
        step = zero_crossing(band.difference[inside], steps[inside])
        ends = Interval(float(steps[first]), float(steps[last]))
        crossings.append(Crossing(step, ends, before, after, band.confidence))
    return tuple(crossings)


# --- At which steps do the curves differ, from when, until when?


@question(n_keys=2, apart=("adjust", "n_resamples"))
def locate(
    curves: Curves,
    *,
    adjust: Adjustment = "max-f",
    windows: bool = True,
    cluster_threshold: float | None = None,
    alpha: Share = 0.05,
    n_shuffles: Shuffles = 9_999,
    n_resamples: int = 1_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: PathLike | None = None,
) -> Location:
    """Find the steps and windows in which algorithms differ, from when, and until when.

    Whole curves are shuffled among algorithms (inside their blocks, if there are any), and
    every p allows for all the steps or windows that were looked at.

    Parameters
    ----------
    curves : Curves
        At least two algorithms, and more runs than algorithms.
    adjust : "max-f" or "step-down"
        How p at each step is adjusted for all steps; step-down finds a little more. It is held
        against the largest F of every relabelling, or stepped down from the most striking step.
    windows : bool
        Whether to test every window of training as well.
    cluster_threshold : float, optional
        The F threshold for clusters of neighbouring steps. By default what F exceeds at one
        step with probability alpha.
    alpha : float
        The significance level, between 0 and 1.
    n_shuffles, exact, n_jobs, rng, checkpoint
        As in `compare`. All relabellings are visited when that takes no more than seconds.
        "auto" and "precise" look at the clearest step of either effect (does any step
        differ?) and give up at 2¹⁷ shuffles.
    n_resamples : int
        How many resamples, for the intervals of shares; 0 leaves these out.

    Returns
    -------
    Location
        Regions, from when and until when, windows, shares, and of two algorithms the band of
        their difference and where they change places.

    Raises
    ------
    CurvesError
        If the runs cannot be compared: one algorithm, a single run of each, equal scores.
    OptionError
        If an argument has a value that cannot be used.

    Examples
    --------
    >>> import curvewise as cw
    >>> where = cw.locate(cw.load_example("tictactoe").select("A1", "A2"), rng=0)
    >>> [(region.start, region.stop) for region in where.regions]
    [(0, 0), (8000, 8000)]
    """
    return ask(locate, locals(), _located)


def _located(asked: Asked, work: Work) -> Location:
    curves, alpha, n_resamples = asked.curves, asked.alpha, resample_count(asked.n_resamples)
    check_design(curves)
    layout = Layout.of(curves)
    design = StepDesign.from_scores(layout.scores, layout.labels, layout.blocks, layout.step_noise)
    check_variation(curves, float(design.totals.sum()))
    threshold = _threshold(asked.cluster_threshold, design.df, alpha)
    spread = tuple(different_spread(curves, layout))  # before there is much in memory
    plan = work.plan(layout.restriction, levels=(alpha,), limits=scan_limits(curves.n_steps))
    n_visited = plan.relabellings.count
    reference = Reference.of(design, layout, threshold, n_visited=n_visited, windows=asked.windows)
    found = work.visit(plan, StepScan.of(reference))
    bootstrap = ShareBootstrap(layout, n_resamples, work.keys[1], alpha)
    scanned = Scanned(curves, layout, reference, found, bootstrap, asked.adjust, alpha)
    tests = scanned.windows()
    scanned = replace(scanned, reference=replace(reference, windows=None))  # room for the rest
    del reference
    effects: dict[str, StepEffect] = {
        name: scanned.effect(row, tests)
        for row, name in enumerate(PARTS if curves.n_steps > 1 else PARTS[:1])
    }
    until, since = sequential(scanned.pvalue(scanned.counts.nested), scanned.pvalues[1][0])
    sampling = work.sampling(found)
    band = scanned.band(decidable=sampling.smallest_pvalue <= alpha)
    return Location(
        n_runs=curves.sizes,
        effects=effects,
        differs_from=_last(curves.steps[::-1], since[::-1], alpha),
        differs_until=_last(curves.steps, until, alpha),
        pvalue_from=since,
        pvalue_until=until,
        windows=tests,
        band=band,
        crossings=crossings_of(
            band, curves.steps.astype(np.float64), higher_is_better=curves.higher_is_better
        ),
        adjust=asked.adjust,
        alpha=alpha,
        # The resamples depend on the seed even where every relabelling was visited.
        sampling=sampling.with_seed(work.seed),
        caveats=(
            *too_few(curves, sampling, alpha),
            *prepared(curves),
            *single_runs(curves),
            *_without_error(effects["algorithm"]),
            *spread,
        ),
        bootstrap=bootstrap,
        **told_of(curves, Location),
    )


def _without_error(effect: StepEffect) -> Iterator[Caveat]:
    n_infinite = int(np.isinf(effect.statistic).sum())
    if n_infinite:
        yield InfiniteFAtSteps(n_infinite)


def _last(steps: np.ndarray[Any, Any], pvalues: Floats, alpha: float) -> float | None:
    """Return the last step with p of at most alpha; p never falls along the steps."""
    n_rejected = int(np.sum(pvalues <= alpha))
    return steps[n_rejected - 1].item() if n_rejected else None


def _threshold(given: float | None, df: tuple[int, int], alpha: float) -> float:
    if given is None:
        return f_quantile(alpha, df)
    if not 0 < as_float(given) < np.inf:
        refuse_option("cluster_threshold", f"must be a positive F, not {value_text(given)}.")
    return float(given)
