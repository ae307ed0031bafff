"""The randomized ANOVA of many tables at once, by relabellings that they share.

A power is simulated from thousands of tables of one design. Each is tested as `compare` tests
it: by height, by shape, and by the whole curve, with the combined statistic or with F. But all
are relabelled alike, so that the sums of their algorithms come from matrix products. Every test
by itself is as exact as one with relabellings of its own.

For a relabelling, write w for the weights with which Lᵀ S of `sums` adds up the runs. Centred
curves X then have Lᵀ S = w X, and w is the same for all tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.adjustments import TIE
from curvewise.kernels.anova.combined import MAX_SHARE, MAX_STEPS, Scales
from curvewise.kernels.anova.sums import group_factor
from curvewise.kernels.anova.thresholds import EPSILON, MIN_VARIATION_OVER_ROUNDING
from curvewise.kernels.codes import distinct

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = [
    "Extremes",
    "Tables",
    "block_centred",
    "ratios",
    "reduced",
    "roundings",
    "sum_weights",
]

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
        deviations = block_centred(scores, blocks)
        coordinates = _rotated(deviations)
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
                    learnt = part._values(
                        scaled_by, part._between(scaled_by), raised=True
                    )
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


def block_centred(scores: Floats, blocks: Integers) -> Floats:
    """Return the curves of each table less the mean curve of their block."""
    deviations = scores - scores.mean(axis=1, keepdims=True)
    names = distinct(blocks)
    if len(names) == 1:
        # The overall mean is gone already, so a large offset costs no digits here.
        deviations -= deviations.mean(axis=1, keepdims=True)
        return deviations
    for block in names:
        rows = blocks == block
        deviations[:, rows] -= deviations[:, rows].mean(axis=1, keepdims=True)
    return deviations


def _rotated(deviations: Floats) -> Floats:
    """Do to each table what `sums.rotated` does to one."""
    n_runs, n_steps = deviations.shape[1:]
    normal = np.full(n_steps, 1 / np.sqrt(n_steps))
    normal[0] -= 1
    length = normal @ normal
    reflected = deviations.copy()
    if length > 0:
        reflected -= (deviations @ normal)[:, :, None] * (2 / length * normal)
    heights, shapes = reflected[:, :, :1], reflected[:, :, 1:]
    if shapes.shape[2] > n_runs:
        upper = np.linalg.qr(shapes.transpose(0, 2, 1), mode="r")
        shapes = np.asarray(upper).transpose(0, 2, 1)
    return np.concatenate([heights, shapes], axis=2)


def reduced(squares: Floats, noise: Floats) -> Floats:
    """Lower sums of squares by what rounding can do to the observed and a shuffled table."""
    return np.maximum(np.sqrt(squares) - 2 * noise[:, None], 0.0) ** 2


def ratios(parts: Floats, wholes: Floats) -> Floats:
    """Divide; 0 where the whole is 0."""
    shape = np.broadcast_shapes(parts.shape, wholes.shape)
    out = np.zeros(shape, dtype=parts.dtype)
    return np.divide(parts, wholes, out=out, where=wholes > 0)
