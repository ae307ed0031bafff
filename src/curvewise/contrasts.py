"""Does one algorithm, or a mean of several, differ from others? Planned contrasts.

Piater & Cohen (1997), CMPSCI TR 97-41, section 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import numpy as np

from curvewise.cautions import differing_spread, too_few
from curvewise.contrast_shuffling import (
    Question,
    contrast_of_many,
    contrast_of_two,
    weighted_fit,
)
from curvewise.kernels.pvalues import pvalue
from curvewise.layout import Layout
from curvewise.refusals import (
    as_generator,
    check_alpha,
    check_choice,
    check_curves,
    check_design,
    whole_number,
)
from curvewise.results import Alternative, Contrast, Interval
from curvewise.weightings import coefficient_array, weight_array

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.curves import Curves
    from curvewise.refusals import RNGLike
    from curvewise.weightings import Weights

__all__ = ["contrast"]


def contrast(
    curves: Curves,
    coefficients: Mapping[str, float],
    *,
    weights: Weights = None,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    n_shuffles: int = 9_999,
    exact: bool | None = None,
    rng: RNGLike = None,
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
    alpha : float
        The significance level, between 0 and 1; the interval is at 1 - alpha.
    n_shuffles : int
        How many random shuffles, when not every relabelling is visited.
    exact : bool, optional
        Two algorithms only: True visits every relabelling, False samples. By default as in
        `compare`; up to 44 runs without blocks are exact in any case.
    rng : None, int, Generator or what else `numpy.random.default_rng` takes
        Where the shuffles come from. The same ``rng`` gives the same digits.

    Returns
    -------
    Contrast

    Examples
    --------
    >>> import curvewise as cw
    >>> from curvewise.contrasts import contrast
    >>> curves = cw.load_example("tictactoe")
    >>> found = contrast(curves, {"A1": 1, "A2": -1}, alternative="greater")
    >>> found.exact, found.n_relabellings
    (True, 184756)
    """
    check_curves(curves, "contrast()")
    check_choice("alternative", alternative, get_args(Alternative))
    check_alpha(alpha)
    numbers = coefficient_array(curves, coefficients)
    profile, words = weight_array(curves, weights)
    # Scaled, so that no size of number can overflow in between.
    largest, tallest = float(np.abs(numbers).max()), float(np.abs(profile).max())
    involved = curves.select(
        *(name for name, c in zip(curves.algorithms, numbers, strict=True) if c)
    )
    check_design(involved)
    layout = Layout.of(involved)
    question = Question(
        layout,
        weighted_fit(layout, profile / tallest),
        numbers[numbers != 0] / largest * (-1 if alternative == "less" else 1),
        layout.noise * float(np.linalg.norm(profile / tallest)),
        two_sided=alternative == "two-sided",
        alpha=float(alpha),
        n_shuffles=whole_number(n_shuffles),
        seed=int(as_generator(rng).integers(2**64, dtype=np.uint64)),
    )
    two = len(involved.algorithms) == 2
    answer = (
        contrast_of_two(question, exact) if two else contrast_of_many(question, exact)
    )
    sign = -1 if alternative == "less" else 1
    unit = layout.unit * largest * tallest * sign
    null = answer.null * sign
    null.setflags(write=False)
    known = isinstance(rng, int | np.integer) and answer.sampled
    return Contrast(
        coefficients={name: float(c) for name, c in coefficients.items() if c},
        weights=words,
        value=answer.value * unit + 0.0,
        interval=Interval(*sorted(end * unit + 0.0 for end in answer.ends)),
        confidence=1 - float(alpha),
        statistic=answer.t * sign + 0.0,
        df=question.fit.df,
        pvalue=pvalue(answer.n_extreme, answer.n_visited, exact=answer.exact),
        alternative=alternative,
        alpha=float(alpha),
        exact=answer.exact,
        approximate=not two,
        n_shuffles=answer.n_visited,
        n_relabellings=answer.n_relabellings,
        null_distribution=null,
        seed=int(rng) if known else None,  # type: ignore[arg-type]
        warnings=(
            *too_few(
                involved,
                answer.n_relabellings,
                answer.n_visited,
                float(alpha),
                exact=answer.exact,
            ),
            *_warnings(question),
            *differing_spread(involved),
        ),
        higher_is_better=curves.higher_is_better,
    )


def _warnings(question: Question) -> tuple[str, ...]:
    told = []
    if not np.any(question.fit.values):
        told.append("All runs weigh up to the same number: there is nothing to contrast.")
    elif not np.any(question.fit.residuals):
        told.append(
            "All runs of an algorithm weigh up to the same number, so t is infinite. Check "
            "that the runs are separate runs."
        )
    return tuple(told)
