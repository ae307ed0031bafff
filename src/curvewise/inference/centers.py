"""Typical runs: what of an algorithm's runs is compared, where a few of them may have failed.

The trimmed mean and the ranks of curve means, as `compare`, `contrast` and `best` use them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np

from curvewise.errors import CurvesError, OptionError
from curvewise.inference.effects import Center
from curvewise.inference.requirements import check_choice
from curvewise.kernels.center_shifts import Shifted, rank_ends, trimmed_ends
from curvewise.kernels.centers import (
    MIN_RUNS_TRIMMED,
    midranks,
    pairwise_differences,
    trimmed_means,
    trimmed_spread,
)
from curvewise.kernels.contrasts import is_mirrored
from curvewise.kernels.inversion import agreeing
from curvewise.kernels.relabelling.streams import BATCH
from curvewise.shuffling.plan import Limits
from curvewise.shuffling.visiting import MAX_KEPT_BATCHES, Statistic
from curvewise.text import argument, plural

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.relabelling.restriction import Relabellings
    from curvewise.shuffling.layout import Layout
    from curvewise.shuffling.plan import Plan
    from curvewise.shuffling.tally import Measured

__all__ = [
    "TRIMMED_LIMITS",
    "RunNumbers",
    "TrimmedSpread",
    "check_center",
    "check_center_alone",
]

# Every relabelling cuts off other runs, in NumPy: "auto" and "precise" give up after a minute.
TRIMMED_LIMITS = Limits(shuffles=2**22)


def check_center(curves: Curves, center: Center) -> None:
    """Raise unless the centre is known, and the runs are enough and not in blocks for it."""
    check_choice("center", center, get_args(Center))
    if center != "trimmed":
        return
    trimmed, mean = argument("center", "trimmed"), argument("center", "mean")
    if curves.blocks is not None:
        msg = (
            f"{trimmed} needs runs that are not in blocks: a block holds too few runs of an "
            f"algorithm to cut some off. Use {argument('center', 'ranks')} or {mean}, or leave "
            "the blocks out if runs do not really share them."
        )
        raise CurvesError(msg)
    for name, size in zip(curves.algorithms, curves.sizes, strict=True):
        if size < MIN_RUNS_TRIMMED:
            msg = (
                f"{trimmed} needs at least {MIN_RUNS_TRIMMED} runs of every algorithm, and "
                f"{name!r} has {plural(size, 'run')}. Add runs, or use {mean}."
            )
            raise CurvesError(msg)


def check_center_alone(center: Center, option: str, value: str, remedy: str) -> None:
    """Raise if another option does not go with a centre other than the mean."""
    if center == "mean":
        return
    msg = (
        f"{argument(option, value)} is for means, and does not go with "
        f"{argument('center', center)}. Use {argument(option, remedy)} or "
        f"{argument('center', 'mean')}."
    )
    raise OptionError(msg, option="center")


@dataclass(frozen=True, eq=False)
class TrimmedSpread(Statistic):
    """How far apart the trimmed means of a relabelling are; how many are as far, and kept."""

    numbers: Floats
    least: float

    @classmethod
    def of(cls, runs: RunNumbers) -> TrimmedSpread:
        """Compute the observed spread; what rounding can set apart is a tie."""
        observed = float(trimmed_spread(runs.labels[None, :], runs.numbers)[0])
        return cls(runs.numbers, observed - 2 * runs.tie)

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the relabellings of a batch that are as far apart; keep how far."""
        spread = trimmed_spread(labels, self.numbers)
        return (np.array([np.sum(spread >= self.least)]),), ((spread,) if keep else ())


@dataclass(frozen=True, eq=False)
class RunNumbers:
    """One number for each run, such as the mean of its curve, in the units of a layout.

    ``tie`` is how far rounding can set two of them, or two differences of centres, apart.
    """

    numbers: Floats
    labels: Integers
    blocks: Integers
    tie: float

    @classmethod
    def of(cls, layout: Layout, profile: Floats | None = None) -> RunNumbers:
        """Take the mean of each curve, or the sum of its scores weighted by a profile."""
        weights = 1.0
        if profile is None:
            numbers = layout.scores.mean(axis=1)
        else:
            numbers = layout.scores @ profile
            weights = float(np.abs(profile).sum())
        tie = 2 * weights * layout.noise / np.sqrt(layout.scores.size)
        return cls(numbers, layout.labels, layout.blocks, float(tie))

    def ranks(self) -> Floats:
        """Return the rank of each run in its block, whatever its label."""
        return midranks(self.numbers, self.blocks, self.tie)

    def trimmed(self) -> Floats:
        """Return the trimmed mean of each algorithm."""
        return trimmed_means(self.labels[None, :], self.numbers)[:, 0]

    def shift(self, center: Center) -> float:
        """Return how far the first of two algorithms lies above the second.

        By ranks, that is the median of all differences of two runs (of one block).
        """
        if center == "ranks":
            differences = pairwise_differences(self.numbers, self.labels, self.blocks)
            value = float(np.median(differences))
        else:
            first, second = self.trimmed()
            value = float(first - second)
        return 0.0 if abs(value) <= self.tie else value

    def ends(
        self,
        center: Center,
        plan: Plan,
        pvalue: float,
        alpha: float,
        *,
        two_sided: bool = True,
    ) -> tuple[float, float]:
        """Return the ends of all shifts that the test does not reject.

        ``pvalue`` is that of no shift: the interval leaves out 0 exactly if it is at most alpha.
        """
        relabelled = _relabelled(_kept(plan))
        if plan.keeps_all and not two_sided and is_mirrored(self.labels, self.blocks):
            # An enumeration visits one of two mirror images.
            relabelled = np.concatenate([relabelled, 1 - relabelled])
        test = Shifted(
            self.numbers,
            self.labels,
            self.blocks,
            relabelled,
            self.tie,
            alpha,
            exact=plan.keeps_all,
            two_sided=two_sided,
        )
        ends = rank_ends(test) if center == "ranks" else trimmed_ends(test)
        if all(map(np.isinf, ends)):
            return ends
        # Where p comes from more relabellings than the interval, or 0 is the very difference of
        # two runs, an end may lie on the wrong side of 0 by as little as that can do.
        beside = np.array([-self.tie, self.tie])
        return agreeing(ends, self.shift(center), 0.0, beside, rejected=pvalue <= alpha)


def _kept(plan: Plan) -> Relabellings:
    """Return the relabellings that values are kept of: all, or a sample."""
    if plan.keeps_all:
        return plan.relabellings
    most = MAX_KEPT_BATCHES * BATCH
    if plan.exact:
        return plan.restriction.drawn(most, seed=0)
    return plan.restriction.drawn(min(plan.n_shuffles, most), plan.key)


def _relabelled(relabellings: Relabellings) -> Integers:
    n_batches = -(-relabellings.count // BATCH)
    # One byte a label: there are two of them.
    return np.concatenate(
        [relabellings.batch(number).astype(np.int8) for number in range(n_batches)]
    )
