"""The shuffle test itself: visit relabellings, count the extreme ones, keep a null."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova import group_squares
from curvewise.kernels.enumeration import Enumeration
from curvewise.kernels.shuffles import BATCH, Shuffles
from curvewise.parallel import in_chunks

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.design import Design

__all__ = ["MOST_KEPT", "Relabellings", "Visited", "visit"]

Relabellings = Enumeration | Shuffles

# A null distribution is kept for plots and critical values; more would add no digit.
MOST_KEPT = 1_000_000
CHUNK = 64  # batches to a task: tens of milliseconds of work


@dataclass(frozen=True, eq=False)
class Visited:
    """What the relabellings gave: counts over all, sums of squares of those kept.

    ``n_extreme`` is in the order of `kernels.extremes`. ``contrast`` has, for two groups, the sums
    of curve means and memberships over the first group of each relabelling kept.
    """

    count: int
    n_extreme: Integers
    between: Floats
    contrast: Floats


def visit(
    relabellings: Relabellings, design: Design, *, n_jobs: int = 1, chunk: int = CHUNK
) -> Visited:
    """Visit every relabelling; neither ``n_jobs`` nor ``chunk`` changes a digit."""
    n_batches = -(-relabellings.count // BATCH)
    # Part of a sample is a sample too; part of an enumeration would be a corner of it.
    sampled = isinstance(relabellings, Shuffles)
    n_kept = -(-MOST_KEPT // BATCH) if sampled else n_batches
    work = partial(_visit_batches, relabellings, design, n_kept)
    done = in_chunks(work, n_batches, chunk=chunk, n_jobs=n_jobs)
    n_extreme, between, contrast = zip(*done, strict=True)
    return Visited(
        relabellings.count,
        np.sum(n_extreme, axis=0),
        np.concatenate(between, axis=1),
        np.concatenate(contrast),
    )


def _visit_batches(
    relabellings: Relabellings, design: Design, n_kept: int, batches: range
) -> tuple[Integers, Floats, Floats]:
    n_extreme = np.zeros(5, dtype=np.int64)
    kept, contrasts = [np.empty((2, 0))], [np.empty((0, 2))]
    for number in batches:
        labels = relabellings.batch(number)
        # Always a whole batch at a time: matrix products of other shapes may differ in
        # their last bit, and results must not depend on how work is portioned out.
        between = group_squares(labels, design.coordinates, design.factor)
        n_extreme += design.limits.n_extreme(between)
        if number < n_kept:
            kept.append(between)
            if design.contrast is not None:
                contrasts.append((labels == 0).astype(np.float64) @ design.contrast)
    return n_extreme, np.concatenate(kept, axis=1), np.concatenate(contrasts)
