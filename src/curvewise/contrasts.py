"""Does one algorithm, or a mean of several, differ from others? Planned contrasts.

Piater & Cohen (1997), CMPSCI TR 97-41, section 5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from curvewise.cautions import differing_spread
from curvewise.errors import CurvewiseError, OptionError
from curvewise.kernels.adjustments import (
    TIE,
    bonferroni,
    holm,
    max_adjusted,
    upper_quantile,
)
from curvewise.kernels.anova import centred
from curvewise.kernels.contrasts import (
    Fit,
    count_extreme,
    count_two_groups,
    is_mirrored,
    least_extreme,
    least_ratio,
    shuffled_t,
    student_t,
    two_group_sums,
)
from curvewise.kernels.enumeration import Enumeration, n_relabellings
from curvewise.kernels.extremes import EPSILON
from curvewise.kernels.halves import MOST_RUNS, count_above, count_heights
from curvewise.kernels.memory import remembered
from curvewise.kernels.pvalues import pvalue
from curvewise.kernels.shifts import lowest_shift, shift_interval
from curvewise.kernels.shuffles import Shuffles
from curvewise.kernels.streams import BATCH
from curvewise.layout import Layout
from curvewise.refusals import (
    as_generator,
    check_alpha,
    check_choice,
    check_curves,
    check_design,
    whole_number,
)
from curvewise.results import Alternative, Contrast, Contrasts, Interval
from curvewise.shuffling import CHEAP, MOST_IN_NUMPY, MOST_KEPT, visits_all
from curvewise.tables import p_text
from curvewise.weightings import coefficient_array, weight_array

if TYPE_CHECKING:
    from curvewise.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.refusals import RNGLike
    from curvewise.weightings import Weights

__all__ = ["contrast", "contrast_many"]

ADJUSTMENTS = ("holm", "bonferroni", "max-t")
KEPT = MOST_KEPT * BATCH


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
    question = _Question(
        layout,
        _fit(layout, profile / tallest),
        numbers[numbers != 0] / largest * (-1 if alternative == "less" else 1),
        layout.noise * float(np.linalg.norm(profile / tallest)),
        two_sided=alternative == "two-sided",
        alpha=float(alpha),
        n_shuffles=whole_number(n_shuffles),
        seed=int(as_generator(rng).integers(2**64, dtype=np.uint64)),
    )
    two = len(involved.algorithms) == 2
    answer = _of_two(question, exact) if two else _of_many(question, exact)
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
            *_warnings(question, answer),
            *differing_spread(involved),
        ),
        higher_is_better=curves.higher_is_better,
    )


@dataclass(frozen=True, eq=False)
class _Question:
    """One number a run, and a contrast that is asked to be large, or far from zero."""

    layout: Layout
    fit: Fit
    coefficients: Floats
    noise: float
    two_sided: bool
    alpha: float
    n_shuffles: int
    seed: int

    @property
    def shuffles(self) -> Shuffles:
        """The shuffles that `compare` would draw with this seed."""
        layout = self.layout
        return Shuffles(layout.labels, layout.blocks, self.n_shuffles, self.seed)

    def observed(self) -> tuple[float, float, float]:
        """Return the contrast in units of its length, that length, and t."""
        length = float(self.fit.directions(self.coefficients[None, :])[1][0])
        u = float(self.coefficients @ self.fit.estimates[:, 0]) / length
        u = u if abs(u) > self.noise else 0.0
        t = student_t(np.array([u]), self.fit.errors[:1], self.fit.df)
        return u, length, float(t[0])


@dataclass(frozen=True, eq=False)
class _Answer:
    value: float
    ends: tuple[float, float]
    t: float
    n_extreme: int
    n_visited: int
    n_relabellings: int
    exact: bool
    sampled: bool  # whether p, the interval or the null distribution is
    null: Floats


def _of_two(question: _Question, asked: bool | None) -> _Answer:  # noqa: FBT001
    """Shuffle the curves of two algorithms."""
    fit, two_sided, shuffles = question.fit, question.two_sided, question.shuffles
    labels, blocks = shuffles.labels, shuffles.blocks
    member = (labels == 0).astype(np.float64)[:, None]
    likeness = centred(member, blocks)[:, 0]
    overlap = float(likeness[labels == 0].sum())
    # Their sums over the first group are u, and how alike two labellings are.
    towards = math.copysign(fit.factor[0, 0], question.coefficients[0])
    columns = np.stack([towards * fit.values[:, 0], likeness / overlap], axis=1)

    count, mirrored = n_relabellings(labels, blocks), is_mirrored(labels, blocks)
    halved = blocks.min() == blocks.max() and len(labels) <= MOST_RUNS
    possible = halved or count <= MOST_IN_NUMPY
    exact = visits_all(asked, count, question.n_shuffles, possible=possible)
    exact = exact or (asked is None and halved)
    keeps_all = exact and count <= CHEAP
    visited = Enumeration(labels, blocks) if exact else shuffles
    kept = visited if keeps_all else replace(shuffles, count=min(shuffles.count, KEPT))
    sums = two_group_sums(kept, columns)
    if keeps_all and mirrored and not two_sided:
        # An enumeration visits one of two mirror images.
        sums = np.concatenate([sums, -sums])

    u, length, t = question.observed()
    least = least_extreme(u, question.noise, two_sided=two_sided)
    n_distinct = count * 2 if mirrored and not two_sided else count
    n_visited = n_distinct if exact else shuffles.count
    if len(sums) == n_visited:
        n_extreme = count_extreme(sums[:, 0], least, two_sided=two_sided)
    elif exact and halved:
        n_first = int(member.sum())
        n_extreme = (
            count_heights(columns[:, 0], n_first, least**2) // (2 if mirrored else 1)
            if two_sided
            else count_above(columns[:, 0], n_first, least)
        )
    else:
        n_extreme = count_two_groups(
            visited,
            columns[:, :1],
            least,
            two_sided=two_sided,
            mirrored=exact and mirrored,
        )
    root = math.sqrt(overlap)
    options: dict[str, Any] = {"alpha": question.alpha, "exact": keeps_all}
    if two_sided:
        ends = shift_interval(u / root, sums[:, 0] / root, sums[:, 1], **options)
    else:
        lowest = lowest_shift(u / root, sums[:, 0] / root, sums[:, 1], **options)
        ends = lowest, math.inf
    # Zero is the one value that readers look for: an end a rounding error away is at it.
    slack = 2 * question.noise / root
    low, high = (0.0 if abs(end) <= slack else end * length * root for end in ends)
    null = _null(sums[:, 0], float(np.sum(fit.values**2)), fit.df, t)
    return _Answer(
        u * length,
        (low, high),
        t,
        n_extreme,
        n_visited,
        n_distinct,
        exact=exact,
        sampled=not keeps_all,
        null=null,
    )


def _null(lengths: Floats, total: float, df: int, observed: float) -> Floats:
    errors = np.maximum(total - lengths**2, 0.0)
    null = student_t(lengths, errors, df, 64 * EPSILON * total)
    # Where a tie is only rounded apart, the null distribution says that it is a tie.
    null[np.isclose(null, observed, rtol=TIE, atol=0)] = observed
    return null


def _of_many(question: _Question, asked: bool | None) -> _Answer:  # noqa: FBT001
    """Shuffle the residuals of more than two algorithms."""
    if asked:
        msg = (
            "A contrast of more than two algorithms has no exact test: their residuals are "
            "shuffled at random. Leave exact out, or contrast two algorithms."
        )
        raise OptionError(msg)
    u, length, t = question.observed()
    portions = shuffled_t(question.fit, question.shuffles, question.coefficients[None, :])
    null = np.concatenate([portion[:, 0] for portion in portions])
    null[np.isclose(null, t, rtol=TIE, atol=0)] = t
    error = math.sqrt(float(question.fit.errors[0]))
    least = least_ratio(u, error, question.noise, two_sided=question.two_sided)
    least *= math.sqrt(question.fit.df)
    sizes = np.abs(null) if question.two_sided else null
    reach = upper_quantile(sizes, question.alpha)
    # Without error there is nothing to be unsure of.
    margin = reach * length * error / math.sqrt(question.fit.df) if error else 0.0
    value = u * length
    return _Answer(
        value,
        (value - margin, value + margin if question.two_sided else math.inf),
        t,
        int(np.sum(sizes >= least)),
        len(null),
        n_relabellings(question.layout.labels, question.layout.blocks),
        exact=False,
        sampled=True,
        null=null[:KEPT],
    )


def _warnings(question: _Question, answer: _Answer) -> tuple[str, ...]:
    told = []
    alpha = question.alpha
    if 1 / answer.n_relabellings > alpha:
        sizes = " + ".join(map(str, np.bincount(question.layout.labels)))
        told.append(
            f"With {sizes} runs the smallest p possible is "
            f"{p_text(1 / answer.n_relabellings)}, which is above alpha = {alpha:g}: no "
            "data could be significant. More runs are needed."
        )
    if not answer.exact and 1 / (1 + answer.n_visited) > alpha:
        told.append(
            f"{answer.n_visited:,} shuffles cannot give a p below "
            f"{p_text(1 / (1 + answer.n_visited))}, which is above alpha = {alpha:g}: nothing "
            f"can be significant. Use at least {math.ceil(1 / alpha) - 1:,}."
        )
    if not np.any(question.fit.values):
        told.append("All runs weigh up to the same number: there is nothing to contrast.")
    elif not np.any(question.fit.residuals):
        told.append(
            "All runs of an algorithm weigh up to the same number, so t is infinite. Check "
            "that the runs are separate runs."
        )
    return tuple(told)


def contrast_many(
    curves: Curves,
    contrasts: Mapping[str, Mapping[str, float]],
    *,
    weights: Weights = None,
    alternative: Alternative = "two-sided",
    adjust: str = "holm",
    alpha: float = 0.05,
    n_shuffles: int = 9_999,
    exact: bool | None = None,
    rng: RNGLike = None,
) -> Contrasts:
    """Test several contrasts of the same curves, and adjust across them.

    Parameters
    ----------
    curves : Curves
    contrasts : mapping from name to coefficients
        Each as in `contrast`.
    adjust : "holm", "bonferroni" or "max-t"
        Holm and Bonferroni take the p of each contrast. "max-t" shuffles the residuals of
        all algorithms at once and holds each t, with the error of all algorithms, against
        the largest of each shuffle: it reaches smaller p with few runs, and is approximate.
    weights, alternative, alpha, n_shuffles, exact, rng
        As in `contrast`.

    Returns
    -------
    Contrasts

    Examples
    --------
    >>> import curvewise as cw
    >>> from curvewise.contrasts import contrast_many
    >>> curves = cw.load_example("tictactoe")
    >>> asked = {"A1 - A2": {"A1": 1, "A2": -1}, "A1 - A3": {"A1": 1, "A3": -1}}
    >>> contrast_many(curves, asked).significant()
    ('A1 - A2',)
    """
    check_curves(curves, "contrast_many()")
    check_choice("adjustment", adjust, ADJUSTMENTS)
    given: object = contrasts
    if not isinstance(given, Mapping) or not contrasts:
        msg = (
            "Give a mapping from names to contrasts, with at least one of them, such as "
            "{'A - B': {'A': 1, 'B': -1}}."
        )
        raise OptionError(msg)
    # One seed for all, so that contrasts of one shape are shuffled alike.
    seed = int(as_generator(rng).integers(2**63))
    found = {}
    options: dict[str, Any] = {"alternative": alternative, "alpha": alpha}
    options |= {"n_shuffles": n_shuffles, "exact": exact, "weights": weights, "rng": seed}
    with remembered():
        for name, coefficients in contrasts.items():
            try:
                found[name] = contrast(curves, coefficients, **options)
            except CurvewiseError as refused:
                msg = f"{name}: {refused}"
                raise type(refused)(msg) from None
        if adjust == "max-t":
            table = np.array([coefficient_array(curves, c) for c in contrasts.values()])
            adjusted = _by_largest(curves, table, weights, alternative, n_shuffles, seed)
        else:
            adjuster = holm if adjust == "holm" else bonferroni
            adjusted = adjuster(np.array([each.pvalue for each in found.values()]))
    known = int(rng) if isinstance(rng, int | np.integer) else None
    family = {
        name: replace(
            each,
            pvalue_adjusted=float(value),
            seed=None if each.seed is None else known,
        )
        for (name, each), value in zip(found.items(), adjusted, strict=True)
    }
    told = dict.fromkeys(text for each in family.values() for text in each.warnings)
    if adjust != "max-t":
        least = min(each.smallest_pvalue for each in family.values()) * len(family)
        if least > alpha:
            text = (
                f"The smallest p possible, adjusted for {len(family)} contrasts, is "
                f"{p_text(min(least, 1.0))}, which is above alpha = {alpha:g}: nothing can be "
                'significant. Use more runs, or adjust="max-t".'
            )
            told = {text: None, **told}
    return Contrasts(family, adjust, float(alpha), tuple(told), known)


def _by_largest(
    curves: Curves,
    coefficients: Floats,
    weights: Weights,
    alternative: Alternative,
    n_shuffles: int,
    seed: int,
) -> Floats:
    """Hold every t against the largest of each shuffle of all residuals."""
    check_design(curves)
    profile = weight_array(curves, weights)[0]
    layout = Layout.of(curves)
    fit = _fit(layout, profile / np.abs(profile).max())
    coefficients = coefficients / np.abs(coefficients).max(axis=1, keepdims=True)
    if alternative == "less":
        coefficients = -coefficients
    two_sided = alternative == "two-sided"
    shuffles = Shuffles(layout.labels, layout.blocks, whole_number(n_shuffles), seed)
    lengths = fit.directions(coefficients)[1]
    observed = student_t(
        coefficients @ fit.estimates[:, 0] / lengths, fit.errors[:1], fit.df
    )
    maxima = np.concatenate(
        [
            (np.abs(t) if two_sided else t).max(axis=1)
            for t in shuffled_t(fit, shuffles, coefficients)
        ]
    )
    observed = np.abs(observed) if two_sided else observed
    return max_adjusted(observed, maxima, exact=False)


def _fit(layout: Layout, profile: Floats) -> Fit:
    """Fit the algorithms to the weighted sums of scores."""
    noise = layout.noise * float(np.linalg.norm(profile))
    numbers = (layout.scores @ profile)[:, None]
    return Fit.of(numbers, layout.labels, layout.blocks, noise)
