"""Which of many tables are significant: in single precision, where that settles it.

Whether a table is significant takes no more than to know if its extreme relabellings are more
than alpha allows. In single precision that is found out several times as fast, and statistics
are known to within a tolerance. So relabellings are counted twice: those that are extreme for
sure, and those that may be. Where the two counts disagree about the verdict, as they do with
ties, the table is counted again in double precision, by `many_tables`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova.combined import MAX_STEPS, MIN_DEVIATION, WEIGHT
from curvewise.kernels.anova.many_tables import (
    Tables,
    block_centred,
    ratios,
    reduced,
    roundings,
    sum_weights,
)
from curvewise.kernels.anova.sums import group_factor
from curvewise.kernels.pvalues import n_allowed
from curvewise.kernels.relabelling.restriction import WithinBlocks
from curvewise.kernels.relabelling.streams import BATCH, stream_key

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers

    Booleans = npt.NDArray[np.bool_]

__all__ = ["rejections"]

TABLES_PER_SET = 500  # of relabellings: what tables have in common by them averages out
TABLES_AT_ONCE = 50  # the relabellings of so many are weighed together
MAX_SUMS_AT_ONCE = 2**18  # numbers of an array that is gone through several times
# Shares of sums of squares, and logarithms of sums of exponentials, are known this well.
SHARE_TOLERANCE, COMBINED_TOLERANCE = 1e-5, 2e-3
# Beyond these, single precision does not know them that well.
MIN_SHAPE_SHARE, MAX_KNOWN_SHARE, MIN_VARIATION_OVER_NOISE = 0.05, 0.999, 1e6
MAX_SINGLE_EXPONENT = 80.0
TINY = float(np.finfo(np.float32).tiny)


def rejections(
    scores: Floats,
    labels: Integers,
    blocks: Integers,
    *,
    alpha: float,
    n_shuffles: int,
    key: int,
    combined: bool = True,
) -> Booleans:
    """Test each of many tables; return which are significant, (3, n_tables).

    The rows are overall, algorithm and interaction. Every relabelling is visited where there are
    no more of them than shuffles. Else shuffles are drawn, other ones for every
    `TABLES_PER_SET` tables.

    Parameters
    ----------
    scores : array, (n_tables, n_runs, n_steps)
    labels, blocks : array, (n_runs,)
        The algorithm and the block of each run, the same in every table.
    key : int
        Where shuffles come from.
    combined : bool
        Whether the overall test is the combined one; else it is F.
    """
    combined = combined and scores.shape[2] > 1
    restriction = WithinBlocks(labels, blocks)
    exact = restriction.count <= n_shuffles
    count = restriction.count if exact else n_shuffles
    allowed = n_allowed(count, alpha, exact=exact)
    found = np.zeros((3, len(scores)), dtype=np.bool_)
    if allowed < (1 if exact else 0):
        # No table could be significant.
        return found
    for number, start in enumerate(range(0, len(scores), TABLES_PER_SET)):
        rows = slice(start, start + TABLES_PER_SET)
        drawn = (
            restriction.every()
            if exact
            else restriction.drawn(count, int(stream_key(key, number)))
        )
        batches = [drawn.batch(batch) for batch in range(-(-count // BATCH))]
        relabellings = np.concatenate(batches)
        screen = _Screen(labels, blocks, relabellings, exact=exact, combined=combined)
        found[:, rows], decided = screen.significant(scores[rows], allowed)
        if not decided.all():
            again = start + np.flatnonzero(~decided)
            counts = Tables.of(scores[again], labels, blocks).n_extreme(
                relabellings, exact=exact, combined=combined
            )
            found[:, again] = np.stack(counts) <= allowed
    return found


class _Screen:
    """Relabellings of a design, and the tests of tables by them in single precision."""

    def __init__(
        self,
        labels: Integers,
        blocks: Integers,
        relabellings: Integers,
        *,
        exact: bool,
        combined: bool,
    ) -> None:
        # The observed labels come last: the scales are learnt from them as well, unless they
        # are among the relabellings already.
        self.n_learnt_from = len(relabellings) + (not exact)
        self.n_relabellings = len(relabellings)
        self.blocks, self.combined = blocks, combined
        every = np.concatenate([relabellings, labels[None, :]])
        self.weights = sum_weights(every, group_factor(labels, blocks))
        transposed = self.weights.transpose(0, 2, 1)
        self.single_weights = np.ascontiguousarray(transposed, dtype=np.float32)

    def significant(self, scores: Floats, allowed: int) -> tuple[Booleans, Booleans]:
        """Return which tables are significant, (3, n_tables), and which are decided."""
        found = np.zeros((3, len(scores)), dtype=np.bool_)
        decided = np.zeros(len(scores), dtype=np.bool_)
        if scores.shape[2] > MAX_STEPS:
            return found, decided
        for start in range(0, len(scores), TABLES_AT_ONCE):
            rows = slice(start, start + TABLES_AT_ONCE)
            fewest, most, known = self._counts(scores[rows])
            found[:, rows] = most <= allowed
            settled = (most <= allowed) | (fewest > allowed)
            decided[rows] = known & settled.all(axis=0)
        return found, decided

    def _counts(self, scores: Floats) -> tuple[Integers, Integers, Booleans]:
        """Count the extreme relabellings: the fewest and the most that there can be.

        Both are (3, n_tables). The last array says where single precision suffices.
        """
        deviations = block_centred(scores, self.blocks)
        noise, step_noise = roundings(scores)
        squares = np.einsum("rjh,rjh->rh", deviations, deviations)
        lengths = np.sqrt(squares)
        lengths[lengths <= step_noise * MIN_VARIATION_OVER_NOISE] = 0.0
        heights = deviations.sum(axis=2) / np.sqrt(scores.shape[2])
        total_heights = np.sum(heights**2, axis=1)
        total = squares.sum(axis=1)
        total_shapes = total - total_heights
        known = (
            np.all((lengths > 0) | (squares <= step_noise**2), axis=1)
            & (total_shapes > MIN_SHAPE_SHARE * total)
            & (total_heights > (MIN_VARIATION_OVER_NOISE * noise) ** 2)
        )

        algorithm = sum((heights @ row.T) ** 2 for row in self.weights)
        columns = ratios(deviations, lengths[:, None, :]).astype(np.float32)
        largest, overall = self._of_columns(columns, squares.astype(np.float32))
        overall = np.maximum(overall, algorithm)
        shares = np.empty((4, *algorithm.shape), dtype=np.float32)
        shares[0] = ratios(overall, total[:, None])
        shares[1] = ratios(algorithm, total_heights[:, None])
        shares[2] = ratios(overall - algorithm, total_shapes[:, None])
        shares[3] = largest
        known &= shares.max(axis=(0, 2)) < MAX_KNOWN_SHARE
        np.minimum(shares, MAX_KNOWN_SHARE, out=shares)

        fewest = np.empty((3, len(scores)), dtype=np.int64)
        most = np.empty_like(fewest)
        least = reduced(algorithm[:, -1:], noise)
        fewest[1] = most[1] = np.sum(algorithm[:, :-1] >= least, axis=1)
        own = shares[:, :, :-1], shares[:, :, -1:]
        fewest[2], most[2] = _twice(own[0][2], own[1][2], SHARE_TOLERANCE)
        if self.combined:
            weighed = self._combined(shares)
            fewest[0], most[0] = _twice(
                weighed[:, :-1], weighed[:, -1:], COMBINED_TOLERANCE
            )
        else:
            fewest[0], most[0] = _twice(own[0][0], own[1][0], SHARE_TOLERANCE)
        return fewest, most, known

    def _of_columns(
        self, columns: npt.NDArray[np.float32], squares: npt.NDArray[np.float32]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return the largest share of a step, and SS_alg + SS_int; (n_tables, n) each."""
        n_tables, _, n_steps = columns.shape
        n_weights = self.single_weights.shape[2]
        largest = np.empty((n_tables, n_weights), dtype=np.float32)
        overall = np.empty_like(largest)
        at_once = max(MAX_SUMS_AT_ONCE // (n_steps * n_weights), 1)
        by_step = np.ascontiguousarray(columns.transpose(0, 2, 1))
        for start in range(0, n_tables, at_once):
            rows = slice(start, start + at_once)
            part = by_step[rows].reshape(-1, columns.shape[1])
            shares = part @ self.single_weights[0]
            shares *= shares
            for weights in self.single_weights[1:]:
                more = part @ weights
                more *= more
                shares += more
            shares = shares.reshape(-1, n_steps, n_weights)
            np.max(shares, axis=1, out=largest[rows])
            overall[rows] = np.matmul(squares[rows, None, :], shares)[:, 0]
        return largest, overall

    def _combined(self, shares: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return the combined statistic of each table and relabelling; (n_tables, n)."""
        values = np.sqrt(np.sqrt(np.sqrt(shares * shares / (1 - shares))))
        learnt = values[:, :, : self.n_learnt_from]
        means = learnt.mean(axis=2, keepdims=True)
        deviations = learnt.std(axis=2, keepdims=True)
        deviations[deviations <= MIN_DEVIATION] = 0.0
        values -= means
        values *= ratios(np.full_like(deviations, WEIGHT), deviations).astype(np.float32)
        np.exp(np.minimum(values, MAX_SINGLE_EXPONENT, out=values), out=values)
        values *= deviations > 0
        return np.log(np.maximum(values.sum(axis=0), TINY))


def _twice(
    values: npt.NDArray[np.float32],
    observed: npt.NDArray[np.float32],
    tolerance: float,
) -> tuple[Integers, Integers]:
    """Count the values that are as large as the observed one for sure, and that may be."""
    low, high = (observed + sign * tolerance for sign in (-1, 1))
    return np.sum(values >= high, axis=1), np.sum(values >= low, axis=1)
