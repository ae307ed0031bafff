"""Gaussian multipliers: how far chance moves aggregates, at all places at once.

Every run is multiplied by a normal number of its own at all of its steps, so that whole runs move
and steps stay as dependent as they are. Numbers are drawn in batches of a size that follows from
the data alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.pvalues import upper_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Floats
    from curvewise.kernels.aggregates import StratifiedRuns

__all__ = ["largest_moves", "profile_reach"]

MAX_CELLS = 2**18  # multipliers × steps of a batch


def largest_moves(
    residuals: Sequence[Floats],
    wanted: Sequence[tuple[tuple[int, ...], Floats]],
    n_multipliers: int,
    keys: Sequence[int],
) -> Floats:
    """Return the largest move over all steps, for each of ``wanted`` and each multiplier.

    Parameters
    ----------
    residuals : for each algorithm an array, (n_runs, n_steps)
    wanted : pairs of places and scales
        One place for an algorithm, two for the first less the second; moves are divided by the
        scales, (n_steps,), and steps whose scale is 0 do not move.
    n_multipliers : int
    keys : for each algorithm an integer
        The seeds of the multipliers.

    Returns
    -------
    array, (len(wanted), n_multipliers)
    """
    n_steps = residuals[0].shape[1]
    batch = max(1, MAX_CELLS // n_steps)
    streams = [np.random.default_rng(key) for key in keys]
    inverse = [
        np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
        for _, scale in wanted
    ]
    found = np.empty((len(wanted), n_multipliers))
    for start in range(0, n_multipliers, batch):
        size = min(batch, n_multipliers - start)
        moves = [
            stream.standard_normal((size, len(own))) @ own
            for stream, own in zip(streams, residuals, strict=True)
        ]
        for row, (places, _) in enumerate(wanted):
            move = moves[places[0]]
            if len(places) == 2:
                move = move - moves[places[1]]
            largest = np.abs(move * inverse[row]).max(axis=1)
            found[row, start : start + size] = largest
    return found


def profile_reach(
    runs: StratifiedRuns, confidence: float, n_multipliers: int, key: int
) -> float:
    """Return half the width of the band of a performance profile, the same everywhere.

    ``runs`` have one score each. The half-width is a quantile of the largest move of the share
    of runs above τ, at any τ, plus half of the heaviest run, since profiles jump; or that of
    Dvoretzky, Kiefer and Wolfowitz (Massart 1990), which looks at no variation, where it is
    smaller.

    Dividing moves by their standard error, as for aggregates of scores, does not hold here:
    beyond the best and the worst run nothing varies, and the true profile is not 0 or 1 yet.
    """
    alpha, weights, sizes = 1 - confidence, runs.weights, runs.sizes
    scale = weights * np.sqrt(sizes / (sizes - 1))[runs.tasks]
    order = np.argsort(runs.scores[:, 0], kind="stable")[::-1]
    ranked = runs.scores[order, 0]
    ends = np.flatnonzero(np.append(ranked[:-1] != ranked[1:], True))
    by_task = np.argsort(runs.tasks, kind="stable")
    firsts = np.cumsum(sizes) - sizes
    stream = np.random.default_rng(key)
    batch = max(1, MAX_CELLS // len(weights))
    largest = np.empty(n_multipliers)
    for start in range(0, n_multipliers, batch):
        size = min(batch, n_multipliers - start)
        drawn = stream.standard_normal((size, len(weights)))
        means = np.add.reduceat(drawn[:, by_task], firsts, axis=1) / sizes
        centred = (drawn - means[:, runs.tasks]) * scale
        # A run is above every τ below its score: moves are sums from the highest score down.
        moves = np.cumsum(centred[:, order], axis=1)[:, ends]
        largest[start : start + size] = np.abs(moves).max(axis=1)
    reach = upper_quantile(largest, alpha) + float(weights.max()) / 2
    bound = math.sqrt(math.log(2 / alpha) / 2 * float(weights @ weights))
    return min(reach, bound)
