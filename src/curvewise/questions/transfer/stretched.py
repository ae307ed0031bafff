"""The factors by which one condition may take longer to reach a threshold than the other.

Multiply the times of the control by ρ, end training together, and test with log-rank scores. All
ρ that the test does not reject are the interval of the ratio of times: exact where the times of
one condition are a multiple of the other's, as when it learns faster throughout. The scores
change only where the order of times does, at ratios of a time of the one to a time of the other,
so that one ρ between each two of these stands for all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.adjustments import TIE
from curvewise.kernels.anova.sums import centred
from curvewise.kernels.pvalues import pvalue
from curvewise.kernels.survival import log_rank_scores, score_noise
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.questions.transfer.conditions import TwoConditions
    from curvewise.shuffling.plan import Plan
    from curvewise.shuffling.tally import Measured

__all__ = ["ShuffledStretches", "Stretches", "stretches"]

MAX_EDGES = (
    512  # ratios of times at which p is looked at; of more, evenly many are left out
)


@dataclass(frozen=True, eq=False)
class ShuffledStretches(Statistic):
    """How many relabellings are as extreme as the observed one, for each of many factors.

    ``columns`` are the log-rank scores of the runs, (n_runs, n_factors), less the means of
    blocks; ``least`` the smallest sum over the experimental runs that counts.
    """

    columns: Floats
    least: Floats

    chunk = 4  # batches: about as much work as the metrics

    def measure(self, labels: Integers, *, keep: bool) -> Measured:  # noqa: ARG002
        """Count the extreme relabellings of a batch, (n_factors,)."""
        sums = np.abs(labels.astype(np.float64) @ self.columns)
        return (np.sum(sums >= self.least, axis=0),), ()


class Stretches(NamedTuple):
    """The factors that are not rejected: the ends of all, and those beside ratios of times.

    A factor is how many times as long the experimental condition takes. Both ends are infinite
    where nothing is rejected.
    """

    ends: tuple[float, float]
    factors: Floats


def stretches(
    conditions: TwoConditions, plan: Plan, work: Work, *, alpha: float
) -> Stretches | None:
    """Find the factors whose p is above ``alpha``; None where there are none."""
    edges = _edges(conditions)
    if not len(edges):
        return None
    factors = np.concatenate(
        [edges[:1] / 2, np.sqrt(edges[:-1] * edges[1:]), edges[-1:] * 2]
    )
    is_experimental = conditions.member == 1
    columns, least = [], []
    for factor in factors.tolist():
        longer = np.where(is_experimental, 1.0, factor)
        times = conditions.times.stretched(longer, conditions.reaching.horizon)
        scores = log_rank_scores(times)
        column = centred(scores[:, None], conditions.blocks)
        columns.append(column)
        observed = abs(float(column[is_experimental].sum()))
        least.append(observed - 2 * score_noise(scores))
    statistic = ShuffledStretches(np.hstack(columns), np.array(least))
    found = work.visit(plan, statistic)
    p = pvalue(found.counts[0], found.n_visited, exact=found.exact)
    (kept,) = np.nonzero(p > alpha)
    if not len(kept):
        return None
    around = np.concatenate([[0.0], edges, [math.inf]])
    low, high = float(around[kept[0]]), float(around[kept[-1] + 1])
    if (low, high) == (0.0, math.inf):
        low = -math.inf
    # Where an edge itself is rejected, which has ties, an end lies beside it.
    beside = [around[kept] * (1 + TIE), around[kept + 1] * (1 - TIE)]
    return Stretches((low, high), np.concatenate(beside))


def _edges(conditions: TwoConditions) -> Floats:
    """Return the factors at which times of the two conditions change their order."""
    horizon = conditions.reaching.horizon
    ours, others = (
        np.append(conditions.times.steps[conditions.member == side], horizon)
        for side in (1, 0)
    )
    ours, others = ours[ours > 0], others[others > 0]
    edges = np.unique(np.divide.outer(ours, others))
    if len(edges) <= MAX_EDGES:
        return edges
    places = np.linspace(0, len(edges) - 1, MAX_EDGES).round().astype(np.int64)
    return np.asarray(edges[places])
