"""Time to a threshold: does the candidate take no more than so many times as long?

The baseline's times are multiplied by the margin, all runs are censored at the common end of
training again, and log-rank scores are shuffled: exact where the candidate's times are a multiple
of the baseline's, as when it learns slower throughout. Limits of that multiple are read off the
same test at other multiples; between two ratios of a time of the one to a time of the other
nothing changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from curvewise.errors import CurvesError
from curvewise.inference.reaching import reaching
from curvewise.inference.sampling import Sampling
from curvewise.kernels.anova.sums import centred
from curvewise.kernels.contrasts import is_mirrored
from curvewise.kernels.pvalues import pvalue
from curvewise.kernels.survival import kaplan_meier, log_rank_scores, score_noise
from curvewise.questions.gate.bounds import BoundTest
from curvewise.shuffling.layout import Layout
from curvewise.shuffling.visiting import Statistic
from curvewise.text import number_text, threshold_text

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.reaching import Reaching
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.survival import Times
    from curvewise.shuffling.tally import Measured

__all__ = ["ReachTimes", "StretchSums"]

MAX_EDGES = (
    512  # ratios of times at which p is looked at; of more, evenly many are left out
)


@dataclass(frozen=True, eq=False)
class StretchSums(Statistic):
    """Sums of log-rank scores over the candidate: how many are as high, and as low.

    ``columns`` are the scores for each of many multiples, less the means of blocks;
    ``observed`` the sums over the candidate, and ``slack`` what rounding can move them by. With
    ``mirrored`` the mirror image of every relabelling counts too.
    """

    columns: Floats
    observed: Floats
    slack: Floats
    group: int
    mirrored: bool

    chunk = 4  # batches: there are hundreds of columns

    def measure(self, labels: Integers, *, keep: bool) -> Measured:  # noqa: ARG002
        """Count the relabellings of a batch that are as high, and as low; (2, n_multiples)."""
        sums = (labels == self.group).astype(np.float64) @ self.columns
        high, low = self.observed - self.slack, self.observed + self.slack
        counts = np.stack([np.sum(sums >= high, axis=0), np.sum(sums <= low, axis=0)])
        if self.mirrored:
            counts += np.stack(
                [np.sum(-sums >= high, axis=0), np.sum(-sums <= low, axis=0)]
            )
        return (counts,), ()

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts at the margin, which comes first."""
        return counts[0][:, 0]


@dataclass(frozen=True, eq=False)
class ReachTimes:
    """When the runs of two algorithms reach a threshold."""

    curves: Curves
    candidate: str
    found: Reaching

    @classmethod
    def of(cls, curves: Curves, candidate: str, threshold: float) -> ReachTimes:
        """Find the times; raise if no run reaches the threshold."""
        found = reaching(curves, threshold)
        if not found.times.reached.any():
            best = curves.scores.max() if curves.higher_is_better else curves.scores.min()
            msg = (
                f"No run reaches a score of {threshold_text(threshold)}; the best score of all is "
                f"{number_text(float(best))}. Choose a threshold that some runs reach."
            )
            raise CurvesError(msg)
        first = float(curves.steps[0])
        if (found.times.reached & (found.times.steps <= first)).all():
            msg = (
                f"All runs are at a score of {threshold_text(threshold)} from the first step on: there "
                "are no times to compare. Choose a threshold that takes training to reach."
            )
            raise CurvesError(msg)
        return cls(curves, candidate, found)

    @cached_property
    def is_candidate(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether each run is one of the candidate."""
        return np.asarray(self.curves.labels == self.candidate)

    @property
    def sides(self) -> tuple[Times, Times]:
        """The times of the candidate, and of the baseline."""
        times = self.found.times
        return times.of(self.is_candidate), times.of(~self.is_candidate)

    @property
    def n_reached(self) -> tuple[int, int]:
        """How many runs of each reach the threshold."""
        candidate, baseline = self.sides
        return int(candidate.reached.sum()), int(baseline.reached.sum())

    @property
    def medians(self) -> tuple[float, float]:
        """The step by which half of the runs of each have reached it; infinite for never."""
        candidate, baseline = self.sides
        return kaplan_meier(candidate).median, kaplan_meier(baseline).median

    def test(self, margin: float, work: Work, *, alpha: float) -> BoundTest:
        """Test whether the candidate takes ``margin`` times as long as the baseline."""
        layout = Layout.of(self.curves)
        edges = self._edges()
        between = np.array([])
        if len(edges):
            between = np.concatenate(
                [edges[:1] / 2, np.sqrt(edges[:-1] * edges[1:]), edges[-1:] * 2]
            )
        columns, slack = [], []
        for multiple in (margin, *between.tolist()):
            scores = self._scores(multiple)[layout.order]
            columns.append(centred(scores[:, None], layout.blocks))
            slack.append(2 * score_noise(scores))
        mine = self.is_candidate[layout.order]
        table = np.hstack(columns)
        observed = table[mine].sum(axis=0)
        plan = work.plan(layout.restriction, levels=(alpha,))
        both_images = is_mirrored(layout.labels, layout.blocks)
        group = self.curves.algorithms.index(self.candidate)
        statistic = StretchSums(
            table, observed, np.array(slack), group, both_images and plan.exact
        )
        found = work.visit(plan, statistic)
        n_all = layout.restriction.count * (2 if both_images else 1)
        n_visited = n_all if found.exact else found.n_visited
        faster, slower = pvalue(found.counts[0], n_visited, exact=found.exact)
        around = np.concatenate([[0.0], edges, [math.inf]])

        def lowest(level: float) -> float:
            kept = np.flatnonzero(slower[1:] > level)
            # Times of 0 stay as they are, and tell nothing of multiples.
            none = math.inf if len(edges) else 0.0
            return float(around[kept[0]]) if len(kept) else none

        def highest(level: float) -> float:
            kept = np.flatnonzero(faster[1:] > level)
            none = 0.0 if len(edges) else math.inf
            return float(around[kept[-1] + 1]) if len(kept) else none

        # Where the candidate is as early as the baseline so stretched.
        ahead = np.flatnonzero(observed[1:] >= 0)
        value = float(around[ahead[0]]) if len(ahead) else math.inf
        # Times of equal runs may change sides at the margin itself.
        if observed[0] < -slack[0]:
            value = max(value, math.nextafter(margin, math.inf))
        elif observed[0] > slack[0]:
            value = min(value, math.nextafter(margin, -math.inf))
        exact = found.exact
        return BoundTest(
            margin,
            value,
            float(slower[0]),
            float(faster[0]),
            lowest,
            highest,
            Sampling(exact, n_all, n_visited, found.engine, None if exact else work.seed),
            least=0.0,
        )

    def _scores(self, multiple: float) -> Floats:
        """Return log-rank scores, high for early runs, if the baseline took so many times as long."""
        factors = np.where(self.is_candidate, 1.0, multiple)
        return log_rank_scores(self.found.times.stretched(factors, self.found.horizon))

    def _edges(self) -> Floats:
        """Return the multiples at which times of the two change their order."""
        ours, others = (np.append(own.steps, self.found.horizon) for own in self.sides)
        edges = np.unique(np.divide.outer(ours[ours > 0], others[others > 0]))
        if len(edges) <= MAX_EDGES:
            return edges
        places = np.linspace(0, len(edges) - 1, MAX_EDGES).round().astype(np.int64)
        return np.asarray(edges[places])
