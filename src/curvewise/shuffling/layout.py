"""Curves as they are shuffled: in an order, and in units, that depend on scores alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova.thresholds import rounding, step_rounding
from curvewise.kernels.relabelling.restriction import WithinBlocks

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats, Integers

__all__ = ["Layout"]


@dataclass(frozen=True, eq=False)
class Layout:
    """Runs put in order by block and score, centred and scaled.

    The order in which runs came changes no digit, and neither do their names.

    Attributes
    ----------
    scores : array, (n_runs, n_steps)
        Minus their mean, divided by ``unit``.
    labels, blocks : array, (n_runs,)
        The algorithm and the block of each run, as numbers.
    unit : float
        A power of two, so that dividing changes no digit and squares stay in range.
    noise : float
        How far rounding can move the table of scores, in these units.
    step_noise : array, (n_steps,)
        How far it can move each column.
    order : array, (n_runs,)
        Which run of the curves stands where.
    """

    scores: Floats
    labels: Integers
    blocks: Integers
    unit: float
    noise: float
    step_noise: Floats
    order: Integers

    @cached_property
    def restriction(self) -> WithinBlocks:
        """The relabellings that are allowed: inside blocks."""
        return WithinBlocks(self.labels, self.blocks)

    @classmethod
    def of(cls, curves: Curves) -> Layout:
        """Lay out the curves."""
        order, blocks = _canonical_order(curves)
        deviations = curves.scores[order]
        deviations = deviations - deviations.mean()
        unit = 2.0 ** math.frexp(float(np.abs(deviations).max()))[1]
        noise = rounding(curves.scores, curves.precision) / unit
        by_step = step_rounding(curves.scores, curves.precision) / unit
        labels = curves.codes[order]
        return cls(deviations / unit, labels, blocks, unit, noise, by_step, order)


def _canonical_order(curves: Curves) -> tuple[Integers, Integers]:
    """Order runs by block and score; return the order, and the block of each run in it.

    The order must not depend on the labels, or relabellings would no longer be
    exchangeable.
    """
    scores = curves.scores
    varying = np.flatnonzero(scores.max(axis=0) > scores.min(axis=0))[:64]
    leading = scores[:, varying[0]] if len(varying) else scores.mean(axis=1)
    by_score = np.argsort(leading)
    if (np.diff(leading[by_score]) == 0).any():
        keys = [scores.mean(axis=1), *(scores[:, step] for step in reversed(varying))]
        by_score = np.lexsort(keys)
    if curves.blocks is None:
        return by_score, np.zeros(curves.n_runs, dtype=np.int64)
    rank = np.empty(curves.n_runs, dtype=np.int64)
    rank[by_score] = np.arange(curves.n_runs)
    first = {name: int(rank[curves.blocks == name].min()) for name in set(curves.blocks)}
    blocks = np.array([first[name] for name in curves.blocks])
    order = np.lexsort([rank, blocks])
    return order, np.unique(blocks[order], return_inverse=True)[1]
