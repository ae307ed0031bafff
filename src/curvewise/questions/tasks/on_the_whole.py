"""Is one algorithm better on the tasks as a whole? The test of van Elteren."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.effects import Interval
from curvewise.kernels.inversion import agreeing
from curvewise.kernels.pvalues import pvalue
from curvewise.kernels.relabelling.restriction import WithinBlocks
from curvewise.kernels.tasks.placements import probability_interval, winning_probability
from curvewise.kernels.tasks.van_elteren import (
    exact_pvalue,
    smallest_pvalue,
    van_elteren,
)
from curvewise.questions.tasks.anywhere import LIMITS
from curvewise.questions.tasks.evidence import OnTheWhole
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.tasks.van_elteren import Stratum
    from curvewise.shuffling.tally import Measured

__all__ = ["RankSums", "judge_on_the_whole"]

TIE = 1e-9  # V that differ by less are equal but for rounding
# An interval that its test moves to one side of a half ends this far from it.
LEAST_LEAD = 0.001


def judge_on_the_whole(
    tasks: Sequence[Sequence[Stratum]], work: Work, alpha: float
) -> OnTheWhole:
    """Test V over all tasks, and estimate how often a run of the first algorithm wins.

    p is exact wherever the distribution of V can be worked out, unless the work is to be
    sampled; the order of the tasks decides which shuffles a sample has.
    """
    strata = [stratum for own in tasks for stratum in own]
    statistic, by_runs = van_elteren(strata), smallest_pvalue(strata)
    p = None if work.exact is False else exact_pvalue(strata)
    exact, n_shuffles, smallest = p is not None, None, by_runs
    if p is None:
        ranks = RankSums.of(strata, statistic)
        plan = work.plan(ranks.restriction(strata), levels=(alpha,), limits=LIMITS)
        found = work.visit(plan, ranks)
        exact = found.exact
        p = pvalue(int(found.counts[0][0]), found.n_visited, exact=exact)
        if not exact:
            n_shuffles = found.n_visited
            smallest = max(by_runs, 1 / (1 + n_shuffles))
    probability = winning_probability(strata)
    beside = 0.5 + LEAST_LEAD * np.array([-1.0, 1.0])
    ends = agreeing(
        probability_interval(strata, alpha),
        probability,
        0.5,
        beside,
        rejected=p <= alpha,
    )
    return OnTheWhole(
        statistic=statistic,
        pvalue=p,
        probability=probability,
        interval=Interval(*ends),
        mean_probability=float(np.mean([winning_probability(own) for own in tasks])),
        exact=exact,
        n_shuffles=n_shuffles,
        smallest_pvalue=smallest,
        alpha=alpha,
    )


@dataclass(frozen=True, eq=False)
class RankSums(Statistic):
    """How many relabellings have a |V| of at least ``least``.

    ``scores`` are the ranks of all runs, each divided by N + 1 of its stratum, and ``expected``
    is the sum of the first algorithm's over all relabellings, on average.
    """

    scores: Floats
    expected: float
    least: float

    @classmethod
    def of(cls, strata: Sequence[Stratum], statistic: float) -> RankSums:
        """Put the strata after each other."""
        scores = [own.doubled / (2 * (len(own.first) + 1)) for own in strata]
        expected = sum(own.sizes[0] for own in strata) / 2
        least = abs(statistic) - TIE * max(abs(statistic), 1.0)
        return cls(np.concatenate(scores), expected, least)

    @staticmethod
    def restriction(strata: Sequence[Stratum]) -> WithinBlocks:
        """Return the relabellings: inside strata."""
        labels = np.concatenate([np.where(own.first, 0, 1) for own in strata])
        blocks = np.repeat(np.arange(len(strata)), [len(own.first) for own in strata])
        return WithinBlocks(labels, blocks)

    def measure(self, labels: Integers, *, keep: bool) -> Measured:  # noqa: ARG002
        """Count the relabellings of a batch that are as extreme."""
        sums = (labels == 0).astype(np.float64) @ self.scores - self.expected
        return (np.array([np.sum(np.abs(sums) >= self.least)]),), ()
