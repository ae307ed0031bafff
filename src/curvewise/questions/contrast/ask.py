"""Does one algorithm, or a mean of several, differ from others? Planned contrasts.

Piater & Cohen (1997), CMPSCI TR 97-41, section 5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from curvewise.data.checks import check_choice
from curvewise.data.curves import Curves
from curvewise.data.points import trapezoids
from curvewise.errors import refuse
from curvewise.inference.asking import (
    Asked,
    PathLike,
    RNGLike,
    Share,
    Shuffles,
    ask,
    check_design,
    question,
)
from curvewise.inference.caveats import (
    TooFewRuns,
    TooFewShuffles,
    different_spread,
    few_for_ranks,
    prepared,
    single_runs,
    too_few,
    too_few_for_max_t,
)
from curvewise.inference.result import Center, Interval, told_of
from curvewise.inference.two_groups import (
    MAX_SHUFFLES,
    Extremes,
    Shuffled,
    TwoGroups,
    as_tied,
    check_center,
    check_center_alone,
    contrast_of,
    mean_weights,
    window_weights,
)
from curvewise.inference.work import (
    LIMITS,
    LargestOf,
    ask_each,
    at_own_levels,
    check_members,
    seeded,
)
from curvewise.kernels.contrasts import Fit, least_ratio, shuffled_t, student_t
from curvewise.kernels.invert import agreeing
from curvewise.kernels.pvalues import TIE, pvalue, upper_quantile
from curvewise.questions.contrast.result import (
    Alternative,
    Contrast,
    Contrasts,
    EqualRuns,
    InfiniteT,
    TooManyContrasts,
)
from curvewise.shuffling.visit import Layout, Limits
from curvewise.text import argument, did_you_mean, in_python

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from curvewise.inference.caveats import Caveat
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers


# --- What a contrast is made of: coefficients over algorithms, weights over steps.

Weights = Literal["trend", "area"] | tuple[str, float, float] | npt.ArrayLike | None


def coefficient_array(curves: Curves, coefficients: object) -> Floats:
    """Return a coefficient for each algorithm, or say why there is none."""
    example = in_python("{'A': 1, 'B': -0.5, 'C': -0.5}") or "-c A=1 -c B=-0.5 -c C=-0.5"
    if not isinstance(coefficients, Mapping) or not coefficients:
        refuse(f"Coefficients are a mapping from algorithms to numbers, such as {example}.", "")
    for name, number in coefficients.items():
        if name not in curves.algorithms:
            refuse(f"No algorithm is called {name!r}; {did_you_mean(str(name), curves.algorithms)}")
        if not isinstance(number, Real) or not math.isfinite(number):
            refuse(f"The coefficient of {name!r} must be a finite number; it is {number!r}.", "")
    numbers = np.array([float(coefficients.get(a, 0.0)) for a in curves.algorithms])
    if not numbers.any():
        refuse(
            f"All coefficients are 0: there is nothing to contrast. Give some as in {example}.", ""
        )
    size = float(np.abs(numbers).max())
    total = float((numbers / size).sum())
    if abs(total) > 1e-9 * float(np.abs(numbers / size).sum()):
        refuse(
            f"The coefficients of a contrast sum to 0; these sum to {total * size:.4g}. "
            f"Set a mean against another, as in {example}.",
            "",
        )
    return numbers


def weight_array(curves: Curves, weights: Weights) -> tuple[Floats, Floats | str]:
    """Return a weight for each step, and how the weights are labelled."""
    n_steps, steps = curves.n_steps, curves.steps.astype(np.float64)
    if weights is None:
        return mean_weights(curves)[0], "mean"
    if isinstance(weights, str):
        check_choice("weights", weights, ("trend", "area"))
        if n_steps == 1:
            refuse(f"There is a single step, so curves have no {weights}. Leave weights out.")
        if weights == "trend":
            span = float(np.ptp(steps))
            x = (steps - steps.mean()) / span
            return x / (x @ x) / span, "trend"
        return trapezoids(steps), "area"
    if isinstance(weights, tuple) and weights and isinstance(weights[0], str):
        if weights[0] != "window" or len(weights) != 3:
            refuse(f"A window is ('window', start, stop), in steps; it is {weights!r}.", "")
        return window_weights(curves.steps, *weights[1:])
    try:
        numbers = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.full(1, np.nan)
    if numbers.shape != (n_steps,) or not np.isfinite(numbers).all():
        shape = "×".join(map(str, numbers.shape)) or "1"
        refuse(
            f"weights must be 'trend', 'area', ('window', start, stop), or {n_steps} finite "
            f"numbers, one for each step; there are {shape} of them, "
            f"{int(np.isfinite(numbers).sum())} finite.",
            "",
        )
    if not numbers.any():
        refuse("All weights are 0: nothing is left of the curves. Give a step some weight.", "")
    numbers.setflags(write=False)
    return numbers, numbers


# --- A contrast of more than two algorithms: their residuals are shuffled.


def largest_t(fit: Fit, coefficients: Floats, labels: Integers, *, two_sided: bool) -> Floats:
    """Return the largest t of several contrasts in each shuffle of the residuals; (1, n_shuffles)."""
    t = shuffled_t(fit, labels, coefficients)
    return np.asarray((np.abs(t) if two_sided else t).max(axis=0, keepdims=True))


def weighted_fit(layout: Layout, profile: Floats) -> tuple[Fit, float]:
    """Fit the algorithms to the weighted sums of scores; return also what rounding can do."""
    noise = layout.noise * float(np.linalg.norm(profile))
    numbers = (layout.scores @ profile)[:, None]
    return Fit.of(numbers, layout.labels, layout.blocks, noise), noise


def contrast_of_many(
    layout: Layout,
    profile: Floats,
    coefficients: Floats,
    work: Work,
    *,
    two_sided: bool,
    levels: tuple[float, ...],
) -> Shuffled:
    """Shuffle the residuals of more than two algorithms."""
    if work.exact:
        refuse(
            "A contrast of more than two algorithms has no exact test: their residuals are "
            f"shuffled at random. Leave {argument('exact', value=True)} out, or contrast two "
            "algorithms.",
            option="exact",
        )
    fit, noise = weighted_fit(layout, profile)
    limits = Limits(free=0, exact=0, shuffles=MAX_SHUFFLES)
    plan = work.plan(layout.restriction, levels=levels, limits=limits)
    u, length, t = contrast_of(fit, coefficients, noise)
    error = math.sqrt(float(fit.errors[0]))
    least = least_ratio(u, error, noise, two_sided=two_sided) * math.sqrt(fit.df)
    t_of = partial(shuffled_t, fit, coefficients=coefficients[None, :])
    found = work.visit(plan, Extremes(t_of, least, two_sided))
    null = as_tied(found.kept[0][0].copy(), t)
    value = u * length
    beside = 2 * noise * length * np.array([-1.0, 1.0])

    def ends(level: float) -> tuple[float, float]:
        quantile = upper_quantile(np.abs(null) if two_sided else null, level)
        # Without error there is nothing to be unsure of.
        margin = quantile * length * error / math.sqrt(fit.df) if error else 0.0
        pair = value - margin, value + margin if two_sided else math.inf
        # p counts ties that are only rounded apart, and may be of more shuffles than are kept.
        return agreeing(pair, value, 0.0, beside, rejected=made.pvalue <= level)

    n_extreme = int(found.counts[0][0])
    made = Shuffled(value, t, fit.df, null, n_extreme, work.sampling(found), ends)
    return made


# --- Does one algorithm, or a mean of several, differ from others?


@question()
def contrast(
    curves: Curves,
    coefficients: Mapping[str, float],
    *,
    weights: Weights = None,
    alternative: Alternative = "two-sided",
    alpha: Share = 0.05,
    n_shuffles: Shuffles = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: PathLike | None = None,
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
        The coefficient of each algorithm; they sum to 0. Algorithms that are not named have 0
        and are left out.
    weights : None, "trend", "area", ("window", start, stop) or array, (n_steps,)
        What of a curve is contrasted: by default its mean over training. "trend" is the
        least-squares slope for a unit of step, "area" that under the curve by trapezoids,
        a window its mean over the steps from start to stop, both included. An array has one
        weight for each step.
    alternative : "two-sided", "greater" or "less"
        Whether the contrast is asked to differ from 0, to be above it, or below.
    center : "mean", "trimmed" or "ranks"
        As in `compare`, for two algorithms; for more, their means. By ranks the value is the
        median of all differences between a run of one algorithm and a run of the other.
    alpha : float
        The significance level, between 0 and 1; the interval is at 1 - alpha.
    exact : bool, optional
        As in `compare`, for two algorithms: up to 44 runs without blocks are exact in any case.
        More than two algorithms have no exact test.
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
    return ask(contrast, locals(), lambda asked, work: contrast_at(asked, work)(asked.alpha))


def contrast_at(
    asked: Asked,
    work: Work,
    *,
    levels: tuple[float, ...] | None = None,
    may_be_equal: bool = False,
    with_caveats: bool = True,
) -> Callable[[float], Contrast]:
    """Test a contrast, by itself or as a member of a family.

    Returns a function: level of the interval -> Contrast. "auto" settles p against the
    ``levels``, by default alpha alone. Scores that are all the same are refused unless they
    ``may_be_equal``; p is 1 then. A family that has caveats of its own does without
    (``with_caveats``).
    """
    curves = asked.curves.in_order_of_names()
    alternative, alpha, center = asked.alternative, asked.alpha, asked.center
    numbers = coefficient_array(curves, asked.coefficients)
    profile, label = weight_array(curves, asked.weights)
    # Scaled, so that no size of number can overflow in between.
    largest, tallest = float(np.abs(numbers).max()), float(np.abs(profile).max())
    involved = curves.select(
        *(name for name, c in zip(curves.algorithms, numbers, strict=True) if c)
    )
    check_design(involved, may_be_equal=may_be_equal)
    check_center(involved, center)
    if center != "mean" and len(involved.algorithms) > 2:
        refuse(
            f"{argument('center', center)} is for contrasts of two algorithms: of more, the "
            "residuals are shuffled, which are what means leave over. Use "
            f"{argument('center', 'mean')}, or contrast two algorithms at a time.",
            option="center",
        )
    layout, sign = Layout.of(involved), -1 if alternative == "less" else 1
    weights = numbers[numbers != 0] / largest * sign
    options = {"two_sided": alternative == "two-sided", "levels": levels or (alpha,), "work": work}
    two = len(weights) == 2
    found = (
        TwoGroups(layout, profile / tallest, weights[0], center, **options).shuffled()
        if two
        else contrast_of_many(layout, profile / tallest, weights, **options)
    ).scaled(layout.unit * largest * tallest * sign)
    found.null.setflags(write=False)
    caveats: tuple[Caveat, ...] = ()
    if with_caveats:
        caveats = (
            *too_few(involved, found.sampling, alpha),
            *prepared(curves),
            *single_runs(involved),
            *_without_error(weighted_fit(layout, profile / tallest)[0]),
            *different_spread(involved),
            *few_for_ranks(involved, center),
        )

    def with_interval(level: float) -> Contrast:
        return Contrast(
            coefficients={name: float(c) for name, c in asked.coefficients.items() if c},
            weights=label,
            value=found.value,
            interval=Interval(*found.ends(level)),
            confidence=1 - level,
            statistic=found.t,
            df=found.df,
            pvalue=found.pvalue,
            alternative=alternative,
            alpha=alpha,
            approximate=not two,
            null_distribution=found.null,
            sampling=found.sampling,
            caveats=caveats,
            center=center,
            **told_of(curves, Contrast),
        )

    return with_interval


def _without_error(fit: Fit) -> Iterator[Caveat]:
    if not np.any(fit.values):
        yield EqualRuns()
    elif not np.any(fit.residuals):
        yield InfiniteT()


# --- Several contrasts of the same curves, adjusted for each other.


class ContrastFamily(Asked):
    """What is asked of several contrasts; the attributes are the parameters of `contrast_many`."""

    def settle(self) -> None:
        """Raise unless there are contrasts, and max-t is asked of means."""
        check_members(self.contrasts, "contrasts, such as {'A - B': {'A': 1, 'B': -1}}")
        if self.adjust == "max-t":
            check_center_alone(self.center, "adjust", "max-t", "holm")


@question(ContrastFamily, n_keys=0, member=contrast)
def contrast_many(
    curves: Curves,
    contrasts: Mapping[str, Mapping[str, float]],
    *,
    weights: Weights = None,
    alternative: Alternative = "two-sided",
    adjust: Literal["holm", "bonferroni", "max-t"] = "holm",
    alpha: Share = 0.05,
    n_shuffles: Shuffles = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: PathLike | None = None,
    center: Center = "mean",
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
    weights, alternative, center, alpha, n_shuffles, exact, n_jobs, rng, checkpoint
        As in `contrast`. Max-t is for means.

    Returns
    -------
    Contrasts
        A mapping from name to Contrast, with the adjusted p. Each interval has the level at
        which its contrast was judged, so that it holds 0 exactly where the adjusted p is
        above alpha: by Bonferroni alpha divided by the number of contrasts, by Holm alpha
        divided by what its p was multiplied by, by max-t that of the largest t.

    Examples
    --------
    >>> import curvewise as cw
    >>> curves = cw.load_example("tictactoe")
    >>> asked = {"A1 - A2": {"A1": 1, "A2": -1}, "A1 - A3": {"A1": 1, "A3": -1}}
    >>> cw.contrast_many(curves, asked).significant()
    ('A1 - A2',)
    """
    return ask(contrast_many, locals(), _contrasted)


def _contrasted(asked: Asked, work: Work) -> Contrasts:
    alpha, adjust, member = asked.alpha, asked.adjust, work.of_member()
    tested = ask_each(
        asked.contrasts, lambda _, own: contrast_at(asked.to(contrast, coefficients=own), member)
    )
    if adjust == "max-t":
        alone = {name: at(alpha) for name, at in tested.items()}
        found = seeded(_by_max_t(asked, alone, work.sampled()), work.seed)
        reach = too_few_for_max_t(asked.curves, work.n_shuffles, alpha)
    else:
        found = at_own_levels(tested, alpha, adjust, work.seed)
        reach = _out_of_reach(found, alpha)
    caveats = (*reach, *_caveats_of_members(found, adjust))
    return Contrasts(contrasts=found, adjust=adjust, alpha=alpha, caveats=caveats, seed=work.seed)


def _out_of_reach(family: Mapping[str, Contrast], alpha: float) -> Iterator[Caveat]:
    """Warn where no adjusted p can be as small as alpha, whatever the data."""
    smallest = min(own.smallest_pvalue for own in family.values()) * len(family)
    if smallest > alpha:
        yield TooManyContrasts(len(family), min(smallest, 1.0), alpha)


def _caveats_of_members(family: Mapping[str, Contrast], adjust: str) -> list[Caveat]:
    """Pass on the caveats of contrasts, each once.

    How small the p of a contrast alone can be does not matter to max-t.
    """
    skipped = (TooFewRuns, TooFewShuffles) if adjust == "max-t" else ()
    every = (caveat for own in family.values() for caveat in own.caveats)
    return [caveat for caveat in dict.fromkeys(every) if not isinstance(caveat, skipped)]


def _by_max_t(asked: Asked, members: Mapping[str, Contrast], work: Work) -> dict[str, Contrast]:
    """Hold every t against the largest of each shuffle of all residuals.

    Two algorithms have a test of their own runs as well. Its p may be the larger one, and is
    then the adjusted p too; the interval holds what either test does not reject.
    """
    curves = asked.curves.in_order_of_names()
    alternative, alpha = asked.alternative, asked.alpha
    check_design(curves)
    profile = weight_array(curves, asked.weights)[0]
    tallest = float(np.abs(profile).max())
    layout = Layout.of(curves)
    fit, _ = weighted_fit(layout, profile / tallest)
    table = np.array([coefficient_array(curves, own.coefficients) for own in members.values()])
    largest = np.abs(table).max(axis=1)
    table = table / largest[:, None]
    two_sided, sign = alternative == "two-sided", -1 if alternative == "less" else 1
    plan = work.plan(layout.restriction, levels=(alpha,), limits=LIMITS)
    lengths = fit.directions(sign * table)[1]
    t = student_t(sign * table @ fit.estimates[:, 0] / lengths, fit.errors[:1], fit.df)
    maxima = partial(largest_t, fit, sign * table, two_sided=two_sided)
    observed = np.abs(t) if two_sided else t
    found = work.visit(plan, LargestOf.against([observed], maxima, every=True))
    values = pvalue(found.counts[0][0], found.n_visited, exact=False)
    error = math.sqrt(float(fit.errors[0]) / fit.df)
    # Without error there is nothing to be unsure of.
    margins = upper_quantile(found.kept[0][0], alpha) * error * lengths if error else 0.0 * lengths
    family = {}
    for (name, own), value, margin in zip(
        members.items(), values, margins * layout.unit * tallest * largest, strict=True
    ):
        low = -math.inf if alternative == "less" else own.value - float(margin)
        high = math.inf if alternative == "greater" else own.value + float(margin)
        p = float(value)
        if not own.approximate:
            p = max(p, own.pvalue)
            low, high = min(low, own.interval.low), max(high, own.interval.high)
        # p counts ties that are only rounded apart.
        beside = TIE * abs(own.value) * np.array([-1.0, 1.0])
        low, high = agreeing((low, high), own.value, 0.0, beside, rejected=p <= alpha)
        family[name] = replace(own, pvalue_adjusted=p, interval=Interval(low, high))
    return family
