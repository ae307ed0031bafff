"""Which of many tables are significant: in single precision, where that settles it.

Whether a table is significant takes no more than to know if its extreme relabellings are more
than alpha allows. In single precision that is found out several times as fast, and statistics
are known to within a tolerance. So relabellings are counted twice: those that are extreme for
sure, and those that may be. Where the two counts disagree about the verdict, as they do with
ties, the table is counted again in double precision, by `many_tables`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from curvewise.kernels.anova.combined import MAX_SHARE, MAX_STEPS, WEIGHT
from curvewise.kernels.anova.many_tables import (
    Tables,
    ratios,
    reduced,
    sum_weights,
)
from curvewise.kernels.anova.spanned import Centred, Spanned
from curvewise.kernels.anova.sums import group_factor
from curvewise.kernels.pvalues import n_allowed
from curvewise.kernels.relabelling.restriction import WithinBlocks
from curvewise.kernels.relabelling.streams import BATCH, stream_key

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova.spanned import Shifted

    Booleans = npt.NDArray[np.bool_]
    Singles = npt.NDArray[
        Any
    ]  # of single precision, unless a few numbers are known better

__all__ = ["Tests", "rejections"]

# Which tests are done: all, that of height, or all where that of height is significant.
Tests = Literal["all", "height", "height first"]

TABLES_PER_SET = 500  # of relabellings: what tables have in common by them averages out
TABLES_AT_ONCE = 50  # the relabellings of so many are weighed together
WEIGHTS_AT_ONCE = 512  # relabellings
MAX_SUMS_AT_ONCE = 2**17  # numbers of an array that is gone through several times
# Shares of sums of squares, and logarithms of sums of exponentials, are known this well, unless
# shapes have less than a share of all; then so much worse.
SHARE_TOLERANCE, COMBINED_TOLERANCE, LARGE_SHAPE_SHARE = 1e-5, 2e-3, 0.05
# Beyond this one, single precision does not know them that well.
MAX_KNOWN_SHARE = 0.99
MAX_NEAR_ONE = 0.05  # of the shares; of more, tables are counted again
# Of n numbers none is more than √n standard deviations from the mean, which the exponential can
# take up to so many; and deviations below this are rounding.
MAX_UNBOUNDED, MAX_SINGLE_EXPONENT, MIN_SINGLE_DEVIATION = 1_600, 80.0, 1e-4


def rejections(
    scores: Floats | Spanned,
    labels: Integers,
    blocks: Integers,
    *,
    alpha: float,
    n_shuffles: int,
    key: int,
    shifts: Floats | None = None,
    combined: bool = True,
    tests: Tests = "all",
    compiled: bool = False,
) -> Booleans:
    """Test each of many tables; return which are significant, (n_shifts, 3, n_tables).

    The second axis is overall, algorithm and interaction. Every relabelling is visited where
    there are no more of them than shuffles. Else shuffles are drawn, other ones for every
    `TABLES_PER_SET` tables.

    Parameters
    ----------
    scores : array, (n_tables, n_runs, n_steps), or Spanned
    labels, blocks : array, (n_runs,)
        The algorithm and the block of each run, the same in every table.
    key : int
        Where shuffles come from.
    shifts : array, (n_shifts, n_runs, n_steps), optional
        What is added to all tables, one after the other: each table is tested so many times, and
        what it has in common is computed once. By default nothing is added.
    combined : bool
        Whether the overall test is the combined one; else it is F.
    tests : "all", "height" or "height first"
        Whether height is all that is asked, or the others only of tables in which it is
        significant after some shift, as for what is claimed; what is not asked is False.
    compiled : bool
        Whether to use compiled code, which takes a second to import; for two algorithms.
    """
    tables = scores if isinstance(scores, Spanned) else Spanned(scores)
    if shifts is None:
        shifts = np.zeros((1, len(labels), tables.n_steps))
    combined = combined and tables.n_steps > 1
    restriction = WithinBlocks(labels, blocks)
    exact = restriction.count <= n_shuffles
    count = restriction.count if exact else n_shuffles
    allowed = n_allowed(count, alpha, exact=exact)
    found = np.zeros((len(shifts), 3, len(tables)), dtype=np.bool_)
    if allowed < (1 if exact else 0):
        # No table could be significant.
        return found
    for number, start in enumerate(range(0, len(tables), TABLES_PER_SET)):
        rows = np.arange(start, min(start + TABLES_PER_SET, len(tables)))
        drawn = (
            restriction.every()
            if exact
            else restriction.drawn(count, int(stream_key(key, number)))
        )
        batches = [drawn.batch(batch) for batch in range(-(-count // BATCH))]
        relabellings = np.concatenate(batches)
        screen = _Screen(
            labels,
            blocks,
            relabellings,
            exact=exact,
            combined=combined,
            compiled=compiled,
        )
        if tests != "all":
            centred = Centred.of(tables.part(rows), blocks)
            for shift, own in zip(shifts, found, strict=True):
                n_extreme = screen.n_extreme_heights(centred, shift)
                own[1, rows] = n_extreme <= allowed
            if tests == "height":
                continue
            rows = rows[found[:, 1, rows].any(axis=0)]
        found[:, :, rows], decided = screen.significant(
            tables.part(rows), shifts, allowed
        )
        for shift, own, known in zip(shifts, found, decided, strict=True):
            again = rows[~known]
            if again.size:
                shifted = tables.part(again).scores() + shift
                counts = Tables.of(shifted, labels, blocks).n_extreme(
                    relabellings, exact=exact, combined=combined
                )
                own[:, again] = np.stack(counts) <= allowed
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
        compiled: bool,
    ) -> None:
        # The observed labels come last: the scales are learnt from them as well, unless they
        # are among the relabellings already.
        self.n_learnt_from = len(relabellings) + (not exact)
        self.blocks, self.combined, self.compiled = blocks, combined, compiled
        every = np.concatenate([relabellings, labels[None, :]])
        self.weights = sum_weights(every, group_factor(labels, blocks))
        transposed = self.weights.transpose(0, 2, 1)
        self.single_weights = np.ascontiguousarray(transposed, dtype=np.float32)

    def significant(
        self, tables: Spanned, shifts: Floats, allowed: int
    ) -> tuple[Booleans, Booleans]:
        """Return which tables are significant, (n_shifts, 3, n_tables), and which are decided."""
        found = np.zeros((len(shifts), 3, len(tables)), dtype=np.bool_)
        decided = np.zeros((len(shifts), len(tables)), dtype=np.bool_)
        if tables.n_steps > MAX_STEPS:
            return found, decided
        for rows in _batches(len(tables)):
            centred = Centred.of(tables.part(rows), self.blocks)
            shifted = [centred.with_shift(shift) for shift in shifts]
            of_steps = self._of_steps(shifted)
            for place, (table, shares) in enumerate(zip(shifted, of_steps, strict=True)):
                fewest, most, known = self._counts(table, shares)
                found[place, :, rows] = most <= allowed
                settled = (most <= allowed) | (fewest > allowed)
                decided[place, rows] = known & settled.all(axis=0)
        return found, decided

    def n_extreme_heights(self, tables: Centred, shift: Floats) -> Integers:
        """Count the relabellings with heights as far apart, in double precision; (n_tables,)."""
        heights, noise, _ = tables.shifted_heights(shift)
        return np.concatenate(
            [
                self._of_heights(heights[rows], noise[rows])[1]
                for rows in _batches(len(heights))
            ]
        )

    def _of_heights(self, heights: Floats, noise: Floats) -> tuple[Floats, Integers]:
        """Return SS_alg of each table and relabelling, and how many are extreme."""
        squares = (heights @ self.weights[0].T) ** 2
        for row in self.weights[1:]:
            squares += (heights @ row.T) ** 2
        least = reduced(squares[:, -1:], noise)
        return squares, np.sum(squares[:, :-1] >= least, axis=1)

    def _of_steps(self, tables: list[Shifted]) -> Singles:
        """Return the share of all steps together, and that of the most striking one.

        They are (n_shifts, 2, n_tables, n_relabellings). The tables are the same with several
        shifts: the sums of a shifted table are those of the table and of the shift.
        """
        curves = tables[0].curves
        n_tables, n_runs, _ = curves.amounts.shape
        n_steps, n_weights = curves.n_steps, self.single_weights.shape[2]
        # Steps in units of their own, so that squares neither vanish nor overflow.
        units = np.sqrt(np.max([table.squares.max(axis=0) for table in tables], axis=0))
        units[units == 0] = 1.0
        shifted = _singles(np.stack([table.shift for table in tables]) / units)
        # A mixture is summed up as amounts, and taken to the steps after that.
        basis = None
        if curves.basis is None:
            summed = _singles(curves.amounts / units)
        else:
            summed = _singles(curves.amounts)
            basis = np.ascontiguousarray((curves.basis / units).T, dtype=np.float32)
        squared = units**2
        of_step = np.array(
            [ratios(squared, table.squares * (table.lengths > 0)) for table in tables],
            dtype=np.float32,
        )
        of_all = np.array(
            [ratios(squared, table.totals[0, :, None]) for table in tables],
            dtype=np.float32,
        )
        shares = np.empty((len(tables), 2, n_tables, n_weights), dtype=np.float32)
        at_once = max(MAX_SUMS_AT_ONCE // (n_steps * WEIGHTS_AT_ONCE), 1)
        # A few relabellings at a time, so that what is gone through again stays in the cache;
        # and large arrays that are made anew would cost as much as what is done to them.
        size = min(at_once, n_tables) * n_steps * WEIGHTS_AT_ONCE
        n_rows = len(self.single_weights)
        buffers = np.empty((n_rows + 2, size), dtype=np.float32)
        for first in range(0, n_weights, WEIGHTS_AT_ONCE):
            columns = slice(first, min(first + WEIGHTS_AT_ONCE, n_weights))
            weights = np.ascontiguousarray(self.single_weights[:, :, columns])
            of_shifts = shifted[:, None] @ weights
            if basis is not None:
                of_parts = summed.reshape(-1, n_runs) @ weights
                of_parts = of_parts.reshape(n_rows, n_tables, -1, weights.shape[2])
            for start in range(0, n_tables, at_once):
                rows = slice(start, min(start + at_once, n_tables))
                part = summed[rows].reshape(-1, n_runs)
                shape = rows.stop - start, n_steps, weights.shape[2]
                *sums, squares, more = (
                    each[: math.prod(shape)].reshape(shape) for each in buffers
                )
                for row, own in enumerate(sums):
                    if basis is None:
                        np.matmul(part, weights[row], out=own.reshape(len(part), -1))
                    else:
                        np.matmul(basis, of_parts[row, rows], out=own)
                found = shares[:, :, rows, columns]
                given = of_all[:, rows], of_step[:, rows]
                if self.compiled and n_rows == 1:
                    from curvewise.kernels.anova.compiled_screening import add_shares

                    # Rows that are not side by side would keep it from being fast.
                    added = np.empty(found.shape, dtype=np.float32)
                    parts = map(np.ascontiguousarray, given)
                    add_shares(sums[0], of_shifts[:, 0], *parts, added)
                    found[...] = added
                    continue
                for place, (in_all, in_step) in enumerate(zip(*given, strict=True)):
                    for row, own in enumerate(sums):
                        into = more if row else squares
                        np.add(own, of_shifts[place, row], out=into)
                        into *= into
                        if row:
                            squares += more
                    found[place, 0] = np.matmul(in_all[:, None, :], squares)[:, 0]
                    squares *= in_step[:, :, None]
                    np.max(squares, axis=1, out=found[place, 1])
        return shares

    def _counts(
        self, table: Shifted, of_steps: Singles
    ) -> tuple[Integers, Integers, Booleans]:
        """Count the extreme relabellings: the fewest and the most that there can be.

        Both are (3, n_tables). The last array says where single precision suffices.
        """
        of_heights, n_extreme = self._of_heights(table.heights, table.noise)
        shares, known = self._shares(table, of_heights, of_steps), table.known.copy()
        # What is left of a share near 1 is too little for single precision.
        near_one: Any = ((),)
        if np.any(shares > MAX_KNOWN_SHARE):
            near_one = np.nonzero(shares.max(axis=0) > MAX_KNOWN_SHARE)
        again = None
        if len(near_one[0]) > MAX_NEAR_ONE * of_heights.size:
            known &= shares.max(axis=(0, 2)) <= MAX_KNOWN_SHARE
        elif len(near_one[0]):
            again = self._again(table, near_one)
            shares[(slice(None), *near_one)] = again

        fewest = np.empty((3, len(known)), dtype=np.int64)
        most = np.empty_like(fewest)
        fewest[1] = most[1] = n_extreme
        total, _, total_shapes = table.totals
        worse = np.maximum(ratios(LARGE_SHAPE_SHARE * total, total_shapes), 1)[:, None]
        fewest[2], most[2] = self._between(shares[2], SHARE_TOLERANCE * worse)
        if not self.combined:
            fewest[0], most[0] = self._between(shares[0], SHARE_TOLERANCE)
            return fewest, most, known
        np.minimum(shares, MAX_KNOWN_SHARE, out=shares)
        values = self._values(shares)
        if again is not None:
            values[(slice(None), *near_one)] = self._values(again)
        weighed, varies = self._weighed(values)
        slack = np.minimum(COMBINED_TOLERANCE * worse, 1) * weighed[:, -1:]
        fewest[0], most[0] = self._between(weighed, slack)
        return fewest, most, known & varies

    def _shares(self, table: Shifted, of_heights: Floats, of_steps: Singles) -> Singles:
        """Return the shares of the four looks; (4, n_tables, n_relabellings)."""
        total, total_heights, total_shapes = table.totals[:, :, None]
        shares = np.empty((4, *of_heights.shape), dtype=np.float32)
        shares[0], shares[3] = of_steps
        np.multiply(of_heights, ratios(np.ones_like(total), total_heights), out=shares[1])
        # SS_int is SS_alg + SS_int less SS_alg, each as a share of its own total.
        scale = ratios(total, total_shapes).astype(np.float32)
        less = ratios(total_heights, total_shapes).astype(np.float32)
        np.multiply(shares[0], scale, out=shares[2])
        shares[2] -= shares[1] * less
        np.maximum(shares[2], 0, out=shares[2])
        return shares

    def _again(self, table: Shifted, places: tuple[npt.NDArray[np.intp], ...]) -> Floats:
        """Return the shares of some tables and relabellings in double precision; (4, n)."""
        tables, relabellings = places
        n_steps = table.curves.n_steps
        of_steps = np.zeros((len(tables), n_steps))
        heights = np.zeros(len(tables))
        for row in self.weights:
            sums = table.sums(row[relabellings], tables)
            of_steps += sums**2
            heights += sums.sum(axis=1) ** 2 / n_steps
        overall = of_steps.sum(axis=1)
        between = np.stack([overall, heights, overall - heights])
        shares = ratios(between, table.totals[:, tables])
        varying = table.squares * (table.lengths > 0)
        largest = ratios(of_steps, varying[tables]).max(axis=1)
        return np.clip(np.stack([*shares, largest]), 0, MAX_SHARE)

    def _weighed(self, values: Singles) -> tuple[Singles, Booleans]:
        """Return exp C of each table and relabelling, (n_tables, n); and if all looks vary."""
        if self.compiled:
            from curvewise.kernels.anova.compiled_screening import standardise

            deviations = np.empty(values.shape[:2], dtype=np.float32)
            standardise(values, self.n_learnt_from, np.float32(WEIGHT), deviations)
        else:
            learnt = values[:, :, : self.n_learnt_from]
            values -= learnt.mean(axis=2, keepdims=True)
            variances = np.einsum("erb,erb->er", learnt, learnt) / self.n_learnt_from
            deviations = np.sqrt(variances)
            values *= ratios(np.full_like(deviations, WEIGHT), deviations)[:, :, None]
        if self.n_learnt_from > MAX_UNBOUNDED:
            np.minimum(values, MAX_SINGLE_EXPONENT, out=values)
        np.exp(values, out=values)
        return values.sum(axis=0), np.all(deviations > MIN_SINGLE_DEVIATION, axis=0)

    def _values(self, shares: Singles) -> Singles:
        """Return (r / √(1 − r))^¼, in the precision of the shares."""
        if self.compiled and shares.dtype == np.float32:
            from curvewise.kernels.anova.compiled_screening import to_values

            values = shares.copy()
            to_values(values)
            return values
        values = shares * shares
        values /= 1 - shares
        for _ in range(3):
            np.sqrt(values, out=values)
        return values

    def _between(
        self, values: Singles, slack: float | Singles
    ) -> tuple[Integers, Integers]:
        """Count the values that are as large as the last one for sure, and that may be."""
        if self.compiled:
            from curvewise.kernels.anova.compiled_screening import count_between

            counts = np.empty((2, len(values)), dtype=np.int64)
            slacks = np.broadcast_to(np.ravel(slack), len(values)).astype(np.float64)
            count_between(values, slacks, *counts)
            return counts[0], counts[1]
        others, observed = values[:, :-1], values[:, -1:]
        return (
            np.sum(others >= observed + slack, axis=1),
            np.sum(others >= observed - slack, axis=1),
        )


def _batches(n_tables: int) -> list[slice]:
    """Return which tables are gone through together."""
    starts = range(0, n_tables, TABLES_AT_ONCE)
    return [slice(start, start + TABLES_AT_ONCE) for start in starts]


def _singles(tables: Floats) -> Singles:
    """Return tables in single precision with the runs last."""
    return np.ascontiguousarray(tables.transpose(0, 2, 1), dtype=np.float32)
