"""A margin that is a share of the baseline's mean: the baseline is multiplied, not shifted.

Write C for the runs of the candidate, S for those that a relabelling gives it, and k for what the
baseline is multiplied by. The relabelling is at least as extreme as the observed one if the sum
over S is at least that over C, that is if

    k Σ (baseline runs in S) ≥ Σ (candidate runs not in S).

Where all runs of the baseline have one sign, that is so from one k on, the ratio of the two sums:
p rises or falls with k, and the limits of the ratio of the means can be read off the sorted
ratios. Blocks take the same off both sides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.errors import CurvesError
from curvewise.kernels.contrasts import is_mirrored
from curvewise.kernels.noncentral import t_quantile
from curvewise.kernels.pvalues import n_allowed
from curvewise.questions.contrast.permutation import MAX_KEPT
from curvewise.questions.gate.bounds import BoundTest, shuffled_sides, welch_sides
from curvewise.shuffling.layout import Layout
from curvewise.shuffling.plan import Limits, Plan
from curvewise.shuffling.visiting import Statistic
from curvewise.text import argument, number_text

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.questions.gate.numbers import GateNumbers
    from curvewise.shuffling.tally import Measured

__all__ = ["RatioRoots", "check_one_sign", "ratio_test", "share_null", "welch_ratio_test"]

N_HALVINGS = 100  # of an interval: more than double precision can tell


def check_one_sign(numbers: GateNumbers, *, higher_is_better: bool) -> None:
    """Raise unless a share of the baseline's mean has a meaning."""
    baseline = numbers.sides[1]
    if baseline.min() > 0 or baseline.max() < 0:
        return
    sign = 1.0 if higher_is_better else -1.0
    ends = sorted(sign * float(end) for end in (baseline.min(), baseline.max()))
    msg = (
        f"A relative margin needs scores of the baseline that are all above 0, or all below: "
        f"those of {numbers.baseline!r} range from {number_text(ends[0])} to "
        f"{number_text(ends[1])}, and a share of a mean near 0 means nothing. Use "
        f"{argument('unit', 'score')}, or scores with a true zero."
    )
    raise CurvesError(msg)


def share_null(numbers: GateNumbers, bound: float) -> Curves:
    """Multiply the baseline, so that the two are the same where the share is the bound."""
    sign = math.copysign(1.0, float(numbers.sides[1][0]))
    return numbers.scaled(1 + sign * bound)


@dataclass(frozen=True, eq=False)
class RatioRoots(Statistic):
    """The relative difference from which on a relabelling counts as extreme; kept.

    ``group`` is the number of the candidate among the labels. With ``mirrored`` the mirror image
    of every relabelling is measured too.
    """

    values: Floats
    labels: Integers
    group: int
    sign: float
    mirrored: bool

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Keep the roots of a batch; there is nothing to count."""
        groups = (self.group, 1 - self.group) if self.mirrored else (self.group,)
        kept = []
        for group in groups if keep else ():
            chosen = labels == group
            mine = self.labels == self.group
            gained = (chosen & ~mine).astype(np.float64) @ self.values
            lost = (~chosen & mine).astype(np.float64) @ self.values
            roots = np.full(
                len(labels), -np.inf
            )  # the observed relabelling counts always
            swaps = (chosen & ~mine).any(axis=1)
            np.divide(lost, gained, out=roots, where=swaps)
            roots[swaps] = self.sign * (roots[swaps] - 1)
            kept.append(roots)
        return (np.zeros(1, dtype=np.int64),), ((np.stack(kept),) if keep else ())


def ratio_test(
    numbers: GateNumbers, bound: float, work: Work, *, alpha: float
) -> BoundTest:
    """Multiply the baseline by what the bound allows, and shuffle."""
    sign = math.copysign(1.0, float(numbers.sides[1][0]))
    null = share_null(numbers, bound)
    sides = shuffled_sides(numbers, null, work, alpha=alpha, center="mean")
    layout = Layout.of(numbers.curves)
    plan = work.plan(
        layout.restriction, levels=(alpha,), limits=Limits(exact=layout.restriction.count)
    )
    if not plan.keeps_all:
        most = min(plan.n_shuffles, MAX_KEPT)
        plan = Plan(layout.restriction, exact=False, n_shuffles=most, key=work.key)
    mirrored = plan.keeps_all and is_mirrored(layout.labels, layout.blocks)
    statistic = RatioRoots(
        numbers.values[layout.order],
        layout.labels,
        numbers.curves.algorithms.index(numbers.candidate),
        sign,
        mirrored,
    )
    roots = work.visit(plan, statistic).kept[0].ravel()

    def limit(level: float, *, lower: bool) -> float:
        allowed = n_allowed(len(roots), level, exact=plan.keeps_all)
        if allowed < 0:
            return -math.inf if lower else math.inf
        # The observed relabelling counts on either side, whatever the ratio.
        sided = roots if lower else np.where(np.isneginf(roots), -np.inf, -roots)
        found = float(np.partition(sided, allowed)[allowed])
        return found if lower else -found

    return BoundTest(
        bound,
        _relative_difference(numbers),
        sides.greater.pvalue,
        sides.less.pvalue,
        lambda level: limit(level, lower=True),
        lambda level: limit(level, lower=False),
        sides.greater.sampling,
    )


def welch_ratio_test(
    numbers: GateNumbers, bound: float, work: Work, *, alpha: float
) -> BoundTest:
    """Test a ratio of means where spreads may differ; limits as Fieller's."""
    candidate, baseline = numbers.sides
    sign = math.copysign(1.0, float(baseline[0]))
    sides = welch_sides(numbers, share_null(numbers, bound), work, alpha)
    parts = [float(np.var(own, ddof=1)) / len(own) for own in (candidate, baseline)]
    freedom = [len(own) - 1 for own in (candidate, baseline)]

    def excess(difference: float, tail: float) -> float:
        """Return by how much the candidate exceeds the baseline so multiplied, less its error."""
        factor = 1 + sign * difference
        variances = [parts[0], factor**2 * parts[1]]
        error = sum(variances)
        lead = float(candidate.mean() - factor * baseline.mean())
        if error == 0:
            return lead
        # In shares of the error, since squares of variances may overflow.
        df = 1 / sum(
            (own / error) ** 2 / n for own, n in zip(variances, freedom, strict=True)
        )
        return lead + math.copysign(1, tail) * t_quantile(1 - abs(tail), df) * math.sqrt(
            error
        )

    value = _relative_difference(numbers)

    def limit(level: float, *, lower: bool) -> float:
        if math.isinf(sides.quantile(level)):
            return -math.inf if lower else math.inf
        tail = sides.tail(level) * (-1 if lower else 1)
        inner, outer = value, value + (-1.0 if lower else 1.0)
        # Outwards until the test rejects; where it never does, there is no limit.
        while (excess(outer, tail) < 0) == lower:
            outer = value + 2 * (outer - value)
            if abs(outer) > 1e6:
                return -math.inf if lower else math.inf
        for _ in range(N_HALVINGS):
            middle = (inner + outer) / 2
            if (excess(middle, tail) < 0) == lower:
                inner = middle
            else:
                outer = middle
        return outer

    return BoundTest(
        bound,
        value,
        sides.pvalue_above,
        sides.pvalue_below,
        lambda level: limit(level, lower=True),
        lambda level: limit(level, lower=False),
        sides.sampling,
    )


def _relative_difference(numbers: GateNumbers) -> float:
    """Return the difference as a share of the baseline's mean, within blocks if there are any."""
    weighted = numbers.weights * numbers.values
    ratio = -float(
        weighted[numbers.is_candidate].sum() / weighted[~numbers.is_candidate].sum()
    )
    return math.copysign(1.0, float(numbers.sides[1][0])) * (ratio - 1)
