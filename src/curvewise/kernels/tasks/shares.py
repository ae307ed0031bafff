"""Sums over tasks of the share of variation that two groups explain in each.

The share of heights is SS_alg over the total of curve heights, and that of whole curves
SS_alg + SS_int over the total of curves; no relabelling changes a total, so that every task
counts by its own scale. The two groups are relabelled inside each task.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.anova.sums import factored_sums
from curvewise.kernels.contrasts import is_mirrored
from curvewise.kernels.relabelling.restriction import WithinBlocks
from curvewise.kernels.relabelling.streams import BATCH

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova.design import Design

__all__ = ["MAX_LISTED", "Listed", "TaskShares"]

# Relabellings of a task that are all looked at; of more, each shuffle has its own.
MAX_LISTED = 25_000


class Listed(NamedTuple):
    """The shares of all relabellings of a task; and how many have so large a lead."""

    shares: (
        Floats  # (2, n_relabellings), heights and whole curves, each in ascending order
    )
    n_up: (
        int  # relabellings whose lead is at least the observed one, of both mirror images
    )
    n_down: int  # at most
    n_all: int


@dataclass(frozen=True, eq=False)
class TaskShares:
    """One task, in the form in which its shares are shuffled.

    Attributes
    ----------
    design : Design
        Of two groups.
    labels, blocks : array, (n_runs,)
    noise : float
        How far rounding can move the table, as a distance.
    """

    design: Design
    labels: Integers
    blocks: Integers
    noise: float

    @cached_property
    def restriction(self) -> WithinBlocks:
        """The relabellings that are allowed."""
        return WithinBlocks(self.labels, self.blocks)

    @property
    def totals(self) -> Floats:
        """The sums of squares of heights and of whole curves, which no relabelling changes."""
        heights, shapes = self.design.totals
        return np.array([heights, heights + shapes])

    def shares(self, labels: Integers) -> Floats:
        """Return the shares of relabellings; (2, n_relabellings). 0 where nothing varies."""
        return self._parts(labels)[0]

    def _parts(self, labels: Integers) -> tuple[Floats, Floats]:
        """Return the shares, and u of the height, whose square is SS_alg."""
        (sums,) = factored_sums(labels, self.design.coordinates, self.design.factor)
        squares = np.stack([sums[:, 0] ** 2, np.sum(sums**2, axis=1)])
        totals = self.totals[:, None]
        shares = np.zeros_like(squares)
        np.divide(squares, totals, out=shares, where=totals > 0)
        return shares, sums[:, 0]

    @cached_property
    def observed(self) -> Floats:
        """The shares as observed; (2,)."""
        return self.shares(self.labels[None, :])[:, 0]

    def leads(self, labels: Integers) -> Floats:
        """Return u of the height, above 0 where the first group's mean is higher."""
        return self._parts(labels)[1]

    @property
    def lead(self) -> float:
        """Return u of the height as observed."""
        return float(self.leads(self.labels[None, :])[0])

    @property
    def n_labellings(self) -> int:
        """How many relabellings there are, with both of two mirror images."""
        return self.restriction.count * (1 + is_mirrored(self.labels, self.blocks))

    @cached_property
    def slack(self) -> Floats:
        """How far rounding can move each share; (2,)."""
        slack = np.zeros(2)
        totals = self.totals
        # Rounding moves the root of a share, which is at most 1, by no more than this.
        np.divide(2 * self.noise, np.sqrt(totals), out=slack, where=totals > 0)
        return np.minimum(2 * slack + slack**2, 1.0)

    def listed(self) -> Listed:
        """Look at all relabellings."""
        every = self.restriction.every()
        batches = [every.batch(number) for number in range(-(-every.count // BATCH))]
        parts = [self._parts(batch) for batch in batches]
        leads = np.concatenate([part[1] for part in parts])
        if is_mirrored(self.labels, self.blocks):
            # An enumeration visits one of two mirror images.
            leads = np.concatenate([leads, -leads])
        shares = np.sort(np.concatenate([part[0] for part in parts], axis=1), axis=1)
        tie = 2 * self.noise
        return Listed(
            shares,
            int(np.sum(leads >= self.lead - tie)),
            int(np.sum(leads <= self.lead + tie)),
            len(leads),
        )
