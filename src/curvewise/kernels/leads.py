"""How far groups lead each other by their own variances, in many shuffles of one number a run.

The sizes of groups are the same in every shuffle, so the runs of all shuffles can be lined up group
after group, and every step is one operation on whole arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova.thresholds import EPSILON
from curvewise.kernels.contrasts import student_t
from curvewise.kernels.relabelling.cache import cached_batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Floats, Integers

__all__ = ["GroupMoments", "runs_by_group"]


@dataclass(frozen=True, eq=False)
class GroupMoments:
    """Sums and squared deviations of every group, in each of several shuffles.

    Attributes
    ----------
    sizes : array of int, (n_groups,)
    sums, squares : array, (n_groups, n_shuffles)
        Of the values of each group, and of their deviations from its mean.
    floors : array, (n_shuffles,)
        A variance of a mean that is no larger than this is rounding.
    """

    sizes: Integers
    sums: Floats
    squares: Floats
    floors: Floats

    @classmethod
    def of(cls, values: Floats, labels: Integers) -> GroupMoments:
        """Add up ``values``, (n_runs,), by ``labels``, (n_shuffles, n_runs)."""
        return cls.of_sets([values], [labels])

    @classmethod
    def of_sets(
        cls, values: Sequence[Floats], labels: Sequence[Integers]
    ) -> GroupMoments:
        """Add up several sets of runs with groups of the same sizes, their shuffles in a row."""
        sizes = np.bincount(labels[0][0])
        lined_up = np.concatenate(
            [
                own.take(runs_by_group(shuffled))
                for own, shuffled in zip(values, labels, strict=True)
            ],
            axis=1,
        )
        floors = np.repeat(
            [64 * EPSILON * float(own @ own) for own in values],
            [len(shuffled) for shuffled in labels],
        )
        if len(set(sizes.tolist())) == 1:
            parts = _added_up(lined_up.reshape(len(sizes), -1, lined_up.shape[1]))
            return cls(sizes, *parts, floors)
        ends = np.cumsum(sizes)[:-1]
        each = [_added_up(own[None]) for own in np.split(lined_up, ends)]
        sums, squares = (np.concatenate(part) for part in zip(*each, strict=True))
        return cls(sizes, sums, squares, floors)

    def largest_welch_t(self) -> Floats:
        """Return the largest t of any group less each group; (n_groups, n_shuffles).

        Each t is divided by the variances of its own two groups, which need two runs or more.
        """
        sizes = self.sizes[:, None]
        means = self.sums / sizes
        errors = self.squares / (sizes * (sizes - 1))
        vary = bool((errors.min(axis=0) > self.floors).all())
        if not vary:
            errors[errors <= self.floors] = 0.0
        leads = np.full(means.shape, -np.inf)
        for group in range(len(means) - 1):
            others = slice(group + 1, None)
            ahead, error = means[group] - means[others], errors[group] + errors[others]
            # Without any error of 0, dividing is all there is to it.
            t = (
                np.divide(ahead, np.sqrt(error, out=error), out=ahead)
                if vary
                else student_t(ahead, error, 1, self.floors)
            )
            np.maximum(leads[others], t, out=leads[others])
            np.maximum(leads[group], -t.min(axis=0), out=leads[group])
        return leads

    def between(self, factor: Floats) -> Floats:
        """Return the sum of squares between the groups, as `group_squares` does; (n_shuffles,).

        The values must be less the mean of their block.
        """
        return np.asarray(np.sum((factor.T @ self.sums[:-1]) ** 2, axis=0))


def _added_up(values: Floats) -> tuple[Floats, Floats]:
    """Return sums and squared deviations along the middle axis, changing the values in place."""
    sums = values.sum(axis=1)
    # Deviations are squared: as a difference of squares a small variance loses its digits.
    values -= (sums / values.shape[1])[:, None]
    np.square(values, out=values)
    return sums, values.sum(axis=1)


def runs_by_group(labels: Integers) -> Integers:
    """Return which runs each group has, group after group; (n_runs, n_shuffles).

    ``labels`` is (n_shuffles, n_runs), with groups of the same sizes in every shuffle. Inside
    `shared_batches` labels that were seen before are not sorted again.

    >>> runs_by_group(np.array([[0, 1, 0], [1, 0, 0]])).T.tolist()
    [[0, 2, 1], [1, 2, 0]]
    """
    key = ("runs by group", labels.shape, labels.T.tobytes())
    return cached_batch(key, partial(_runs_by_group, labels)).astype(np.intp)


def _runs_by_group(labels: Integers) -> Integers:
    n_shuffles, n_runs = labels.shape
    starts = n_runs * np.arange(n_shuffles)[:, None]
    runs = [
        (np.flatnonzero(labels == group).reshape(n_shuffles, -1) - starts).T
        for group in range(int(labels[0].max()) + 1)
    ]
    # Rows of memory are runs: sums over the runs of a group then go along whole rows.
    return np.concatenate(runs).astype(np.min_scalar_type(n_runs), order="C")
