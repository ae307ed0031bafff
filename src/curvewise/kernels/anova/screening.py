"""Which of many tables are significant: in single precision, where that settles it.

Whether a table is significant takes no more than to know if its extreme relabellings are more
than alpha allows. In single precision that is found out several times as fast, and statistics
are known to within a tolerance. So relabellings are counted twice: those that are extreme for
sure, and those that may be. Where the two counts disagree about the verdict, as they do with
ties, the table is counted again in double precision, by `many_tables`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curvewise.kernels.anova.combined import MAX_SHARE, MAX_STEPS, WEIGHT
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
    Singles = npt.NDArray[
        Any
    ]  # of single precision, unless a few numbers are known better

__all__ = ["rejections"]

TABLES_PER_SET = 500  # of relabellings: what tables have in common by them averages out
TABLES_AT_ONCE = 50  # the relabellings of so many are weighed together
WEIGHTS_AT_ONCE = 512  # relabellings
MAX_SUMS_AT_ONCE = 2**17  # numbers of an array that is gone through several times
# Shares of sums of squares, and logarithms of sums of exponentials, are known this well, unless
# shapes have less than a share of all; then so much worse.
SHARE_TOLERANCE, COMBINED_TOLERANCE, LARGE_SHAPE_SHARE = 1e-5, 2e-3, 0.05
# Beyond these, single precision does not know them that well.
MIN_SHAPE_SHARE, MAX_KNOWN_SHARE, MIN_VARIATION_OVER_NOISE = 0.002, 0.99, 1e6
MAX_NEAR_ONE = 0.05  # of the shares; of more, tables are counted again
# Of n numbers none is more than √n standard deviations from the mean, which the exponential can
# take up to so many; and deviations below this are rounding.
MAX_UNBOUNDED, MAX_SINGLE_EXPONENT, MIN_SINGLE_DEVIATION = 1_600, 80.0, 1e-4


def rejections(
    scores: Floats,
    labels: Integers,
    blocks: Integers,
    *,
    alpha: float,
    n_shuffles: int,
    key: int,
    shifts: Floats | None = None,
    combined: bool = True,
    height_only: bool = False,
    compiled: bool = False,
) -> Booleans:
    """Test each of many tables; return which are significant, (n_shifts, 3, n_tables).

    The second axis is overall, algorithm and interaction. Every relabelling is visited where
    there are no more of them than shuffles. Else shuffles are drawn, other ones for every
    `TABLES_PER_SET` tables.

    Parameters
    ----------
    scores : array, (n_tables, n_runs, n_steps)
    labels, blocks : array, (n_runs,)
        The algorithm and the block of each run, the same in every table.
    key : int
        Where shuffles come from.
    shifts : array, (n_shifts, n_runs, n_steps), optional
        What is added to all tables, one after the other: each table is tested so many times, and
        what it has in common is computed once. By default nothing is added.
    combined : bool
        Whether the overall test is the combined one; else it is F.
    height_only : bool
        Whether height is all that is asked; the others are then False.
    compiled : bool
        Whether to use compiled code, which takes a second to import; for two algorithms.
    """
    if shifts is None:
        shifts = np.zeros((1, *scores.shape[1:]))
    combined = combined and scores.shape[2] > 1
    restriction = WithinBlocks(labels, blocks)
    exact = restriction.count <= n_shuffles
    count = restriction.count if exact else n_shuffles
    allowed = n_allowed(count, alpha, exact=exact)
    found = np.zeros((len(shifts), 3, len(scores)), dtype=np.bool_)
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
        screen = _Screen(
            labels,
            blocks,
            relabellings,
            exact=exact,
            combined=combined,
            compiled=compiled,
        )
        if height_only:
            for shift, own in zip(shifts, found, strict=True):
                n_extreme = screen.n_extreme_heights(scores[rows] + shift)
                own[1, rows] = n_extreme <= allowed
            continue
        found[:, :, rows], decided = screen.significant(scores[rows], shifts, allowed)
        for shift, own, known in zip(shifts, found, decided, strict=True):
            again = start + np.flatnonzero(~known)
            if again.size:
                tables = Tables.of(scores[again] + shift, labels, blocks)
                counts = tables.n_extreme(relabellings, exact=exact, combined=combined)
                own[:, again] = np.stack(counts) <= allowed
    return found


class _Table(NamedTuple):
    """What some tables are made of; arrays have the tables first."""

    deviations: Floats  # centred curves
    squares: Floats  # of them, at each step
    lengths: Floats  # their roots, 0 at steps without variation
    heights: Floats  # the coordinate of the height
    totals: (
        Floats  # (3, n_tables): all sums of squares, those of heights, those of shapes
    )
    noise: Floats
    known: Booleans  # where single precision suffices

    @classmethod
    def of(cls, scores: Floats, blocks: Integers) -> _Table:
        """Centre and sum up."""
        deviations = block_centred(scores, blocks)
        noise, step_noise = roundings(scores)
        squares = np.einsum("rjh,rjh->rh", deviations, deviations)
        lengths = np.sqrt(squares)
        lengths[lengths <= step_noise * MIN_VARIATION_OVER_NOISE] = 0.0
        heights = deviations.sum(axis=2) / np.sqrt(scores.shape[2])
        of_heights = np.sum(heights**2, axis=1)
        total = squares.sum(axis=1)
        known = (
            np.all((lengths > 0) | (squares <= step_noise**2), axis=1)
            & (total - of_heights > MIN_SHAPE_SHARE * total)
            & (of_heights > (MIN_VARIATION_OVER_NOISE * noise) ** 2)
        )
        totals = np.stack([total, of_heights, total - of_heights])
        return cls(deviations, squares, lengths, heights, totals, noise, known)


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
        self, scores: Floats, shifts: Floats, allowed: int
    ) -> tuple[Booleans, Booleans]:
        """Return which tables are significant, (n_shifts, 3, n_tables), and which are decided."""
        found = np.zeros((len(shifts), 3, len(scores)), dtype=np.bool_)
        decided = np.zeros((len(shifts), len(scores)), dtype=np.bool_)
        if scores.shape[2] > MAX_STEPS:
            return found, decided
        for start in range(0, len(scores), TABLES_AT_ONCE):
            rows = slice(start, start + TABLES_AT_ONCE)
            tables = [_Table.of(scores[rows] + shift, self.blocks) for shift in shifts]
            of_steps = self._of_steps(scores[rows], shifts, tables)
            for place, (table, shares) in enumerate(zip(tables, of_steps, strict=True)):
                fewest, most, known = self._counts(table, shares)
                found[place, :, rows] = most <= allowed
                settled = (most <= allowed) | (fewest > allowed)
                decided[place, rows] = known & settled.all(axis=0)
        return found, decided

    def n_extreme_heights(self, scores: Floats) -> Integers:
        """Count the relabellings with heights as far apart, in double precision; (n_tables,)."""
        # The mean of a curve, times the root of the number of steps, is its coordinate.
        noise, _ = roundings(scores)
        heights = scores.mean(axis=2, keepdims=True) * np.sqrt(scores.shape[2])
        return self._of_heights(block_centred(heights, self.blocks)[:, :, 0], noise)[1]

    def _of_heights(self, heights: Floats, noise: Floats) -> tuple[Floats, Integers]:
        """Return SS_alg of each table and relabelling, and how many are extreme."""
        squares = np.zeros((len(heights), self.weights.shape[1]))
        for row in self.weights:
            squares += (heights @ row.T) ** 2
        least = reduced(squares[:, -1:], noise)
        return squares, np.sum(squares[:, :-1] >= least, axis=1)

    def _of_steps(self, scores: Floats, shifts: Floats, tables: list[_Table]) -> Singles:
        """Return the share of all steps together, and that of the most striking one.

        They are (n_shifts, 2, n_tables, n_relabellings). The sums of a shifted table are those of
        the table and of the shift.
        """
        n_tables, n_runs, n_steps = scores.shape
        n_weights = self.single_weights.shape[2]
        # Steps in units of their own, so that squares neither vanish nor overflow.
        units = np.sqrt(np.max([table.squares.max(axis=0) for table in tables], axis=0))
        units[units == 0] = 1.0
        by_step = _singles(block_centred(scores, self.blocks) / units)
        shifted = _singles(block_centred(shifts, self.blocks) / units)
        weighting = [
            (
                ratios(units**2, table.squares * (table.lengths > 0)).astype(np.float32),
                ratios(units**2, table.totals[0, :, None]).astype(np.float32),
            )
            for table in tables
        ]
        shares = np.empty((len(shifts), 2, n_tables, n_weights), dtype=np.float32)
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
            for start in range(0, n_tables, at_once):
                rows = slice(start, min(start + at_once, n_tables))
                part = by_step[rows].reshape(-1, n_runs)
                shape = rows.stop - start, n_steps, weights.shape[2]
                *sums, squares, more = (
                    each[: math.prod(shape)].reshape(shape) for each in buffers
                )
                for row, own in enumerate(sums):
                    np.matmul(part, weights[row], out=own.reshape(len(part), -1))
                for place, (of_step, of_all) in enumerate(weighting):
                    found = shares[place, :, rows, columns]
                    if self.compiled and n_rows == 1:
                        from curvewise.kernels.anova.compiled_screening import add_shares

                        # Rows that are not side by side would keep it from being fast.
                        both = np.empty((2, *found.shape[1:]), dtype=np.float32)
                        given = of_all[rows], of_step[rows]
                        add_shares(sums[0], of_shifts[place, 0], *given, *both)
                        found[...] = both
                        continue
                    for row, own in enumerate(sums):
                        into = more if row else squares
                        np.add(own, of_shifts[place, row], out=into)
                        into *= into
                        if row:
                            squares += more
                    found[0] = np.matmul(of_all[rows, None, :], squares)[:, 0]
                    squares *= of_step[rows, :, None]
                    np.max(squares, axis=1, out=found[1])
        return shares

    def _counts(
        self, table: _Table, of_steps: Singles
    ) -> tuple[Integers, Integers, Booleans]:
        """Count the extreme relabellings: the fewest and the most that there can be.

        Both are (3, n_tables). The last array says where single precision suffices.
        """
        of_heights, n_extreme = self._of_heights(table.heights, table.noise)
        shares, known = self._shares(table, of_heights, of_steps), table.known.copy()
        # What is left of a share near 1 is too little for single precision.
        near_one: Any = np.nonzero(shares.max(axis=0) > MAX_KNOWN_SHARE)
        again = None
        if near_one[0].size > MAX_NEAR_ONE * of_heights.size:
            known &= shares.max(axis=(0, 2)) <= MAX_KNOWN_SHARE
        elif near_one[0].size:
            again = self._again(table, near_one)
            shares[(slice(None), *near_one)] = again

        fewest = np.empty((3, len(known)), dtype=np.int64)
        most = np.empty_like(fewest)
        fewest[1] = most[1] = n_extreme
        total, _, total_shapes = table.totals
        worse = np.maximum(ratios(LARGE_SHAPE_SHARE * total, total_shapes), 1)[:, None]
        fewest[2], most[2] = _between(shares[2], SHARE_TOLERANCE * worse)
        if not self.combined:
            fewest[0], most[0] = _between(shares[0], SHARE_TOLERANCE)
            return fewest, most, known
        np.minimum(shares, MAX_KNOWN_SHARE, out=shares)
        values = _values(shares)
        if again is not None:
            values[(slice(None), *near_one)] = _values(again)
        weighed, varies = self._weighed(values)
        slack = np.minimum(COMBINED_TOLERANCE * worse, 1) * weighed[:, -1:]
        fewest[0], most[0] = _between(weighed, slack)
        return fewest, most, known & varies

    def _shares(self, table: _Table, of_heights: Floats, of_steps: Singles) -> Singles:
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

    def _again(self, table: _Table, places: tuple[npt.NDArray[np.intp], ...]) -> Floats:
        """Return the shares of some tables and relabellings in double precision; (4, n)."""
        tables, relabellings = places
        n_steps = table.deviations.shape[2]
        of_steps = np.zeros((len(tables), n_steps))
        heights = np.zeros(len(tables))
        for row in self.weights:
            sums = np.einsum("pjh,pj->ph", table.deviations[tables], row[relabellings])
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
        learnt = values[:, :, : self.n_learnt_from]
        values -= learnt.mean(axis=2, keepdims=True)
        variances = np.einsum("erb,erb->er", learnt, learnt) / self.n_learnt_from
        deviations = np.sqrt(variances)[:, :, None]
        values *= ratios(np.full_like(deviations, WEIGHT), deviations)
        if self.n_learnt_from > MAX_UNBOUNDED:
            np.minimum(values, MAX_SINGLE_EXPONENT, out=values)
        np.exp(values, out=values)
        return values.sum(axis=0), np.all(deviations > MIN_SINGLE_DEVIATION, axis=(0, 2))


def _singles(tables: Floats) -> Singles:
    """Return tables in single precision with the runs last."""
    return np.ascontiguousarray(tables.transpose(0, 2, 1), dtype=np.float32)


def _values(shares: Singles) -> Singles:
    """Return (r / √(1 − r))^¼, in the precision of the shares."""
    values = shares * shares
    values /= 1 - shares
    for _ in range(3):
        np.sqrt(values, out=values)
    return values


def _between(values: Singles, slack: float | Singles) -> tuple[Integers, Integers]:
    """Count the values that are as large as the last one for sure, and that may be."""
    others, observed = values[:, :-1], values[:, -1:]
    return (
        np.sum(others >= observed + slack, axis=1),
        np.sum(others >= observed - slack, axis=1),
    )
