"""Does one algorithm, or a mean of several, differ from others? Planned contrasts.

Piater & Cohen (1997), CMPSCI TR 97-41, section 5.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from curvewise.inference.diagnostics import (
    different_spread,
    few_for_ranks,
    prepared,
    too_few,
)
from curvewise.inference.effects import Center, Interval
from curvewise.inference.requirements import (
    check_alpha,
    check_choice,
    check_curves,
    check_design,
)
from curvewise.inference.sampling import Sampling
from curvewise.inference.work import shuffling_work
from curvewise.kernels.pvalues import pvalue
from curvewise.questions.contrast.caveats import EqualRuns, InfiniteT
from curvewise.questions.contrast.permutation import (
    ContrastTest,
    contrast_of_many,
    contrast_of_two,
    weighted_fit,
)
from curvewise.questions.contrast.result import Alternative, Contrast
from curvewise.questions.contrast.typical_runs import check_typical, typical_contrast
from curvewise.questions.contrast.weights import coefficient_array, weight_array
from curvewise.shuffling.layout import Layout

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.requirements import RNGLike
    from curvewise.inference.work import Work
    from curvewise.kernels.contrasts import Fit
    from curvewise.questions.contrast.weights import Weights

__all__ = ["contrast", "contrast_at_levels", "contrast_curves"]


def contrast(
    curves: Curves,
    coefficients: Mapping[str, float],
    *,
    weights: Weights = None,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
    center: Center = "mean",
) -> Contrast:
    """Test one weighted difference between algorithms, such as A against the mean of B and C.

    Every run becomes one number, the weighted sum of its scores. The contrast of two
    algorithms is tested by shuffling their curves, as `compare` does. A contrast of more
    can be zero although they differ, so their residuals (what their own mean, and that of
    their block, leaves over) are shuffled; that is approximate.

    Parameters
    ----------
    curves : Curves
    coefficients : mapping from algorithm to number
        They sum to 0; algorithms that are not named have 0 and are left out.
    weights : None, "trend", "area", ("window", start, stop) or array, (n_steps,)
        What of a curve is contrasted: by default its mean over training. "trend" is the
        least-squares slope for a unit of step, "area" that under the curve by trapezoids,
        a window its mean over the steps from start to stop, both included. An array has one
        weight for each step.
    alternative : "two-sided", "greater" or "less"
        Whether the contrast is asked to differ from 0, to be above it, or below.
    center : "mean", "trimmed" or "ranks"
        What of an algorithm's runs is contrasted: their mean; of two algorithms also the typical
        run or ranks, as in `compare`. By ranks the value is the median of all differences
        between a run of one algorithm and a run of the other.
    alpha : float
        The significance level, between 0 and 1; the interval is at 1 - alpha.
    exact : bool, optional
        Two algorithms only: True visits every relabelling, False samples. By default as in
        `compare`; up to 44 runs without blocks are exact in any case. More than two algorithms
        have no exact test.
    n_shuffles, n_jobs, rng, checkpoint
        As in `compare`; "auto" and "precise" give up at 2²⁴ shuffles.

    Returns
    -------
    Contrast
        The value with its interval, t and p.

    Raises
    ------
    CurvesError
        If an algorithm is unknown or the runs cannot be compared.
    OptionError
        If coefficients, weights or another argument cannot be used.

    Examples
    --------
    >>> import curvewise as cw
    >>> curves = cw.load_example("tictactoe")
    >>> found = cw.contrast(curves, {"A1": 1, "A2": -1}, alternative="greater")
    >>> found.exact, found.n_relabellings
    (True, 184756)
    """
    check_curves(curves, "contrast()")
    check_alpha(alpha)
    with shuffling_work(
        "contrast",
        *(curves, coefficients, weights, alternative, alpha, center),
        n_shuffles=n_shuffles,
        exact=exact,
        n_jobs=n_jobs,
        rng=rng,
        checkpoint=checkpoint,
    ) as work:
        return contrast_curves(
            curves,
            coefficients,
            work,
            weights=weights,
            alternative=alternative,
            alpha=float(alpha),
            center=center,
        )


def contrast_curves(
    curves: Curves,
    coefficients: Mapping[str, float],
    work: Work,
    *,
    weights: Weights = None,
    alternative: Alternative,
    alpha: float,
    center: Center = "mean",
) -> Contrast:
    """Test a contrast as `contrast` does."""
    return contrast_at_levels(
        curves,
        coefficients,
        work,
        weights=weights,
        alternative=alternative,
        alpha=alpha,
        center=center,
    )(alpha)


def contrast_at_levels(
    curves: Curves,
    coefficients: Mapping[str, float],
    work: Work,
    *,
    weights: Weights = None,
    alternative: Alternative,
    alpha: float,
    center: Center = "mean",
    levels: tuple[float, ...] | None = None,
    may_be_equal: bool = False,
    with_caveats: bool = True,
) -> Callable[[float], Contrast]:
    """Test a contrast, by itself or as a member of a family.

    Returns what gives the result with the interval of a level, at which the family judges it;
    ``alpha`` is the level at which p is held to be small. "auto" settles p against the
    ``levels``, by default alpha alone. Scores that are all the same are refused unless they
    ``may_be_equal``; p is 1 then. A family that has caveats of its own does without
    (``with_caveats``).
    """
    check_choice("alternative", alternative, get_args(Alternative))
    check_choice("center", center, get_args(Center))
    curves = curves.in_order_of_names()
    numbers = coefficient_array(curves, coefficients)
    profile, label = weight_array(curves, weights)
    # Scaled, so that no size of number can overflow in between.
    largest, tallest = float(np.abs(numbers).max()), float(np.abs(profile).max())
    involved = curves.select(
        *(name for name, c in zip(curves.algorithms, numbers, strict=True) if c)
    )
    check_design(involved, may_be_equal=may_be_equal)
    check_typical(involved, center)
    layout = Layout.of(involved)
    sign = -1 if alternative == "less" else 1
    test = ContrastTest(
        layout,
        weighted_fit(layout, profile / tallest),
        numbers[numbers != 0] / largest * sign,
        layout.noise * float(np.linalg.norm(profile / tallest)),
        two_sided=alternative == "two-sided",
        levels=levels or (alpha,),
        work=work,
    )
    two = len(involved.algorithms) == 2
    if center != "mean":
        found = typical_contrast(test, profile / tallest, center)
    else:
        found = contrast_of_two(test) if two else contrast_of_many(test)
    unit = layout.unit * largest * tallest * sign
    null = found.null * sign
    null.setflags(write=False)
    sampling = Sampling(
        found.exact,
        found.n_relabellings,
        found.n_visited,
        found.engine,
        work.seed if found.sampled else None,
        n_alike=found.n_alike,
    )
    made = Contrast(
        coefficients={name: float(c) for name, c in coefficients.items() if c},
        weights=label,
        value=found.value * unit + 0.0,
        interval=Interval(-math.inf, math.inf),
        confidence=0.0,
        statistic=found.t * sign + 0.0,
        df=test.fit.df if found.df is None else found.df,
        pvalue=pvalue(found.n_extreme, found.n_visited, exact=found.exact),
        alternative=alternative,
        alpha=alpha,
        approximate=not two,
        null_distribution=null,
        sampling=sampling,
        caveats=(
            *too_few(involved, sampling, alpha),
            *prepared(curves),
            *_without_error(test.fit),
            *different_spread(involved),
            *few_for_ranks(involved, center),
        )
        if with_caveats
        else (),
        higher_is_better=curves.higher_is_better,
        center=center,
        source=curves.source,
        preparation=curves.preparation,
    )

    def with_interval(level: float) -> Contrast:
        ends = sorted(end * unit + 0.0 for end in found.ends(level))
        return replace(made, interval=Interval(*ends), confidence=1 - level)

    return with_interval


def _without_error(fit: Fit) -> Iterator[Caveat]:
    if not np.any(fit.values):
        yield EqualRuns()
    elif not np.any(fit.residuals):
        yield InfiniteT()
