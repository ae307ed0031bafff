"""How often common tests find a difference between two halves of the same runs.

The tests are those that people use on learning curves: an analysis of variance that takes all
scores for independent (Cohen 1995), Student's t at every step, at the last step, and of the mean
over steps. Of two halves of sizes a and b with mean curves that differ by d_h at step h,

    between_h = a b / (a + b) d_h²    and    within_h = total_h − between_h

are the sums of squares that all of them are made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova.thresholds import EPSILON
from curvewise.kernels.pvalues import f_quantile
from curvewise.kernels.relabelling.restriction import WithinBlocks
from curvewise.kernels.relabelling.streams import BATCH

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers

__all__ = ["TESTS", "halves", "n_halvings", "rejections"]

# The shape is tested with several steps only.
TESTS = ("height", "shape", "every step", "final", "area")


def _restriction(n_runs: int) -> WithinBlocks:
    labels = (np.arange(n_runs) >= n_runs // 2).astype(np.int64)
    return WithinBlocks(labels, np.zeros(n_runs, dtype=np.int64))


def n_halvings(n_runs: int) -> int:
    """Return in how many ways runs can be split in two halves, the smaller one ⌊n / 2⌋.

    >>> n_halvings(5), n_halvings(10)
    (10, 126)
    """
    return _restriction(n_runs).count


def halves(n_runs: int, most: int, key: int) -> Iterator[Integers]:
    """Yield which half each run is in, 0 or 1, in batches of (n_splits, n_runs).

    All splits if there are no more than ``most``, else so many at random.
    """
    restriction = _restriction(n_runs)
    every = restriction.count <= most
    splits = restriction.every() if every else restriction.drawn(most, key)
    for number in range(-(-splits.count // BATCH)):
        yield splits.batch(number)


def rejections(
    scores: Floats, splits: Integers, alpha: float
) -> dict[str, npt.NDArray[np.bool_]]:
    """Return, of each test, in which splits it finds a difference between the halves.

    ``scores`` is (n_runs, n_steps) and ``splits`` (n_splits, n_runs), with as many runs in the
    halves in each; the results are (n_splits,).
    """
    n_runs, n_steps = scores.shape
    df = n_runs - 2
    values = np.column_stack([scores, scores.mean(axis=1)])
    values = values - values.mean(axis=0)
    # What varies by no more than rounding does not vary.
    noise = 8 * EPSILON * np.abs(scores).max()
    values[:, np.ptp(values, axis=0) <= noise] = 0.0
    first = (splits == 0).astype(np.float64)
    n_first = float(first[0].sum())
    sums = first @ values
    # The sums of the halves cancel, so that d is that of one over a b / (a + b).
    between = sums**2 * n_runs / (n_first * (n_runs - n_first))
    total = np.sum(values**2, axis=0)
    within = np.maximum(total - between, 0.0)
    within[within <= 64 * EPSILON * total] = 0.0
    single = _exceeds(between, within, 1, df, alpha)
    of_mean = n_steps * between[:, -1]
    pooled = within[:, :-1].sum(axis=1), n_steps * df
    found = {
        "height": _exceeds(of_mean, pooled[0], 1, pooled[1], alpha),
        "every step": np.asarray(single[:, :-1].any(axis=1)),
        "final": single[:, -2],
        "area": single[:, -1],
    }
    if n_steps > 1:
        shape = np.maximum(between[:, :-1].sum(axis=1) - of_mean, 0.0)
        found["shape"] = _exceeds(shape, pooled[0], n_steps - 1, pooled[1], alpha)
    return {test: found[test] for test in TESTS if test in found}


def _exceeds(
    effect: Floats, error: Floats, df_effect: int, df_error: int, alpha: float
) -> npt.NDArray[np.bool_]:
    """Tell where the F of two sums of squares is significant; without an effect never."""
    quantile = f_quantile(alpha, (df_effect, df_error))
    return np.asarray(effect / df_effect > quantile * error / df_error)
