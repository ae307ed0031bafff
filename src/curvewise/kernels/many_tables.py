"""The randomized ANOVA of many tables at once, by relabellings that they share.

A power is simulated from thousands of tables of one design. Each is tested as `compare` tests
it: by height, by shape, and by the whole curve, with the combined statistic or with F. But all
are relabelled alike, so that the sums of their algorithms come from matrix products. Every test
by itself is as exact as one with relabellings of its own.

For a relabelling, write w for the weights with which Lᵀ S of `anova` adds up the runs. Centred
curves X then have Lᵀ S = w X, and w is the same for all tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from curvewise.kernels.anova import (
    EPSILON,
    MIN_VARIATION_OVER_ROUNDING,
    centred,
    group_factor,
    ratios,
    rotated,
)
from curvewise.kernels.combined import MAX_SHARE, MAX_STEPS, WEIGHT, Scales
from curvewise.kernels.pvalues import TIE, n_allowed
from curvewise.kernels.relabel import BATCH, WithinBlocks, stream_key

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Booleans, Floats, Integers

    Singles = npt.NDArray[Any]  # of single precision, unless a few numbers are known better


MAX_SUMS_AT_ONCE = 2**21  # numbers of the largest array


class Extremes(NamedTuple):
    """How many relabellings are as extreme as what was observed; (n_tables,) each."""

    overall: Integers
    algorithm: Integers
    interaction: Integers


def sum_weights(labels: Integers, factor: Floats) -> Floats:
    """Return w of each relabelling; (n_groups − 1, n_relabellings, n_runs).

    ``labels`` is (n_relabellings, n_runs), and ``factor`` that of `group_factor`.
    """
    members = labels[None] == np.arange(len(factor))[:, None, None]
    return np.einsum("gi,gbj->ibj", factor, members.astype(np.float64))


@dataclass(frozen=True, eq=False)
class Tables:
    """Tables of one design in the form that shuffling needs.

    Attributes
    ----------
    labels, blocks : array, (n_runs,)
        The algorithm and the block of each run, the same in every table.
    factor : array
        As of `group_factor`.
    coordinates : array, (n_tables, n_coordinates, n_runs)
        As of `sums.rotated`: the height of the centred curves, and their shape.
    columns : array, (n_tables, n_columns, n_runs)
        The centred curves at each step, or averaged over neighbouring ones, divided by the root
        of their sum of squares; 0 where they do not vary.
    column_slack : array, (n_tables, n_columns)
        How far rounding can move the root of a share of a column.
    totals : array, (n_tables, 2)
        Sums of squares of heights and of shapes.
    noise : array, (n_tables,)
        How far rounding can move a table.
    """

    labels: Integers
    blocks: Integers
    factor: Floats
    coordinates: Floats
    columns: Floats
    column_slack: Floats
    totals: Floats
    noise: Floats

    @classmethod
    def of(cls, scores: Floats, labels: Integers, blocks: Integers) -> Tables:
        """Centre, rotate and sum up; ``scores`` is (n_tables, n_runs, n_steps)."""
        n_steps = scores.shape[2]
        noise, step_noise = roundings(np.abs(scores).max(axis=1), len(labels))
        deviations = centred(scores, blocks)
        coordinates = rotated(deviations)
        squares = np.sum(coordinates**2, axis=1)
        totals = np.stack([squares[:, 0], squares[:, 1:].sum(axis=1)], axis=1)
        # Rounding in heights or shapes that do not vary must not enter any shuffle.
        totals *= totals > noise[:, None] ** 2
        coordinates[:, :, 0] *= totals[:, :1] > 0
        coordinates[:, :, 1:] *= totals[:, 1, None, None] > 0

        n_columns = min(n_steps, MAX_STEPS)
        edges = np.arange(n_columns) * n_steps // n_columns
        widths = np.diff(edges, append=n_steps)
        columns = np.add.reduceat(deviations, edges, axis=2) / widths
        column_noise = np.add.reduceat(step_noise, edges, axis=1) / widths
        lengths = np.sqrt(np.sum(columns**2, axis=1))
        lengths[lengths <= MIN_VARIATION_OVER_ROUNDING * column_noise] = 0.0
        return cls(
            labels,
            blocks,
            group_factor(labels, blocks),
            np.ascontiguousarray(coordinates.transpose(0, 2, 1)),
            np.ascontiguousarray(ratios(columns, lengths[:, None, :]).transpose(0, 2, 1)),
            ratios(2 * column_noise, lengths),
            totals,
            noise,
        )

    def __len__(self) -> int:
        return len(self.noise)

    def part(self, rows: slice) -> Tables:
        """Return some of the tables."""
        of_each = ("coordinates", "columns", "column_slack", "totals", "noise")
        own = {name: getattr(self, name)[rows] for name in of_each}
        return Tables(self.labels, self.blocks, self.factor, **own)

    def n_extreme(
        self,
        relabellings: Integers,
        *,
        exact: bool,
        combined: bool,
        scaling: Integers | None = None,
    ) -> Extremes:
        """Count the relabellings at least as extreme as the observed labels, in every table.

        Parameters
        ----------
        relabellings : array, (n_relabellings, n_runs)
        exact : bool
            Whether these are all that there are, the observed one among them.
        combined : bool
            Whether the overall test is the combined one, as in `combined`; else it is F.
        scaling : array, (n_others, n_runs), optional
            The relabellings from which the combined test learns its scales, which must not
            depend on the observed labels. By default those in use, the observed one among them.
        """
        weights = sum_weights(relabellings, self.factor)
        scaled_by = None if scaling is None else sum_weights(scaling, self.factor)
        observed = sum_weights(self.labels[None, :], self.factor)
        n_columns = max(self.columns.shape[1], self.coordinates.shape[1])
        at_once = max(MAX_SUMS_AT_ONCE // (n_columns * len(relabellings)), 1)
        counts = []
        for start in range(0, len(self), at_once):
            part = self.part(slice(start, start + at_once))
            between, seen = part._between(weights), part._between(observed)
            seen *= seen > part.noise[None, :, None] ** 2
            sums = [between[0] + between[1], *between]
            least = [reduced(effect, part.noise) for effect in (seen[0] + seen[1], *seen)]
            own = [np.sum(of >= at, axis=1) for of, at in zip(sums, least, strict=True)]
            if combined:
                raised = part._values(weights, between, raised=True)
                lowered = part._values(observed, seen, raised=False)
                learnt = raised
                if scaled_by is not None:
                    learnt = part._values(scaled_by, part._between(scaled_by), raised=True)
                elif not exact:
                    at = part._values(observed, seen, raised=True)
                    learnt = np.concatenate([raised, at], axis=2)
                own[0] = _n_extreme_combined(raised, lowered, learnt)
            counts.append(own)
        return Extremes(*(np.concatenate(each) for each in zip(*counts, strict=True)))

    def statistics(self, relabellings: Integers) -> Floats:
        """Return the statistics of every relabelling; (3, n_tables, n_relabellings).

        The combined statistic, with the scales of these relabellings, and the roots of SS_alg and
        SS_int. The observed relabelling, which is to be among them, is treated as any other.
        """
        weights = sum_weights(relabellings, self.factor)
        n_columns = max(self.columns.shape[1], self.coordinates.shape[1])
        at_once = max(MAX_SUMS_AT_ONCE // (n_columns * len(relabellings)), 1)
        found = np.empty((3, len(self), len(relabellings)))
        for start in range(0, len(self), at_once):
            rows = slice(start, start + at_once)
            part = self.part(rows)
            between = part._between(weights)
            found[1:, rows] = np.sqrt(between)
            values = part._values(weights, between, raised=True)
            for table in range(len(part)):
                own = values[:, table]
                found[0, start + table] = Scales.of(own).statistic(own)
        return found

    def _between(self, weights: Floats) -> Floats:
        """Return SS_alg and SS_int; (2, n_tables, n_relabellings)."""
        heights = np.zeros((len(self), weights.shape[1]))
        shapes = np.zeros_like(heights)
        for row in weights:
            sums = self.coordinates @ row.T
            heights += sums[:, 0] ** 2
            shapes += np.einsum("rcb,rcb->rb", sums[:, 1:], sums[:, 1:])
        return np.stack([heights, shapes])

    def _values(self, weights: Floats, between: Floats, *, raised: bool) -> Floats:
        """Return (r / √(1 − r))^¼ of the four looks; (4, n_tables, n_relabellings).

        The shares r are raised by what rounding can do, or lowered. Raised ones that are 0 but
        for rounding are all the same.
        """
        sign = 1.0 if raised else -1.0
        heights, shapes = self.totals.T
        totals = np.stack([heights + shapes, heights, shapes])[:, :, None]
        squares = np.stack([between[0] + between[1], *between])
        roots = np.empty((4, len(self), weights.shape[1]))
        slack = ratios(2 * self.noise[:, None], np.sqrt(totals))
        column_slack = self.column_slack[:, :, None]
        roots[:3] = np.sqrt(ratios(squares, totals))
        if raised:
            np.maximum(roots[:3], slack, out=roots[:3])
        roots[:3] += sign * slack
        of_columns = self.columns @ weights[0].T
        np.abs(of_columns, out=of_columns)
        if len(weights) > 1:
            of_columns *= of_columns
            for row in weights[1:]:
                of_columns += (self.columns @ row.T) ** 2
            np.sqrt(of_columns, out=of_columns)
        if raised:
            np.maximum(of_columns, column_slack, out=of_columns)
        of_columns += sign * column_slack
        roots[3] = of_columns.max(axis=1)
        shares = np.minimum(np.maximum(roots, 0.0) ** 2, MAX_SHARE)
        return np.asarray(np.sqrt(np.sqrt(shares / np.sqrt(1 - shares))))


def _n_extreme_combined(raised: Floats, lowered: Floats, learnt: Floats) -> Integers:
    """Count by the combined statistic; each has the values of the four looks, (4, n_tables, n)."""
    counts = np.empty(raised.shape[1], dtype=np.int64)
    for table in range(len(counts)):
        scales = Scales.of(learnt[:, table])
        reached = scales.statistic(lowered[:, table])[0]
        least = reached - TIE * max(abs(reached), 1.0)
        counts[table] = np.sum(scales.statistic(raised[:, table]) >= least)
    return counts


def roundings(sizes: Floats, n_runs: int) -> tuple[Floats, Floats]:
    """Return how far rounding can move each table, and each step of it.

    That is `thresholds.rounding` and `thresholds.step_rounding` of scores in double precision,
    of which ``sizes``, (n_tables, n_steps), are the largest at each step.
    """
    n_steps = sizes.shape[1]
    largest = sizes.max(axis=1, keepdims=True)
    noise = math.sqrt(n_runs * n_steps) * largest[:, 0] * 4.5 * EPSILON
    return noise, math.sqrt(n_runs) * EPSILON * (sizes / 2 + 4 * largest)


def reduced(squares: Floats, noise: Floats) -> Floats:
    """Lower sums of squares by what rounding can do to the observed and a shuffled table."""
    return np.maximum(np.sqrt(squares) - 2 * noise[:, None], 0.0) ** 2


# --- Many tables whose curves are mixtures of a few: what is summed over runs are then amounts.
#
# The noise of simulated runs mixes the curves of a few pilots: write a for the amounts of a run and
# E for the curves that are mixed, so that its scores are a E. Sums over the runs of a relabelling
# are then (Σ a) E, and so are those of squares and products: the cost of a run no longer depends on
# the number of steps.

# Where single precision does not suffice: shapes with less than this share of all, and steps or
# heights that vary by less than so many times what rounding can do.
MIN_SHAPE_SHARE, MIN_VARIATION_OVER_NOISE = 0.002, 1e6

# A mixture must take so many times fewer products: those of small matrices are slower.
MIN_SAVING = 2


@dataclass(frozen=True, eq=False)
class Spanned:
    """Tables of one design, by the amounts of what their curves are made of.

    Attributes
    ----------
    amounts : array, (n_tables, n_runs, n_parts)
    basis : array, (n_parts, n_steps), or None
        The curves of which there are so much; None where the amounts are the scores.
    """

    amounts: Floats
    basis: Floats | None = None

    @classmethod
    def of(cls, amounts: Floats, basis: Floats) -> Spanned:
        """Return the tables in the form in which they are summed up faster."""
        _, n_runs, n_parts = amounts.shape
        n_steps = basis.shape[1]
        if MIN_SAVING * n_parts * (n_runs + n_steps) < n_runs * n_steps:
            return cls(amounts, basis)
        return cls(amounts @ basis)

    def __len__(self) -> int:
        return len(self.amounts)

    @property
    def n_steps(self) -> int:
        """The number of steps of a curve."""
        return self.amounts.shape[2] if self.basis is None else self.basis.shape[1]

    def part(self, rows: slice | npt.NDArray[np.intp]) -> Spanned:
        """Return some of the tables."""
        return Spanned(self.amounts[rows], self.basis)

    def scores(self) -> Floats:
        """Return the curves; (n_tables, n_runs, n_steps)."""
        return self.at_steps(self.amounts)

    def at_steps(self, amounts: Floats) -> Floats:
        """Return the curves that have some amounts; (…, n_parts) becomes (…, n_steps)."""
        return amounts if self.basis is None else amounts @ self.basis

    def heights(self) -> Floats:
        """Return the sum over steps of each curve; (n_tables, n_runs)."""
        if self.basis is None:
            return np.asarray(self.amounts.sum(axis=2))
        return np.asarray(self.amounts @ self.basis.sum(axis=1))

    def sizes(self) -> Floats:
        """Return what no score of a table at a step exceeds; (n_tables, n_steps)."""
        most = np.abs(self.amounts).max(axis=1)
        return np.asarray(most if self.basis is None else most @ np.abs(self.basis))


@dataclass(frozen=True, eq=False)
class Centred:
    """Tables less the mean curves of their blocks, with what all shifts of them share.

    Attributes
    ----------
    curves : Spanned
    blocks : array, (n_runs,)
    heights : array, (n_tables, n_runs)
        The coordinates of the heights: means, times the root of the number of steps.
    sizes : array, (n_tables, n_steps)
        What no score exceeded before it was centred.
    """

    curves: Spanned
    blocks: Integers
    heights: Floats
    sizes: Floats

    @classmethod
    def of(cls, tables: Spanned, blocks: Integers) -> Centred:
        """Centre the curves."""
        curves = Spanned(centred(tables.amounts, blocks), tables.basis)
        heights = curves.heights() / np.sqrt(tables.n_steps)
        return cls(curves, blocks, heights, tables.sizes())

    @cached_property
    def squares(self) -> Floats:
        """The sum of squares over runs, at each step; (n_tables, n_steps)."""
        return self.products(self.curves.amounts)

    def products(self, others: Floats) -> Floats:
        """Return Σ_runs score × other at each step; (n_tables, n_steps).

        The others are amounts of each table or, where they are of no table, scores.
        """
        amounts, basis = self.curves.amounts, self.curves.basis
        of_tables = others.ndim == amounts.ndim
        if basis is None:
            kind = "rjh,rjh->rh" if of_tables else "rjh,jh->rh"
            return np.asarray(np.einsum(kind, amounts, others))
        sums = amounts.transpose(0, 2, 1) @ others
        return np.asarray(np.einsum("rph,ph->rh", sums @ basis if of_tables else sums, basis))

    def with_shift(self, shift: Floats) -> Shifted:
        """Return the tables with a shift added, (n_runs, n_steps); what it takes to test them."""
        heights, noise, step_noise = self.shifted_heights(shift)
        shift = centred(shift[None], self.blocks)[0]
        squares = self.squares + 2 * self.products(shift) + np.sum(shift**2, axis=0)
        np.maximum(squares, 0.0, out=squares)
        lengths = np.sqrt(squares)
        lengths[lengths <= step_noise * MIN_VARIATION_OVER_NOISE] = 0.0
        of_heights = np.sum(heights**2, axis=1)
        total = squares.sum(axis=1)
        known = (
            np.all((lengths > 0) | (squares <= step_noise**2), axis=1)
            & (total - of_heights > MIN_SHAPE_SHARE * total)
            & (of_heights > (MIN_VARIATION_OVER_NOISE * noise) ** 2)
        )
        totals = np.stack([total, of_heights, total - of_heights])
        return Shifted(self.curves, shift, squares, lengths, heights, totals, noise, known)

    def shifted_heights(self, shift: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the coordinates of heights with a shift, and how far rounding moves them.

        The last two are for tables and for steps.
        """
        noise, step_noise = roundings(self.sizes + np.abs(shift).max(axis=0), len(shift))
        own = shift.sum(axis=1)[None, :, None] / np.sqrt(self.curves.n_steps)
        moved = centred(own, self.blocks)[0, :, 0]
        return self.heights + moved, noise, step_noise


class Shifted(NamedTuple):
    """What tables are made of to which a shift is added; arrays have the tables first."""

    curves: Spanned  # centred, and so is the shift
    shift: Floats  # (n_runs, n_steps)
    squares: Floats  # of the shifted curves, at each step
    lengths: Floats  # their roots, 0 at steps without variation
    heights: Floats  # the coordinate of the height
    totals: Floats  # (3, n_tables): all sums of squares, those of heights, those of shapes
    noise: Floats  # how far rounding can move a table
    known: Booleans  # where single precision suffices

    def sums(self, weights: Floats, tables: npt.NDArray[np.intp]) -> Floats:
        """Return weighted sums over runs, of one table each; (n, n_steps).

        ``weights`` is (n, n_runs), and ``tables`` says of which table.
        """
        amounts = np.einsum("pjd,pj->pd", self.curves.amounts[tables], weights)
        return np.asarray(self.curves.at_steps(amounts) + weights @ self.shift)


# --- Which of many tables are significant: in single precision, where that settles it.
#
# Whether a table is significant takes no more than to know if its extreme relabellings are more
# than alpha allows. In single precision that is found out several times as fast, and statistics are
# known to within a tolerance. So relabellings are counted twice: those that are extreme for sure,
# and those that may be. Where the two counts disagree about the verdict, as they do with ties, the
# table is counted again in double precision, by `many_tables`.

# Which tests are done: all, that of height, or all where that of height is significant.
Tests = Literal["all", "height", "height first"]

TABLES_PER_SET = 500  # of relabellings: what tables have in common by them averages out
TABLES_AT_ONCE = 50  # the relabellings of so many are weighed together
WEIGHTS_AT_ONCE = 512  # relabellings
MAX_SCREENED_AT_ONCE = 2**17  # numbers of an array that is gone through several times
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
            restriction.every() if exact else restriction.drawn(count, int(stream_key(key, number)))
        )
        batches = [drawn.batch(batch) for batch in range(-(-count // BATCH))]
        relabellings = np.concatenate(batches)
        screen = _Screen(
            labels, blocks, relabellings, exact=exact, combined=combined, compiled=compiled
        )
        if tests != "all":
            centred = Centred.of(tables.part(rows), blocks)
            for shift, own in zip(shifts, found, strict=True):
                n_extreme = screen.n_extreme_heights(centred, shift)
                own[1, rows] = n_extreme <= allowed
            if tests == "height":
                continue
            rows = rows[found[:, 1, rows].any(axis=0)]
        found[:, :, rows], decided = screen.significant(tables.part(rows), shifts, allowed)
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
            [self._of_heights(heights[rows], noise[rows])[1] for rows in _batches(len(heights))]
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
            [ratios(squared, table.totals[0, :, None]) for table in tables], dtype=np.float32
        )
        shares = np.empty((len(tables), 2, n_tables, n_weights), dtype=np.float32)
        at_once = max(MAX_SCREENED_AT_ONCE // (n_steps * WEIGHTS_AT_ONCE), 1)
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
                *sums, squares, more = (each[: math.prod(shape)].reshape(shape) for each in buffers)
                for row, own in enumerate(sums):
                    if basis is None:
                        np.matmul(part, weights[row], out=own.reshape(len(part), -1))
                    else:
                        np.matmul(basis, of_parts[row, rows], out=own)
                found = shares[:, :, rows, columns]
                given = of_all[:, rows], of_step[:, rows]
                if self.compiled and n_rows == 1:
                    from curvewise.kernels.compiled_kernels import add_shares

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

    def _counts(self, table: Shifted, of_steps: Singles) -> tuple[Integers, Integers, Booleans]:
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
        fewest[2], most[2] = _reaching(shares[2], SHARE_TOLERANCE * worse)
        if not self.combined:
            fewest[0], most[0] = _reaching(shares[0], SHARE_TOLERANCE)
            return fewest, most, known
        np.minimum(shares, MAX_KNOWN_SHARE, out=shares)
        values = _values(shares)
        if again is not None:
            values[(slice(None), *near_one)] = _values(again)
        weighed, varies = self._weighed(values)
        slack = np.minimum(COMBINED_TOLERANCE * worse, 1) * weighed[:, -1:]
        fewest[0], most[0] = _reaching(weighed, slack)
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
        learnt = values[:, :, : self.n_learnt_from]
        values -= learnt.mean(axis=2, keepdims=True)
        variances = np.einsum("erb,erb->er", learnt, learnt) / self.n_learnt_from
        deviations = np.sqrt(variances)
        values *= ratios(np.full_like(deviations, WEIGHT), deviations)[:, :, None]
        if self.n_learnt_from > MAX_UNBOUNDED:
            np.minimum(values, MAX_SINGLE_EXPONENT, out=values)
        np.exp(values, out=values)
        return values.sum(axis=0), np.all(deviations > MIN_SINGLE_DEVIATION, axis=0)


def _values(shares: Singles) -> Singles:
    """Return (r / √(1 − r))^¼, in the precision of the shares."""
    values = shares * shares
    values /= 1 - shares
    for _ in range(3):
        np.sqrt(values, out=values)
    return values


def _reaching(values: Singles, slack: float | Singles) -> tuple[Integers, Integers]:
    """Count the values that are as large as the last one for sure, and that may be."""
    others, observed = values[:, :-1], values[:, -1:]
    return (np.sum(others >= observed + slack, axis=1), np.sum(others >= observed - slack, axis=1))


def _batches(n_tables: int) -> list[slice]:
    """Return which tables are gone through together."""
    starts = range(0, n_tables, TABLES_AT_ONCE)
    return [slice(start, start + TABLES_AT_ONCE) for start in starts]


def _singles(tables: Floats) -> Singles:
    """Return tables in single precision with the runs last."""
    return np.ascontiguousarray(tables.transpose(0, 2, 1), dtype=np.float32)
