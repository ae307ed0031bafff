"""Differences step by step: of each relabelling, its largest, and the band of two mean curves.

Compiled code does the same tile by tile for work that repays importing numba: `compiled_steps`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.anova import (
    EPSILON,
    MIN_VARIATION_OVER_ROUNDING,
    centred,
    group_factor,
    ratios,
)
from curvewise.kernels.relabel import resample_counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.kernels.windows import PlaceSums


# --- Differences between algorithms step by step, in every shuffled table.
#
# Write X for the curves less the mean curve of their block, and S_h for the sums of column h over
# the runs of each algorithm. Then
#
#     A_h = S_hᵀ C⁻ S_h,    whose sum over the steps is SS_alg + SS_int,
#
# and I_h is the same for curves less their own mean; its sum is SS_int. The sums of squares between
# and within algorithms add up to a total at each step that shuffling does not change, so the share
# R_h = A_h / total orders relabellings as F_h does.

# A share of a total: where the error is less, it is rounding.
MIN_RESIDUAL_SHARE = 64 * EPSILON
MAX_SUMS_AT_ONCE = 2**18  # an array has one sum per group, step and relabelling
MIN_AT_ONCE, MAX_AT_ONCE = 8, 256  # relabellings
MAX_COLUMNS_AT_ONCE = 2**12  # of a table that is squared


@dataclass(frozen=True, eq=False)
class StepDesign:
    """A table of curves in the form that shuffling it step by step needs.

    Deviations are computed when they are asked for: long curves are kept once. The two rows of ``totals``, ``slack`` and the results of methods are those of A and of I.
    ``slack`` is how far rounding can move the root of a share, ``df`` the degrees of freedom
    of F at each step.
    """

    scores: Floats  # (n_runs, n_steps)
    blocks: Integers  # (n_runs,)
    means: Floats  # (n_runs,): of the deviations of each curve
    factor: Floats
    totals: Floats  # (2, n_steps)
    slack: Floats  # (2, n_steps)
    noise: Floats  # (n_steps,): how far rounding can move a column
    df: tuple[int, int]

    @classmethod
    def from_scores(
        cls, scores: Floats, labels: Integers, blocks: Integers, noise: Floats
    ) -> StepDesign:
        """Centre and sum up; ``noise`` is how far rounding can move each column; (n_steps,)."""
        n_runs, n_steps = scores.shape
        deviations = centred(scores, blocks)
        means = deviations.mean(axis=1)
        # Subtracting the mean of a curve adds what rounding did to that mean.
        noises = np.stack([noise, noise + np.sqrt(np.sum(noise**2)) / n_steps])
        less = 0.0, means[:, None]
        totals = np.stack([sums_of_squares(deviations, own) for own in less])
        totals[totals <= (MIN_VARIATION_OVER_ROUNDING * noises) ** 2] = 0.0
        if n_steps == 1:
            totals[1] = 0.0
        slack = ratios(2 * noises, np.sqrt(totals))
        n_groups, n_blocks = int(labels.max()) + 1, len(np.unique(blocks))
        df = n_groups - 1, n_runs - n_groups - (n_blocks - 1)
        factor = group_factor(labels, blocks)
        return cls(scores, blocks, means, factor, totals, slack, noise, df)

    @property
    def n_steps(self) -> int:
        """How many steps there are."""
        return self.scores.shape[1]

    def columns(self, steps: slice | Integers) -> Floats:
        """Return the curves less the mean curve of their block at some steps; (n_runs, …)."""
        return centred(self.scores[:, steps], self.blocks)

    @property
    def deviations(self) -> Floats:
        """All columns; (n_runs, n_steps)."""
        return self.columns(slice(None))

    @property
    def portion(self) -> int:
        """How many relabellings to work on at a time: a divisor of a batch."""
        fits = MAX_SUMS_AT_ONCE // (self.n_steps * len(self.factor))
        return 2 ** int(np.log2(np.clip(fits, MIN_AT_ONCE, MAX_AT_ONCE)))

    def chosen(self, labels: Integers) -> Floats:
        """Tell which runs are in each group but the last; (n_groups − 1, n_runs, n_relabellings)."""
        groups = np.arange(len(self.factor))[:, None, None]
        return np.equal(labels.T, groups).astype(np.float64)

    def combined(self, columns: Floats, chosen: Floats, out: Floats | None = None) -> Floats:
        """Return Lᵀ S of some columns, (n_columns, n_runs), and chosen runs, as `factored_sums` does."""
        combined = np.matmul(columns, chosen, out=out)
        for row in range(len(combined)):
            # L is lower triangular, so row i of Lᵀ S has only the sums of group i and later.
            combined[row] *= self.factor[row, row]
            for group in range(row + 1, len(combined)):
                combined[row] += self.factor[group, row] * combined[group]
        return combined

    def sums(self, labels: Integers) -> Floats:
        """Return Lᵀ S, whose squares add up to A; (n_groups − 1, n_steps, n_relabellings)."""
        return self.combined(self.deviations.T, self.chosen(labels))

    def profiles(self, sums: Floats) -> Floats:
        """Return A and I from Lᵀ S; (2, n_steps, n_relabellings)."""
        changes = [group - group.mean(axis=0) for group in sums]
        return np.array([sum(group**2 for group in groups) for groups in (sums, changes)])

    def roots(self, profiles: Floats) -> Floats:
        """Return the root of R, the share of the total at each step; 0 without variation."""
        return np.sqrt(ratios(profiles, self.totals[:, :, None]))


def sums_of_squares(table: Floats, less: Floats | float = 0.0) -> Floats:
    """Return the sum of squares of each column, of which ``less`` is first taken off."""
    totals = np.empty(table.shape[1])
    for start in range(0, len(totals), MAX_COLUMNS_AT_ONCE):
        part = slice(start, start + MAX_COLUMNS_AT_ONCE)
        totals[part] = np.sum((table[:, part] - less) ** 2, axis=0)
    return totals


def f_ratios(shares: Floats, df: tuple[int, int]) -> Floats:
    """Return F from shares of the total; very large, but finite, where there is no error."""
    residual_shares = np.maximum(1 - shares, MIN_RESIDUAL_SHARE)
    return shares / residual_shares * (df[1] / df[0])


def cluster_masses(ratios: Floats, threshold: float) -> Floats:
    """Sum F over clusters of neighbouring steps with F at or above a threshold.

    Returns, at each step, the sum from the beginning of its cluster up to there; 0 outside
    of clusters. Steps are the second axis from the last.
    """
    above = ratios >= threshold
    summed = np.cumsum(np.where(above, ratios, 0.0), axis=-2)
    # F is not negative, so the largest sum at a step outside of clusters is the last one.
    before = np.maximum.accumulate(np.where(above, 0.0, summed), axis=-2)
    return summed - before


# --- Lᵀ S of long curves in tiles: some steps of some relabellings at a time, in any order of
# steps.
#
# A tile stays in the cache while it is worked on. It is cheaper to compute it again, for another
# order of the steps, than to keep all of them: there is one number for each step and relabelling.

MAX_RELABELLINGS = 128  # of a tile
MAX_SUMS = 2**16  # of a tile: one per group, step and relabelling


@dataclass(frozen=True, eq=False)
class Tiles:
    """The relabellings of a batch in parts, and which runs they put into each group."""

    design: StepDesign
    parts: list[slice]
    chosen: list[Floats]  # (n_groups − 1, n_runs, n_relabellings) of each part

    @classmethod
    def of(cls, design: StepDesign, labels: Integers) -> Tiles:
        """Cut relabellings, (n_relabellings, n_runs), into parts."""
        starts = range(0, len(labels), MAX_RELABELLINGS)
        parts = [slice(start, min(start + MAX_RELABELLINGS, len(labels))) for start in starts]
        return cls(design, parts, [design.chosen(labels[part]) for part in parts])

    def means(self) -> list[Floats]:
        """Return the means over all steps, (n_groups − 1, n_relabellings), of each part."""
        heights = self.design.means[None, :]
        return [self.design.combined(heights, chosen)[:, 0] for chosen in self.chosen]

    def along(self, order: Integers | None = None) -> Iterator[tuple[slice, int, Floats]]:
        """Yield which steps these are, the number of a part, and its Lᵀ S at these steps.

        Steps come as they are, or in an ``order``, of which the slice is then a part. The array,
        (n_groups − 1, n_steps, n_relabellings), is used again for later tiles.
        """
        n_groups, n_steps = len(self.design.factor), self.design.n_steps
        n_parts = -(-n_steps * n_groups * MAX_RELABELLINGS // MAX_SUMS)
        edges = np.linspace(0, n_steps, min(n_parts, n_steps) + 1).astype(np.int64)
        rooms: dict[tuple[int, ...], Floats] = {}
        for start, stop in pairwise(edges.tolist()):
            steps = slice(start, stop)
            columns = self.design.columns(steps if order is None else order[steps])
            for number, chosen in enumerate(self.chosen):
                shape = n_groups, columns.shape[1], chosen.shape[2]
                if shape not in rooms:
                    rooms[shape] = np.empty(shape)
                yield steps, number, self.design.combined(columns.T, chosen, rooms[shape])


# --- From when, until when: windows that shrink from one end.
#
# "No difference from step h to the end" for h = 1, 2, … are nested hypotheses. Tested in that
# order, each at alpha, and stopping at the first that is not rejected, the chance of any false
# rejection stays at alpha: the first true hypothesis must be rejected falsely before any other.
#
# The statistic of a window is the largest of its steps. The largest of fewer steps is never larger,
# so a step that stands out among all steps also stands out in every window that contains it: such a
# window is rejected whenever the test at each step names a step in it.


def nested_maxima(values: Floats) -> Floats:
    """Return the largest of every nested window.

    ``values`` is (n_steps, n_relabellings). The result is (2, n_steps, n_relabellings): first
    the windows from a step to the end, then those from the start to a step.
    """
    return np.stack(
        [np.maximum.accumulate(values[::-1], axis=0)[::-1], np.maximum.accumulate(values, axis=0)]
    )


def sequential(pvalues: Floats, of_steps: Floats) -> Floats:
    """Return p of both sequences of nested windows, valid for all of them together.

    ``pvalues`` is (2, n_steps), in the order of `nested_maxima`; ``of_steps`` has the p of each
    step, adjusted for all steps. A window has no smaller p than those tested before it, twice
    that because there are two sequences, and no larger p than any of its steps.

    >>> sequential(np.array([[0.01, 0.2], [0.03, 0.01]]), np.array([0.3, 0.01])).tolist()
    [[0.01, 0.01], [0.06, 0.01]]
    """

    def in_turn(windows: Floats, steps: Floats) -> Floats:
        of_any_step = np.minimum.accumulate(steps[::-1])[::-1]
        return np.minimum(np.maximum.accumulate(windows), of_any_step)

    to_end, from_start = 2 * pvalues
    mirrored = in_turn(from_start[::-1], of_steps[::-1])
    return np.stack([in_turn(to_end, of_steps), mirrored[::-1]])


# --- Every step of some relabellings: what reaches the observed, and the largest of each.


class Bars(NamedTuple):
    """What a relabelling must reach to count; rows are those of A and of I.

    Attributes
    ----------
    steps : array, (2, n_steps)
        The root of R at a step.
    nested : array, (2, n_steps)
        Its largest, for A, in windows to the end, and from the start.
    order : array, (2, n_steps)
        Steps from the most to the least striking.
    threshold : float
        F of steps that make a cluster.
    """

    steps: Floats
    nested: Floats
    order: Integers
    threshold: float


class StepCounts(NamedTuple):
    """How many relabellings reach the bars; (2, n_steps) each.

    ``stepdown`` is about the largest among the steps not more striking.
    """

    step: Integers
    stepdown: Integers
    nested: Integers

    @classmethod
    def none(cls, n_steps: int) -> StepCounts:
        """Begin at zero."""
        return cls(*np.zeros((3, 2, n_steps), dtype=np.int64))


def scan_steps(
    design: StepDesign,
    labels: Integers,
    bars: Bars,
    counts: StepCounts,
    gathered: PlaceSums | None = None,
    *,
    compiled: bool,
) -> Floats:
    """Scan relabellings, (n_relabellings, n_runs); add to the counts, and gather sums of places.

    Returns, for each relabelling, the largest root of R and the largest sum of F over a
    cluster; (2, 2, n_relabellings), by effect in the second place. Roots of R are raised by how
    far rounding can move them.
    """
    if compiled:
        return _scan_tiles(design, labels, bars, counts, gathered)
    largest = []
    for start in range(0, len(labels), design.portion):
        sums = design.sums(labels[start : start + design.portion])
        largest.append(_scan_portion(design, sums, bars, counts))
        if gathered is not None:
            gathered.fill(start, sums)
    return np.concatenate(largest, axis=-1)


def _scan_portion(design: StepDesign, sums: Floats, bars: Bars, counts: StepCounts) -> Floats:
    roots = design.roots(design.profiles(sums))
    ratios = f_ratios(roots**2, design.df)
    masses = cluster_masses(ratios, bars.threshold).max(axis=1)
    roots += design.slack[:, :, None]
    at_least = bars.steps[:, :, None]
    counts.step[:] += np.sum(roots >= at_least, axis=-1)
    for effect, order in enumerate(bars.order):
        # The largest of this step and all less striking ones.
        so_far = np.maximum.accumulate(roots[effect, order[::-1]], axis=0)[::-1]
        counts.stepdown[effect, order] += np.sum(so_far >= at_least[effect, order], axis=-1)
    counts.nested[:] += np.sum(nested_maxima(roots[0]) >= bars.nested[:, :, None], axis=-1)
    return np.stack([roots.max(axis=1), masses])


def _scan_tiles(
    design: StepDesign, labels: Integers, bars: Bars, counts: StepCounts, gathered: PlaceSums | None
) -> Floats:
    from curvewise.kernels.compiled_steps import N_STATES, raise_largest, scan_steps

    tiles = Tiles.of(design, labels)
    means = tiles.means()
    shape = len(tiles.parts), 2, N_STATES, MAX_RELABELLINGS
    states, ratio = np.zeros(shape), design.df[1] / design.df[0]
    rows = design.totals, design.slack, bars.steps
    for steps, number, sums in tiles.along():
        state = states[number].reshape(2, -1)
        ends = bars.nested[1], bars.threshold, ratio, state, counts.step, counts.nested[1]
        scan_steps(sums, means[number], steps.start, *rows, *ends)
        if gathered is not None:
            gathered.add(steps, tiles.parts[number].start, sums)
    # Of all parts but the last, every place of the state is a relabelling.
    largest = np.concatenate(states[:, :, :2], axis=-1)[:, :, : len(labels)].transpose(1, 0, 2)
    # The largest in windows to the end, and of a step and all less striking ones.
    backwards = np.arange(design.n_steps)[::-1]
    for effect, order, least, reaching in (
        (0, backwards, bars.nested[0], counts.nested[0]),
        (0, bars.order[0, ::-1], bars.steps[0], counts.stepdown[0]),
        (1, bars.order[1, ::-1], bars.steps[1], counts.stepdown[1]),
    ):
        states = np.zeros((len(tiles.parts), N_STATES * MAX_RELABELLINGS))
        for steps, number, sums in tiles.along(order):
            some = np.ascontiguousarray(order[steps])
            own = some, design.totals[effect], design.slack[effect], least
            raise_largest(sums, means[number], effect, *own, states[number], reaching)
    return np.ascontiguousarray(largest)


def largest_roots(design: StepDesign, labels: Integers, *, compiled: bool) -> Floats:
    """Return the largest root of R of each relabelling, for A, raised as in `scan_steps`."""
    if not compiled:
        largest = []
        for start in range(0, len(labels), design.portion):
            sums = design.sums(labels[start : start + design.portion])
            roots = design.roots(design.profiles(sums))[0] + design.slack[0, :, None]
            largest.append(roots.max(axis=0))
        return np.concatenate(largest)
    from curvewise.kernels.compiled_steps import N_STATES, raise_largest

    tiles = Tiles.of(design, labels)
    states = np.zeros((len(tiles.parts), N_STATES * MAX_RELABELLINGS))
    everything = np.arange(design.n_steps)
    nothing, unused = np.zeros((0, 0)), np.zeros(design.n_steps, dtype=np.int64)
    for steps, number, sums in tiles.along():
        rows = everything[steps], design.totals[0], design.slack[0], design.slack[0]
        raise_largest(sums, nothing, 0, *rows, states[number], unused)
    return np.asarray(states[:, :MAX_RELABELLINGS].ravel()[: len(labels)])


# --- Which share of the differences between algorithms lies in a part of training, resampled.
#
# A and I, at each step, are those of `StepDesign`, computed anew for every resample; I is A of curves
# less their own mean.

MAX_RESAMPLED_SUMS = 2**20  # in memory at a time: one per resample, algorithm and column


def resampled_shares(
    scores: Floats,
    labels: Integers,
    blocks: Integers,
    n_resamples: int,
    seed: int,
    ends: Sequence[tuple[int, int]],
    *,
    changes: bool,
) -> Floats:
    """Return the share of A, or with ``changes`` of I, that lies in each of several windows.

    ``ends`` are the first and the last step of each window; the result is (n_resamples,
    n_windows), 0 where there is no difference at all. Runs are drawn within their algorithm,
    or whole blocks where there are blocks.
    """
    table = scores - scores.mean(axis=0)
    if changes:
        table -= table.mean(axis=1, keepdims=True)
    first, last = np.array(ends).T
    edges = np.unique(np.concatenate([[0], first, last + 1]))
    columns, starts = _rotated_stretches(table, edges[edges < scores.shape[1]])
    names, codes = np.unique(blocks, return_inverse=True)
    if len(names) == 1:
        counts = resample_counts(labels, n_resamples, seed)
        effects = _of_runs(columns, labels, counts)
    else:
        counts = resample_counts(np.zeros(len(names), dtype=np.int64), n_resamples, seed)
        effects = _of_blocks(columns, labels, codes, counts)
    before, after = np.searchsorted(edges, first), np.searchsorted(edges, last + 1)
    shares = []
    for squares in effects:
        by_stretch = np.add.reduceat(squares, starts, axis=1)
        up_to = np.pad(np.cumsum(by_stretch, axis=1), ((0, 0), (1, 0)))
        inside, total = up_to[:, after] - up_to[:, before], up_to[:, -1:]
        shares.append(ratios(inside, total))
    return np.concatenate(shares)


def _rotated_stretches(table: Floats, edges: Integers) -> tuple[Floats, Integers]:
    """Rotate the steps of each stretch; it begins at one of the edges, and ends at the next.

    A rotation changes no sum of squares over the steps of a stretch, and of many steps leaves
    as many that are not 0 as there are runs. Returns the columns, and where each stretch begins
    among them.
    """
    n_runs = len(table)
    parts = [
        part if part.shape[1] <= n_runs else np.asarray(np.linalg.qr(part.T, mode="r")).T
        for part in np.split(table, edges[1:], axis=1)
    ]
    widths = np.array([part.shape[1] for part in parts])
    return np.hstack(parts), np.cumsum(widths) - widths


def _batches(counts: Floats, n_values: int) -> Iterator[Floats]:
    size = max(MAX_RESAMPLED_SUMS // n_values, 1)
    for start in range(0, len(counts), size):
        yield counts[start : start + size]


def _of_runs(scores: Floats, labels: Integers, counts: Floats) -> Iterator[Floats]:
    """Yield A of resampled runs, a batch at a time; (n_resamples, n_columns)."""
    sizes = np.bincount(labels)
    members = [labels == group for group in range(len(sizes))]
    for batch in _batches(counts, scores.shape[1]):
        means = np.stack([batch[:, own] @ scores[own] for own in members])
        means /= sizes[:, None, None]
        means -= np.tensordot(sizes / sizes.sum(), means, axes=1)
        yield np.tensordot(sizes, means**2, axes=1)


def _of_blocks(
    scores: Floats, labels: Integers, codes: Integers, counts: Floats
) -> Iterator[Floats]:
    """Yield A = Sᵀ C⁻ S of resampled blocks, a batch at a time; (n_resamples, n_columns).

    S and C are sums over blocks, so those of a resample are sums with its counts.
    """
    n_blocks, n_groups = counts.shape[1], int(labels.max()) + 1
    deviations = centred(scores, codes)
    sums = np.zeros((n_blocks, n_groups, scores.shape[1]))
    np.add.at(sums, (codes, labels), deviations)
    sizes = np.zeros((n_blocks, n_groups))
    np.add.at(sizes, (codes, labels), 1.0)
    information = np.eye(n_groups) * sizes[:, :, None]
    information -= sizes[:, :, None] * sizes[:, None, :] / sizes.sum(axis=1)[:, None, None]
    for batch in _batches(counts, sums[0].size):
        # A resample may have no block that compares some algorithms with the others; the
        # pseudo-inverse then compares only those that blocks connect.
        inverses = np.linalg.pinv(np.tensordot(batch, information, axes=1), hermitian=True)
        drawn = np.tensordot(batch, sums, axes=1)
        yield np.sum(drawn * (inverses @ drawn), axis=1)


# --- The difference between two mean curves: a band for all of it, and where it crosses zero.
#
# The band is D_h ± c se_h, with se_h the pooled standard error at the step. Its c is a quantile of
# the largest |t| over the steps in shuffled tables: of the curves, as in the test at each step, or
# of their residuals, whichever is larger. A large difference hides in shuffled curves as error, and
# so makes their t small; in residuals there is no difference to hide. Residuals alone give slightly
# too many misses where nothing differs.
#
# With two algorithms the share R_h of the total is t_h² / (t_h² + df), so that quantiles of √R_h
# are turned into quantiles of |t|.

NEXT_TO_ZERO = float(np.finfo(np.float64).tiny)  # the end of a band that excludes 0 only


@dataclass(frozen=True, eq=False)
class Residuals(StepDesign):
    """The curves of two algorithms with their difference taken off, column by column.

    ``totals`` and the rest are of what is left; ``scores`` are the curves themselves.
    """

    contrast: Floats  # (n_runs,): which runs are of the first, less the mean of their block
    difference: Floats  # (n_steps,)
    is_rounding: Booleans  # (n_steps,): whether nothing else would be left

    def columns(self, steps: slice | Integers) -> Floats:
        """Return what is left at some steps."""
        left = super().columns(steps)
        left -= np.outer(self.contrast, self.difference[steps])
        left[:, self.is_rounding[steps]] = 0.0
        return centred(left, self.blocks)


@dataclass(frozen=True, eq=False)
class Difference:
    """The first mean curve less the second, compared within blocks, at each step."""

    values: Floats
    errors: Floats  # standard errors; 0 where runs of the same algorithm do not vary
    residuals: Residuals

    @classmethod
    def of(cls, design: StepDesign, labels: Integers, blocks: Integers) -> Difference:
        """Estimate the difference of two algorithms with the codes 0 and 1."""
        factor = float(design.factor[0, 0])
        sums, totals = design.sums(labels[None, :])[0, :, 0], design.totals[0]
        values = np.where(totals > 0, factor * sums, 0.0)
        first = (labels == 0).astype(np.float64)
        contrast = first - (np.bincount(blocks, weights=first) / np.bincount(blocks))[blocks]
        left = design.deviations
        left -= np.outer(contrast, values)
        # What is left is no more than rounding where it is next to nothing of the total.
        is_rounding = sums_of_squares(left) <= MIN_RESIDUAL_SHARE * totals
        is_rounding |= totals == 0
        left[:, is_rounding] = 0.0
        errors = factor * np.sqrt(sums_of_squares(left) / design.df[1])
        bare = StepDesign.from_scores(left, labels, blocks, design.noise)
        own = replace(bare, scores=design.scores)
        residuals = Residuals(
            **vars(own), contrast=contrast, difference=values, is_rounding=is_rounding
        )
        return cls(values, errors, residuals)

    def largest_roots(self, labels: Integers, *, compiled: bool) -> Floats:
        """Return the largest √R over the steps, in each relabelling of the residuals."""
        return largest_roots(self.residuals, labels, compiled=compiled)


def critical_t(root: float, df: int) -> float:
    """Return the |t| of a √R; infinite where no error is left.

    >>> critical_t(0.6, 16), critical_t(1.0, 16)
    (3.0, inf)
    """
    residual_share = 1 - root**2
    if residual_share <= MIN_RESIDUAL_SHARE:
        return math.inf
    return root * math.sqrt(df / residual_share)


def band_ends(
    difference: Floats, errors: Floats, critical: float, named: Booleans
) -> tuple[Floats, Floats]:
    """Return the lower and upper end of the band at each step.

    The band leaves 0 out where a step is ``named``, and only there: where ``critical``
    standard errors say otherwise, its end is moved to 0, or just beside it. An infinite
    ``critical`` gives a band without ends, except where nothing varies at all.
    """
    half = np.full_like(errors, math.inf)
    if math.isinf(critical):
        half[(errors == 0) & (difference == 0)] = 0.0
    else:
        half = critical * errors
    above, below = named & (difference > 0), named & (difference < 0)
    low, high = difference - half, difference + half
    low = np.where(above, np.maximum(low, NEXT_TO_ZERO), np.minimum(low, 0.0))
    high = np.where(below, np.minimum(high, -NEXT_TO_ZERO), np.maximum(high, 0.0))
    return low, high


def sign_changes(signs: Integers) -> list[tuple[int, int]]:
    """Return where a sign is followed by the other: the last place of one, the first of the other.

    A sign of 0 is not known, and neither continues nor ends a stretch of signs.

    >>> sign_changes(np.array([0, 1, 1, 0, -1, -1, 1]))
    [(2, 4), (5, 6)]
    """
    known = np.flatnonzero(signs)
    turns = np.flatnonzero(np.diff(signs[known]))
    return [(int(known[turn]), int(known[turn + 1])) for turn in turns]


def zero_crossing(difference: Floats, steps: Floats) -> float:
    """Return the step that best separates two leads, of a difference whose ends differ in sign.

    The area by which one curve leads before the step and the other after it is as large as
    possible; where curves cross once, that is where they cross. Between two steps it is
    interpolated.
    """
    ahead = difference if difference[0] > 0 else -difference
    # The last step cannot be part of the first lead, since its sign is the other one.
    before = int(np.argmax(np.cumsum(ahead[:-1])))
    left, right = ahead[before], ahead[before + 1]
    share = left / (left - right)
    return float(steps[before] + share * (steps[before + 1] - steps[before]))
