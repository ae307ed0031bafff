"""Do two algorithms differ on any task? Shares of variation, summed over tasks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.adjustments import TIE
from curvewise.kernels.pvalues import pvalue
from curvewise.kernels.relabelling.products import Products
from curvewise.kernels.relabelling.restriction import WithinBlocks
from curvewise.questions.tasks.evidence import Anywhere
from curvewise.shuffling.plan import MAX_IN_NUMPY, Limits
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.relabelling.restriction import Restriction
    from curvewise.kernels.tasks.shares import TaskShares
    from curvewise.questions.tasks.one_task import OneTask
    from curvewise.shuffling.tally import Measured

__all__ = ["LIMITS", "ListedShares", "ShuffledShares", "judge_anywhere"]

# All tasks are shuffled at once, in NumPy: "auto" and "precise" give up after seconds.
LIMITS = Limits(shuffles=2**20)


def judge_anywhere(
    tasks: Sequence[OneTask], work: Work, alpha: float
) -> tuple[Anywhere, Anywhere]:
    """Test the sums of shares over all tasks: of heights, and of whole curves.

    All relabellings are visited where they are few, else a sample, also where all are asked for
    and there are more than ten million. The order of the tasks decides which shuffles a sample
    has.
    """
    observed = np.sum([own.shares.observed for own in tasks], axis=0)
    slack = np.sum([own.shares.slack for own in tasks], axis=0)
    least = observed - 2 * slack - TIE * observed
    listed = [own.listed.shares for own in tasks if own.listed is not None]
    restriction: Restriction
    statistic: Statistic
    if len(listed) == len(tasks):
        restriction = Products(tuple(own.shape[1] for own in listed))
        statistic = ListedShares.of(listed, least)
    else:
        shares = tuple(own.shares for own in tasks)
        restriction, statistic = _together(shares), ShuffledShares(shares, least)
    if work.exact and restriction.count > MAX_IN_NUMPY:
        work = replace(work, exact=False)
    plan = work.plan(restriction, levels=(alpha,), limits=LIMITS)
    found = work.visit(plan, statistic)
    by_runs = float(
        np.exp(-np.sum([np.log(own.shares.restriction.count) for own in tasks]))
    )
    smallest = by_runs if found.exact else max(by_runs, 1 / (1 + found.n_visited))
    heights, curves = (
        Anywhere(
            statistic=float(value),
            pvalue=pvalue(int(count), found.n_visited, exact=found.exact),
            n_extreme=int(count),
            exact=found.exact,
            n_shuffles=found.n_visited,
            smallest_pvalue=smallest,
            alpha=alpha,
        )
        for value, count in zip(observed, found.counts[0], strict=True)
    )
    return heights, curves


def _together(tasks: Sequence[TaskShares]) -> WithinBlocks:
    """Return the relabellings of the runs of all tasks, put after each other."""
    labels, blocks, n_blocks = [], [], 0
    for own in tasks:
        labels.append(own.labels)
        blocks.append(own.blocks + n_blocks)
        n_blocks += int(own.blocks.max()) + 1
    return WithinBlocks(np.concatenate(labels), np.concatenate(blocks))


@dataclass(frozen=True, eq=False)
class ListedShares(Statistic):
    """Sums of shares that were listed; a relabelling is a rank in the list of each task."""

    shares: Floats  # (2, all relabellings of all tasks, after each other)
    starts: Integers  # where each task begins
    least: Floats  # (2,)

    @classmethod
    def of(cls, listed: Sequence[Floats], least: Floats) -> ListedShares:
        """Put the lists of all tasks after each other."""
        ends = np.cumsum([own.shape[1] for own in listed])
        starts = np.concatenate([[0], ends[:-1]])
        return cls(np.concatenate(listed, axis=1), starts, least)

    def measure(self, labels: Integers, *, keep: bool) -> Measured:  # noqa: ARG002
        """Count the relabellings of a batch with sums as large."""
        sums = self.shares[:, labels + self.starts].sum(axis=2)
        return (np.sum(sums >= self.least[:, None], axis=1),), ()


@dataclass(frozen=True, eq=False)
class ShuffledShares(Statistic):
    """Sums of shares of tasks with too many relabellings to be listed."""

    tasks: tuple[TaskShares, ...]
    least: Floats  # (2,)

    chunk = 4

    def measure(self, labels: Integers, *, keep: bool) -> Measured:  # noqa: ARG002
        """Count the relabellings of a batch with sums as large."""
        sums = np.zeros((2, len(labels)))
        start = 0
        for own in self.tasks:
            stop = start + len(own.labels)
            sums += own.shares(labels[:, start:stop])
            start = stop
        return (np.sum(sums >= self.least[:, None], axis=1),), ()
