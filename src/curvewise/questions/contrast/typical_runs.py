"""A contrast of the typical runs of two algorithms: of trimmed means, or by ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from curvewise.errors import OptionError
from curvewise.inference.centers import TRIMMED_LIMITS, RunNumbers, check_center
from curvewise.inference.effects import f_statistic
from curvewise.kernels.centers import n_alike, trimmed_f, trimmed_means
from curvewise.kernels.contrasts import (
    Fit,
    count_extreme,
    is_mirrored,
    least_extreme,
)
from curvewise.kernels.pvalues import pvalue
from curvewise.questions.contrast.permutation import ContrastCounts, contrast_of_two
from curvewise.shuffling.plan import Limits
from curvewise.shuffling.visiting import Statistic
from curvewise.text import argument

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.effects import Center
    from curvewise.kernels import Floats, Integers
    from curvewise.questions.contrast.permutation import ContrastTest
    from curvewise.shuffling.plan import Plan
    from curvewise.shuffling.tally import Measured

__all__ = ["TrimmedDifference", "check_typical", "typical_contrast"]

RANK_NOISE = 1e-9  # ranks are multiples of a half: any difference is larger


@dataclass(frozen=True, eq=False)
class TrimmedDifference(Statistic):
    """The difference of the trimmed means of two groups, kept.

    ``mirrored`` counts the mirror image of every relabelling too.
    """

    numbers: Floats
    least: float
    two_sided: bool
    mirrored: bool

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme relabellings of a batch; keep the differences."""
        first, second = trimmed_means(labels, self.numbers)
        difference = first - second
        count = count_extreme(difference, self.least, two_sided=self.two_sided)
        if self.mirrored and not self.two_sided:
            count += count_extreme(-difference, self.least, two_sided=False)
        return (np.array([count]),), ((difference,) if keep else ())


def check_typical(involved: Curves, center: Center) -> None:
    """Raise where typical runs cannot be contrasted."""
    check_center(involved, center)
    if center != "mean" and len(involved.algorithms) > 2:
        msg = (
            f"{argument('center', center)} is for contrasts of two algorithms: of more, the "
            "residuals are shuffled, which are what means leave over. Use "
            f"{argument('center', 'mean')}, or contrast two algorithms at a time."
        )
        raise OptionError(msg, option="center")


def typical_contrast(
    test: ContrastTest, profile: Floats, center: Center
) -> ContrastCounts:
    """Shuffle the curves of two algorithms, and compare trimmed means or ranks.

    ``profile`` has the weights over steps that the test was fitted with.
    """
    layout = test.layout
    runs = RunNumbers.of(layout, profile)
    # The algorithm that comes first may be the one that is subtracted.
    runs = replace(runs, numbers=runs.numbers * math.copysign(1.0, test.coefficients[0]))
    if center == "ranks":
        ranks = runs.ranks()[:, None]
        fit = Fit.of(ranks, layout.labels, layout.blocks, RANK_NOISE)
        towards = np.array([1.0, -1.0])
        ranked = replace(test, fit=fit, coefficients=towards, noise=RANK_NOISE)
        found = contrast_of_two(ranked)
        # For the interval a sample will do where there are too many to visit.
        plan = test.plan(Limits(exact=layout.restriction.count))
    else:
        found, plan = _contrast_of_trimmed(test, runs)
    p = pvalue(found.n_extreme, found.n_visited, exact=found.exact)
    size = abs(float(test.coefficients[0]))

    def ends(alpha: float) -> tuple[float, float]:
        low, high = runs.ends(center, plan, p, alpha, two_sided=test.two_sided)
        return low * size, high * size

    return replace(found, value=runs.shift(center) * size, ends=ends)


def _contrast_of_trimmed(
    test: ContrastTest, runs: RunNumbers
) -> tuple[ContrastCounts, Plan]:
    layout, two_sided = test.layout, test.two_sided
    value = runs.shift("trimmed")
    least = least_extreme(value, runs.tie, two_sided=two_sided)
    plan = test.plan(TRIMMED_LIMITS)
    mirrored = is_mirrored(layout.labels, layout.blocks) and not two_sided
    statistic = TrimmedDifference(
        runs.numbers, least, two_sided, mirrored=mirrored and plan.exact
    )
    found = test.work.visit(plan, statistic)
    n_all = layout.restriction.count * (2 if mirrored else 1)
    differences = found.kept[0]
    if mirrored and plan.keeps_all:
        differences = np.concatenate([differences, -differences])
    between, within, df = trimmed_f(runs.numbers, runs.labels)
    t = math.sqrt(f_statistic(between, within if within > runs.tie**2 else 0.0, df))
    t = math.copysign(t, value) if value else 0.0
    # All differences are held against the standard error of the observed one.
    scale = t / value if value and math.isfinite(t) else 1.0
    null = np.where(np.abs(differences - value) <= 2 * runs.tie, value, differences)
    counts = ContrastCounts(
        value,
        lambda _: (-math.inf, math.inf),
        t,
        int(found.counts[0][0]),
        n_all if plan.exact else found.n_visited,
        n_all,
        exact=plan.exact,
        sampled=not plan.keeps_all,
        engine=found.engine,
        null=null * scale,
        df=df[1],
        n_alike=n_alike(np.bincount(layout.labels)),
    )
    return counts, found.plan
