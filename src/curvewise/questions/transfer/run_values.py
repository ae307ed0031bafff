"""What each run adds to the metrics that are linear in the runs, in any relabelling.

A jump-start, an asymptotic advantage and an average gain are differences of two means of one
number for each run. Regret is such a difference in other units, and the transfer ratio and the
calibrated transfer ratio are ratios of two means; at no effect all three are tested as the
difference of the areas is. Times to a threshold are tested as the difference of the log-rank
scores of the runs is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.anova.sums import centred
from curvewise.kernels.survival import log_rank_scores, score_noise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.survival import Times
    from curvewise.shuffling.layout import Layout

__all__ = ["DIFFERENCES", "TESTED", "RunValues", "ShuffledSums"]

DIFFERENCES = ("average_gain", "jumpstart", "asymptotic_advantage")
TESTED = (*DIFFERENCES, "log_rank")


class ShuffledSums(NamedTuple):
    """Sums over the runs that each relabelling calls experimental.

    ``rows`` is (8, n_relabellings): the numbers of the three differences and the log-rank
    scores, the membership of the experimental condition, and the three columns of
    ``RunValues.areas``.
    """

    rows: Floats

    def of(self, name: str) -> Floats:
        """Return the sums of a difference, or of the log-rank scores."""
        return np.asarray(self.rows[TESTED.index(name)])

    @property
    def likeness(self) -> Floats:
        """The sums of the memberships."""
        return np.asarray(self.rows[len(TESTED)])

    @property
    def areas(self) -> tuple[Floats, Floats, Floats]:
        """The areas of experimental and control runs, and how many are experimental."""
        experimental, control, count = self.rows[len(TESTED) + 1 :]
        return experimental, control, count


@dataclass(frozen=True, eq=False)
class RunValues:
    """The numbers of each run behind the three differences, the times, and the ratios.

    Attributes
    ----------
    contrasts : mapping from metric to array, (n_runs, 2)
        The number of each run, in units of ``unit`` if it is one of scores, and its membership
        of the experimental condition; both less the mean of their block.
    slack : mapping from metric to float
        How far rounding can move a sum of these numbers, and that of a relabelling.
    areas : array, (n_runs, 3)
        The mean score, higher being better, of experimental and of control runs, and whether
        a run is experimental; 0 for the others.
    unit : float
        A power of two.
    """

    contrasts: Mapping[str, Floats]
    slack: Mapping[str, float]
    areas: Floats
    unit: float

    @cached_property
    def observed(self) -> Mapping[str, tuple[float, float]]:
        """The sums of each contrast over the experimental runs."""
        chosen = self.areas[:, 2] == 1
        return {
            name: (float(number), float(membership))
            for name, contrast in self.contrasts.items()
            for number, membership in [contrast[chosen].sum(axis=0)]
        }

    def least(self, name: str) -> float:
        """Return the smallest sum, in size, that is at least as extreme as the observed one."""
        return max(abs(self.observed[name][0]) - self.slack[name], 0.0)

    def sums(self, labels: Integers) -> ShuffledSums:
        """Return the sums over the runs that relabellings call experimental, 1."""
        chosen = labels.astype(np.float64)
        parts = {name: chosen @ own for name, own in self.contrasts.items()}
        numbers = np.stack([part[:, 0] for part in parts.values()])
        likeness = next(iter(parts.values()))[:, 1]
        return ShuffledSums(np.vstack([numbers, likeness, (chosen @ self.areas).T]))

    def counts(self, sums: ShuffledSums) -> Integers:
        """Count the relabellings at least as extreme as the observed one, in each of TESTED."""
        return np.array(
            [np.sum(np.abs(sums.of(name)) >= self.least(name)) for name in TESTED],
            dtype=np.int64,
        )

    @classmethod
    def of(
        cls,
        layout: Layout,
        scores: Floats,
        member: Integers,
        weights: Floats,
        n_last: int,
        times: Times,
    ) -> RunValues:
        """Measure the runs of a layout.

        ``scores`` are those of its runs, higher being better, ``member`` is 1 for experimental
        runs, ``weights`` are those of the steps in areas, and ``times`` those to a threshold.
        """
        deviations = centred(layout.scores, layout.blocks)
        membership = centred(member[:, None].astype(np.float64), layout.blocks)
        shares = weights / weights.sum()
        # With equal weights these are the curve means that are compared elsewhere, digit for
        # digit.
        is_equal = bool(np.all(weights == weights[0]))
        means = deviations.mean(axis=1) if is_equal else deviations @ shares
        numbers = {
            "average_gain": means,
            "jumpstart": deviations[:, 0],
            "asymptotic_advantage": deviations[:, -n_last:].mean(axis=1),
            "log_rank": centred(log_rank_scores(times)[:, None], layout.blocks)[:, 0],
        }
        # Rounding moves the table along any direction by no more than its noise.
        noise = {
            "average_gain": layout.noise * math.sqrt(float(shares @ shares)),
            "jumpstart": float(layout.step_noise[0]),
            "asymptotic_advantage": math.sqrt(
                float(np.sum(layout.step_noise[-n_last:] ** 2)) / n_last
            ),
        }
        spread = math.sqrt(float(membership[member == 1].sum()))
        slack = {name: 2 * own * spread for name, own in noise.items()}
        slack["log_rank"] = 2 * score_noise(log_rank_scores(times))
        areas = scores @ shares
        is_experimental = member.astype(np.float64)
        return cls(
            {name: np.hstack([numbers[name][:, None], membership]) for name in TESTED},
            slack,
            np.stack(
                [
                    areas * is_experimental,
                    areas * (1 - is_experimental),
                    is_experimental,
                ],
                axis=1,
            ),
            layout.unit,
        )
