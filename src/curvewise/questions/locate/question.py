"""At which steps do the curves differ, from when, until when?

Piater & Cohen (1997) ask it in their section 5. The tests at each step are adjusted by the
largest statistic (Westfall & Young 1993); windows interval-wise (Pini & Vantini 2017) and by
the most striking of all; from and until by nested hypotheses in a fixed sequence.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from curvewise.data.choices import refuse_option
from curvewise.inference.diagnostics import different_spread, prepared, too_few
from curvewise.inference.effects import PARTS
from curvewise.inference.requirements import (
    as_float,
    check_alpha,
    check_choice,
    check_curves,
    check_design,
    check_variation,
    resample_count,
    value_text,
)
from curvewise.inference.work import shuffling_work
from curvewise.kernels.location.nested import sequential
from curvewise.kernels.location.profiles import StepDesign
from curvewise.kernels.pvalues import f_quantile, pvalue
from curvewise.questions.locate.caveats import InfiniteFAtSteps
from curvewise.questions.locate.difference import crossings_of, difference_band
from curvewise.questions.locate.result import Adjustment, Location
from curvewise.questions.locate.scan import Reference, ScanCounts, StepScan, scan_limits
from curvewise.questions.locate.shares import ShareBootstrap
from curvewise.questions.locate.step_effects import (
    StepPvalues,
    step_effect,
    window_tests,
)
from curvewise.shuffling.layout import Layout

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.requirements import RNGLike
    from curvewise.kernels import Floats
    from curvewise.questions.locate.result import StepEffect

__all__ = ["locate"]


def locate(
    curves: Curves,
    *,
    adjust: Adjustment = "max-f",
    windows: bool = True,
    cluster_threshold: float | None = None,
    alpha: float = 0.05,
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    n_resamples: int = 1_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
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
        The F threshold for clusters of neighbouring steps; by default what F exceeds by
        chance at one step with probability alpha.
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
    check_curves(curves, "locate()")
    check_choice("adjust", adjust, get_args(Adjustment))
    check_alpha(alpha)
    alpha, n_resamples = float(alpha), resample_count(n_resamples)
    check_design(curves)
    layout = Layout.of(curves)
    design = StepDesign.from_scores(
        layout.scores, layout.labels, layout.blocks, layout.step_noise
    )
    check_variation(curves, float(design.totals.sum()))
    threshold = _threshold(cluster_threshold, design.df, alpha)
    spread = tuple(different_spread(curves, layout))  # before there is much in memory
    with shuffling_work(
        "locate",
        *(curves, threshold, windows, alpha),
        n_shuffles=n_shuffles,
        exact=exact,
        n_jobs=n_jobs,
        rng=rng,
        checkpoint=checkpoint,
        n_keys=2,
    ) as work:
        plan = work.plan(
            layout.restriction, levels=(alpha,), limits=scan_limits(curves.n_steps)
        )
        n_visited = plan.relabellings.count
        reference = Reference.of(
            design, layout, threshold, n_visited=n_visited, windows=windows
        )
        found = work.visit(plan, StepScan.of(reference))
    _, resample_key = work.keys
    pvalues = StepPvalues.of(reference, found, adjust)
    of_steps = pvalues.adjusted[0]
    tests = window_tests(curves, reference, found, of_steps, alpha)
    reference = replace(reference, windows=None)  # room for the rest
    bootstrap = ShareBootstrap.of(layout, n_resamples, resample_key, alpha)
    effects: dict[str, StepEffect] = {
        name: step_effect(
            curves,
            layout,
            reference,
            found,
            pvalues,
            tests,
            row,
            alpha,
            bootstrap.of_effect(row),
        )
        for row, name in enumerate(PARTS if curves.n_steps > 1 else PARTS[:1])
    }
    nested = pvalue(ScanCounts(*found.counts).nested, found.n_visited, exact=found.exact)
    until, since = sequential(nested, of_steps)
    sampling = work.sampling(found)
    band = difference_band(
        curves,
        reference,
        found,
        of_steps,
        layout.unit,
        alpha,
        decidable=sampling.smallest_pvalue <= alpha,
    )
    return Location(
        algorithms=curves.algorithms,
        n_runs=curves.sizes,
        steps=curves.steps,
        n_blocks=curves.n_blocks,
        higher_is_better=curves.higher_is_better,
        effects=effects,
        differs_from=_last(curves.steps[::-1], since[::-1], alpha),
        differs_until=_last(curves.steps, until, alpha),
        pvalue_from=since,
        pvalue_until=until,
        windows=tests,
        band=band,
        crossings=crossings_of(
            band,
            curves.steps.astype(np.float64),
            higher_is_better=curves.higher_is_better,
        ),
        adjust=adjust,
        alpha=alpha,
        # The resamples depend on the seed even where every relabelling was visited.
        sampling=sampling.with_seed(work.seed),
        caveats=(
            *too_few(curves, sampling, alpha),
            *prepared(curves),
            *_without_error(effects["algorithm"]),
            *spread,
        ),
        bootstrap=bootstrap,
        source=curves.source,
        preparation=curves.preparation,
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
        shown = value_text(given)
        refuse_option("cluster_threshold", f"must be a positive F, not {shown}.")
    return float(given)
