"""The lead over each algorithm, held against the largest lead over it in each shuffle (max-t)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.effects import Interval
from curvewise.kernels.adjustments import MaxCounts
from curvewise.kernels.contrasts import shuffled_pair_t, student_t
from curvewise.kernels.pvalues import UpperTail, pvalue
from curvewise.questions.best.ranking import Gap
from curvewise.shuffling.plan import Limits
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.contrasts import Fit
    from curvewise.questions.best.ranking import Ranking
    from curvewise.shuffling.tally import Measured

__all__ = ["largest_leads", "max_t_gaps"]

MAX_SHUFFLES = 2**20  # of "auto" and "precise"


@dataclass(frozen=True, eq=False)
class LargestLead(Statistic):
    """The largest lead of any algorithm over each, for each shuffle of the residuals; kept."""

    fit: Fit
    observed: tuple[MaxCounts, ...]  # the lead of the leader over each algorithm

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count, for each algorithm, the shuffles with a lead over it as large."""
        largest = largest_leads(self.fit, labels)
        counts = [
            int(c.count(row)[0]) for c, row in zip(self.observed, largest, strict=True)
        ]
        return (np.array(counts),), ((largest,) if keep else ())


def largest_leads(fit: Fit, labels: Integers) -> Floats:
    """Return the largest t of any group less each group; (n_groups, n_shuffles).

    The residuals of the fit are shuffled.
    """
    n_groups = len(fit.estimates)
    first, second = np.triu_indices(n_groups, 1)
    t = shuffled_pair_t(fit, labels)
    return np.stack(
        [
            np.vstack([t[second == code], -t[first == code]]).max(axis=0)
            for code in range(n_groups)
        ]
    )


def max_t_gaps(
    ranking: Ranking,
    work: Work,
    *,
    alpha: float,
    levels: tuple[float, ...],
) -> Callable[[float], dict[str, Gap]]:
    """Hold the lead over an algorithm against the largest lead over it in each shuffle.

    The truly best is dropped only if another leads it by more than any would by chance. Returns
    what gives the gaps with the intervals of a level up to alpha; "auto" settles p against the
    ``levels``.
    """
    fit, curves, unit = ranking.fit, ranking.curves, ranking.signed_unit
    leader, *others = ranking.order
    unit_vectors = np.eye(len(fit.estimates))
    lengths = np.ones(len(fit.estimates))
    directions = unit_vectors[leader] - unit_vectors[others]
    lengths[others] = fit.directions(directions)[1]
    leads: Floats = fit.estimates[leader, 0] - fit.estimates[:, 0]
    t = student_t(leads / lengths, fit.errors[:1], fit.df)
    limits = Limits(shuffles=MAX_SHUFFLES)
    plan = work.plan(ranking.layout.restriction, levels=levels, limits=limits)
    statistic = LargestLead(
        fit, tuple(MaxCounts.of(t[code : code + 1]) for code in range(len(t)))
    )
    found = work.visit(plan, statistic)
    pvalues = pvalue(found.counts[0], found.n_visited, exact=False)
    (largest,) = found.kept
    tails = {code: UpperTail.of(largest[code], alpha) for code in others}
    error = math.sqrt(float(fit.errors[0]) / fit.df)

    def gaps_at(level: float) -> dict[str, Gap]:
        gaps = {}
        for code, tail in tails.items():
            margin = tail.quantile(level) * float(lengths[code]) * error if error else 0.0
            lead = float(leads[code])
            ends = (0.0 - end * unit for end in (lead - margin, math.inf))
            gaps[curves.algorithms[code]] = Gap(
                0.0 - lead * unit, Interval(*sorted(ends)), float(pvalues[code])
            )
        return gaps

    return gaps_at
