"""Several contrasts of the same curves, adjusted for each other."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from curvewise.inference.caveats import TooFewRuns, TooFewShuffles
from curvewise.inference.centers import check_center_alone
from curvewise.inference.diagnostics import too_few_for_max_t
from curvewise.inference.effects import Interval
from curvewise.inference.families import (
    FAMILYWISE,
    adjusted,
    ask_each,
    check_members,
    own_level,
)
from curvewise.inference.requirements import (
    check_alpha,
    check_choice,
    check_curves,
    check_design,
)
from curvewise.inference.work import shuffling_work
from curvewise.kernels.adjustments import TIE
from curvewise.kernels.inversion import agreeing
from curvewise.kernels.pvalues import pvalue, upper_quantile
from curvewise.questions.contrast.caveats import TooManyContrasts
from curvewise.questions.contrast.permutation import LargestT, weighted_fit
from curvewise.questions.contrast.question import contrast_at_levels
from curvewise.questions.contrast.result import Contrasts
from curvewise.questions.contrast.weights import coefficient_array, weight_array
from curvewise.shuffling.layout import Layout
from curvewise.shuffling.plan import Limits

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Center
    from curvewise.inference.requirements import RNGLike
    from curvewise.inference.work import Work
    from curvewise.questions.contrast.result import Alternative, Contrast
    from curvewise.questions.contrast.weights import Weights

__all__ = ["contrast_many"]

MAX_SHUFFLES = 2**20  # of "auto" and "precise", for max-t


def contrast_many(
    curves: Curves,
    contrasts: Mapping[str, Mapping[str, float]],
    *,
    weights: Weights = None,
    alternative: Alternative = "two-sided",
    adjust: Literal["holm", "bonferroni", "max-t"] = "holm",
    alpha: float = 0.05,
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
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
    check_curves(curves, "contrast_many()")
    check_choice("adjust", adjust, FAMILYWISE)
    check_alpha(alpha)
    check_members(contrasts, "contrasts, such as {'A - B': {'A': 1, 'B': -1}}")
    if adjust == "max-t":
        check_center_alone(center, "adjust", "max-t", "holm")
    options: dict[str, Any] = {"weights": weights, "alternative": alternative}
    with shuffling_work(
        "contrast_many",
        *(curves, contrasts, weights, alternative, adjust, alpha, center),
        n_shuffles=n_shuffles,
        exact=exact,
        n_jobs=n_jobs,
        rng=rng,
        checkpoint=checkpoint,
        n_keys=0,
    ) as work:
        member, options["alpha"] = work.of_member(), float(alpha)
        tested = ask_each(
            contrasts,
            lambda _, own: contrast_at_levels(
                curves, own, member, center=center, **options
            ),
        )
        found = {name: result(float(alpha)) for name, result in tested.items()}
        if adjust == "max-t":
            found = _by_max_t(curves, found, work.sampled(), **options)
        else:
            values = adjusted({name: own.pvalue for name, own in found.items()}, adjust)
            found = {
                name: replace(
                    result(own_level(float(alpha), found[name].pvalue, values[name])),
                    pvalue_adjusted=values[name],
                )
                for name, result in tested.items()
            }
    family = {
        name: replace(
            own, sampling=own.sampling.with_seed(None if own.seed is None else work.seed)
        )
        for name, own in found.items()
    }
    return Contrasts(
        family,
        adjust,
        float(alpha),
        (
            *(
                too_few_for_max_t(curves, work.n_shuffles, float(alpha))
                if adjust == "max-t"
                else _out_of_reach(family, float(alpha))
            ),
            *_caveats_of_members(family, adjust),
        ),
        work.seed,
    )


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


def _by_max_t(
    curves: Curves,
    members: Mapping[str, Contrast],
    work: Work,
    *,
    weights: Weights,
    alternative: Alternative,
    alpha: float,
) -> dict[str, Contrast]:
    """Hold every t against the largest of each shuffle of all residuals.

    Two algorithms have a test of their own runs as well. Its p may be the larger one, and is
    then the adjusted p too; the interval holds what either test does not reject.
    """
    curves = curves.in_order_of_names()
    check_design(curves)
    profile = weight_array(curves, weights)[0]
    tallest = float(np.abs(profile).max())
    layout = Layout.of(curves)
    fit = weighted_fit(layout, profile / tallest)
    table = np.array(
        [coefficient_array(curves, own.coefficients) for own in members.values()]
    )
    largest = np.abs(table).max(axis=1)
    table = table / largest[:, None]
    two_sided, sign = alternative == "two-sided", -1 if alternative == "less" else 1
    limits = Limits(shuffles=MAX_SHUFFLES)
    plan = work.plan(layout.restriction, levels=(alpha,), limits=limits)
    statistic = LargestT.of(fit, sign * table, two_sided=two_sided)
    found = work.visit(plan, statistic)
    values = pvalue(found.counts[0], found.n_visited, exact=False)
    margins = statistic.margins(upper_quantile(found.kept[0], alpha))
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
