"""Curves that come in batches, and many data sets of them looked at together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise import Curves
from curvewise.kernels.sequential import Ranking, rejected_by, spent_shares
from curvewise.questions.monitor.method import drawn_relabellings, look_statistics
from tests.simulation import autoregressive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Floats, Integers

SETS_PER_SHUFFLES = 50  # data sets that share relabellings


def batched(
    seed: int,
    n_batches: int = 3,
    size: int = 4,
    heights: Sequence[float] = (0.0, 0.0),
    n_steps: int = 6,
    *,
    shift: float = 2.0,
) -> Curves:
    """AR(1) curves of algorithms A, B, … in batches 1, 2, …, each shifted by as much as drawn."""
    rng = np.random.default_rng(seed)
    scores, labels, batches = [], [], []
    for batch in range(1, n_batches + 1):
        moved = shift * rng.normal()
        for name, height in zip("ABCDEFGH", heights, strict=False):
            scores.append(autoregressive(rng, size, n_steps) + height + moved)
            labels += [name] * size
            batches += [str(batch)] * size
    return Curves(np.vstack(scores), labels, blocks=batches)


def first(curves: Curves, n_batches: int) -> Curves:
    """The runs of the first batches only."""
    assert curves.blocks is not None
    there = [row for row, name in enumerate(curves.blocks) if int(name) <= n_batches]
    return rows_of(curves, there)


def rows_of(curves: Curves, rows: Sequence[int] | Integers) -> Curves:
    """These runs, in this order."""
    assert curves.blocks is not None
    chosen = np.asarray(rows)
    return Curves(
        curves.scores[chosen],
        curves.labels[chosen],
        curves.steps,
        curves.runs[chosen],
        curves.blocks[chosen],
    )


def looks_of_rejection(
    scores: Floats,
    n_batches: int,
    size: int,
    spending: str = "linear",
    *,
    alpha: float = 0.05,
    n_shuffles: int = 199,
) -> Integers:
    """At which look overall, height and shape are rejected; 0 for never; (3, n_tables).

    In a batch the runs of the first algorithm come first; ``scores`` is (n_tables, n_runs,
    n_steps).
    """
    shares = spent_shares(spending, n_batches, alpha)
    batches = np.repeat(np.arange(n_batches), 2 * size)
    found = np.zeros((3, len(scores)), dtype=np.int64)
    for start in range(0, len(scores), SETS_PER_SHUFFLES):
        part = scores[start : start + SETS_PER_SHUFFLES]
        labels = [np.repeat([0, 1], size)] * n_batches
        looks, observed = drawn_relabellings(labels, n_shuffles, seed=start)
        paths: list[list[list[Ranking]]] = [[[] for _ in part] for _ in range(3)]
        for relabelled in looks:
            n_runs = relabelled.shape[1]
            values, tied = look_statistics(part[:, :n_runs], batches[:n_runs], relabelled)
            for effect in range(3):
                for table, path in enumerate(paths[effect]):
                    own = values[effect, table], float(tied[effect, table])
                    path.append(Ranking.of(*own, observed))
        for effect in range(3):
            for table, path in enumerate(paths[effect]):
                look = rejected_by(path, shares, observed, alpha)
                found[effect, start + table] = look or 0
    return found


def null_tables(seed: int, n_tables: int, n_batches: int, size: int, n_steps: int = 10) -> Floats:
    """Tables without any difference, whose batches are two standard deviations apart."""
    rng = np.random.default_rng(seed)
    n_runs = 2 * size * n_batches
    scores = autoregressive(rng, n_tables * n_runs, n_steps)
    scores = scores.reshape(n_tables, n_runs, n_steps)
    return scores + 2.0 * np.repeat(np.arange(n_batches), 2 * size)[:, None]
