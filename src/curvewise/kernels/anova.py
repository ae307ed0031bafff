"""The randomized ANOVA: sums of squares, what counts as extreme, and the design of a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.compiling import kernels_are_loaded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.kernels import Floats, Integers


# --- Sums of squares of a table of curves, and of every shuffled table.
#
# Write X for the curves less the mean curve of their block (without blocks: the mean curve), S_i
# for the sum of X over the runs of algorithm i, and C for the information that the blocks leave on
# the algorithms. Then, per shuffle,
#
#     SS_alg + SS_int = Sᵀ C⁻ S,    which is Σ_i |S_i|² / n_i without blocks,
#
# SS_alg is the same for the curve means, and Σ X² never changes. Only inner products of curves
# matter, so X is rotated once onto a coordinate along the constant curve, the height, and at most n
# more, the shape: the cost of a shuffle does not grow with the number of steps.

# From so many groups on, adding up the runs of each is cheaper than a matrix product for each
# and the triangle that joins them, whose cost grows with the square of their number.
MIN_GROUPS_ADDED_UP = 10
MAX_SUMS_AT_ONCE = 2**16  # numbers that stay in the cache between two passes


class Strata(NamedTuple):
    """Sums of squares that no relabelling changes."""

    training: float
    blocks: float
    blocks_by_training: float
    heights: float  # SS_alg + SS_curves
    shapes: float  # SS_int + SS_residual
    total: float


def centred(scores: Floats, blocks: Integers) -> Floats:
    """Return the curves, of one table or of several, less the mean curve of their block."""
    deviations = np.asarray(scores - scores.mean(axis=-2, keepdims=True))
    names = np.unique(blocks)
    for block in names:
        rows = slice(None) if len(names) == 1 else blocks == block
        # The overall mean is gone already, so a large offset costs no digits here.
        deviations[..., rows, :] -= deviations[..., rows, :].mean(axis=-2, keepdims=True)
    return deviations


def strata(scores: Floats, within: Floats) -> Strata:
    """Split the total sum of squares into training, blocks, curve heights and shapes.

    ``within`` are the scores as `centred` leaves them.
    """
    n_runs, n_steps = scores.shape
    deviations = scores - scores.mean()
    step_means = deviations.mean(axis=0)
    block_curves = deviations - step_means - within
    block_heights = block_curves.mean(axis=1)
    heights = within.mean(axis=1)

    def squares(part: Floats) -> float:
        return float(np.sum(part**2))

    return Strata(
        training=n_runs * squares(step_means - step_means.mean()),
        blocks=n_steps * squares(block_heights),
        blocks_by_training=squares(block_curves - block_heights[:, None]),
        heights=n_steps * squares(heights),
        shapes=squares(within - heights[:, None]),
        total=squares(deviations),
    )


def rotated(deviations: Floats) -> Floats:
    """Return curves as coordinates: their height, and at most n coordinates of shape.

    Inner products of curves, and so all sums of squares, do not change. The first column is
    the height. The curves are those of one table or of several.
    """
    n_runs, n_steps = deviations.shape[-2:]
    # The reflection that takes the constant curve to the first axis.
    normal = np.full(n_steps, 1 / np.sqrt(n_steps))
    normal[0] -= 1
    length = normal @ normal
    reflected = deviations.copy()
    if length > 0:
        reflected -= (deviations @ normal)[..., None] * (2 / length * normal)
    heights, shapes = reflected[..., :1], reflected[..., 1:]
    if shapes.shape[-1] > n_runs:
        # The triangular factor of the transposed shapes has the same inner products.
        upper = np.asarray(np.linalg.qr(shapes.swapaxes(-1, -2), mode="r"))
        shapes = upper.swapaxes(-1, -2)
    return np.ascontiguousarray(np.concatenate([heights, shapes], axis=-1))


def ratios(parts: Floats | float, wholes: Floats) -> Floats:
    """Divide; 0 where the whole is 0."""
    parts = np.asarray(parts)
    out = np.zeros(np.broadcast_shapes(parts.shape, wholes.shape), dtype=parts.dtype)
    return np.divide(parts, wholes, out=out, where=wholes > 0)


def group_factor(labels: Integers, blocks: Integers) -> Floats:
    """Return the triangle L with Sᵀ C⁻ S = |Lᵀ S|², for the sums S of all groups but one.

    Centred curves sum to zero, so the sum of the last group is known. Where blocks hold the
    algorithms in different proportions, C allows for the differences between blocks, so
    that algorithms are compared within blocks only. Dividing by the sizes instead could miss
    a large effect when blocks are incomplete.
    """
    n_groups = int(labels.max()) + 1
    return _group_factor(
        tuple(
            tuple(np.bincount(labels[blocks == block], minlength=n_groups).tolist())
            for block in np.unique(blocks)
        )
    )


@lru_cache(maxsize=1024)
def _group_factor(sizes: tuple[tuple[int, ...], ...]) -> Floats:
    """Return the factor, which depends on the sizes of the groups in each block only."""
    information = np.diag(np.sum(sizes, axis=0).astype(np.float64))
    for counts in map(np.array, sizes):
        information -= np.outer(counts, counts) / counts.sum()
    inverse = np.linalg.inv(information[:-1, :-1])
    factor = np.asarray(np.linalg.cholesky(inverse), dtype=np.float64)
    factor.setflags(write=False)
    return factor


def plain_sizes(labels: Integers, blocks: Integers) -> Integers | None:
    """Return the sizes n_i of the groups if Sᵀ C⁻ S = Σ |S_i|² / n_i; else None.

    That is so without blocks, and where every block holds the groups in proportion.
    """
    sizes = np.bincount(labels)
    for block in np.unique(blocks):
        counts = np.bincount(labels[blocks == block], minlength=len(sizes))
        if np.any(counts * len(labels) != sizes * counts.sum()):
            return None
    return sizes


def factored_sums(labels: Integers, columns: Floats, factor: Floats) -> Iterator[Floats]:
    """Yield the rows of Lᵀ S, whose squares add up to Sᵀ C⁻ S; (n_relabellings, n_columns) each.

    ``labels`` is (n_relabellings, n_runs); the columns are centred, (n_runs, n_columns).
    """
    sums = [(labels == group).astype(np.float64) @ columns for group in range(len(factor))]
    for row in range(len(factor)):
        # L is lower triangular, so row i of Lᵀ S has only the sums of group i and later.
        combined = sums[row]
        combined *= factor[row, row]
        for group in range(row + 1, len(factor)):
            combined += factor[group, row] * sums[group]
        yield combined


def column_squares(
    labels: Integers,
    columns: Floats,
    factor: Floats,
    sizes: Integers | None = None,
    *,
    compiled: bool = False,
) -> Floats:
    """Return Sᵀ C⁻ S of each column; (n_relabellings, n_columns).

    ``sizes`` are those of `plain_sizes`: with them, the cost is linear in the number of groups.
    ``compiled`` changes no digit; compiled code that is loaded is used in any case.
    """
    if sizes is not None and len(sizes) >= MIN_GROUPS_ADDED_UP:
        if compiled or kernels_are_loaded():
            from curvewise.kernels.compiled_kernels import added_up_squares

            return np.asarray(added_up_squares(labels, columns, sizes))
        return _added_up_squares(labels, columns, sizes)
    squares = None
    for sums in factored_sums(labels, columns, factor):
        own = np.multiply(sums, sums, out=sums)
        squares = own if squares is None else np.add(squares, own, out=squares)
    return np.asarray(squares)


def sums_in_order(labels: Integers, columns: Floats, sizes: Integers) -> Floats:
    """Return the sums of each group, its runs added up in their order; (n, n_groups, n_columns)."""
    # Of the groups from the largest to the smallest, the first so many have a j-th run.
    largest_first = np.argsort(-sizes, kind="stable")
    starts = (np.cumsum(sizes) - sizes)[largest_first]
    # Small integers are sorted by their digits, in linear time.
    small = labels.astype(np.min_scalar_type(len(sizes)))
    order = np.argsort(small, axis=1, kind="stable")
    sums = columns[order[:, starts]]
    for place in range(1, int(sizes.max())):
        n_larger = int(np.sum(sizes > place))
        sums[:, :n_larger] += columns[order[:, starts[:n_larger] + place]]
    return sums[:, np.argsort(largest_first)]


def _added_up_squares(labels: Integers, columns: Floats, sizes: Integers) -> Floats:
    """Return Σ |S_i|² / n_i, the runs of a group added up in their order."""
    weights = 1 / sizes[:, None]
    portion = max(MAX_SUMS_AT_ONCE // (len(sizes) * columns.shape[1]), 1)
    squares = np.empty((len(labels), columns.shape[1]))
    for start in range(0, len(labels), portion):
        sums = sums_in_order(labels[start : start + portion], columns, sizes)
        sums *= sums
        sums *= weights
        squares[start : start + portion] = sums.sum(axis=1)
    return squares


def group_squares(
    labels: Integers,
    coordinates: Floats,
    factor: Floats,
    sizes: Integers | None = None,
    *,
    compiled: bool = False,
) -> Floats:
    """Return SS_alg and SS_int of each relabelling; shape (2, n_relabellings).

    ``labels`` is (n_relabellings, n_runs); the coordinates are those of `rotated`, and the rest
    is as for `column_squares`.
    """
    squares = column_squares(labels, coordinates, factor, sizes, compiled=compiled)
    return np.stack([squares[:, 0], squares[:, 1:].sum(axis=1)])


# --- When a relabelling is at least as extreme as what was observed.
#
# For each of five statistics that is a linear condition on SS_alg and SS_int, since the sum of an
# effect and its error never changes. The statistics are overall, algorithm and interaction by their
# own error terms, then algorithm and interaction by the pooled error, in this order throughout. F
# is never computed, so an error of zero needs no special case.
#
# Ties must count, and equal decimals are rarely equal in binary. Rounding moves a table of curves
# by a known distance at most, and the root of any of its sums of squares by no more than that;
# values that are nearer than this count as ties.

EPSILON = float(np.finfo(np.float64).eps)
# A column whose variation is less than this many times what rounding can do does not vary.
MIN_VARIATION_OVER_ROUNDING = 16.0


class Totals(NamedTuple):
    """Total sums of squares of heights and of shapes.

    Each relabelling divides them between effect and error.
    """

    heights: float
    shapes: float


class ExtremeRule(NamedTuple):
    """The relabellings at least as extreme as the observed one, for each of five statistics.

    They are those with ``slopes @ (SS_alg, SS_int) >= bounds``.
    """

    slopes: Floats  # (5, 2)
    bounds: Floats  # (5,)

    def n_extreme(self, between: Floats) -> Integers:
        """Count the relabellings at least as extreme as the observed one; (5,).

        ``between`` has SS_alg and SS_int of each relabelling; (2, n_relabellings).
        """
        # Term by term: a matrix product could round the same row differently in
        # batches of different sizes.
        return np.array(
            [
                np.count_nonzero(_weighted(slopes, between) >= bound)
                for slopes, bound in zip(self.slopes, self.bounds, strict=True)
            ]
        )


def _weighted(slopes: Floats, between: Floats) -> Floats:
    """Return one of the statistics; slopes of 0 and 1 cost nothing, and change no digit."""
    of_height, of_shape = slopes
    if not of_shape:
        return np.asarray(of_height * between[0] if of_height != 1 else between[0])
    if not of_height:
        return np.asarray(of_shape * between[1] if of_shape != 1 else between[1])
    height = between[0] if of_height == 1 else of_height * between[0]
    shape = between[1] if of_shape == 1 else of_shape * between[1]
    return np.asarray(height + shape)


def rounding(scores: Floats, precision: float) -> float:
    """Return how far rounding can move a table of scores, as a distance.

    ``precision`` is the relative precision of the scores as given: half of it for the
    rounding of each score, and a few units in the last place for the arithmetic.
    """
    largest = float(np.abs(scores).max())
    return math.sqrt(scores.size) * largest * (precision / 2 + 4 * EPSILON)


def step_rounding(scores: Floats, precision: float) -> Floats:
    """Return how far rounding can move each column of a table, as distances; (n_steps,).

    Storing a score rounds it relative to its own column, but the arithmetic rounds relative
    to the largest score of all.
    """
    stored = np.abs(scores).max(axis=0) * (precision / 2)
    worked = 4 * EPSILON * float(np.abs(scores).max())
    return np.asarray(math.sqrt(len(scores)) * (stored + worked))


def extreme_rule(
    between: Floats, errors: tuple[float, float], totals: Totals, noise: float
) -> ExtremeRule:
    """Return which relabellings are at least as extreme as the observed one.

    ``between`` has the observed SS_alg and SS_int, ``errors`` SS_curves and SS_residual;
    ``noise`` is how far rounding can move the table.
    """
    algorithm, interaction = (float(value) for value in between)
    total, error = sum(totals), sum(errors)
    # The error of a shuffled table is total − effect, a difference of larger numbers, so
    # rounding can change it by this much.
    cancelled = 64 * EPSILON * total + 4 * math.sqrt(error) * noise
    pooled = []
    for effect in (algorithm, interaction):
        least = _reduced(effect, noise)
        # With * for the relabelling, and other* for the effect that is not tested,
        #     F* >= F  <=>  effect* (effect + error) >= effect (effect* + error*),
        # and effect* + error* = total − other*. So with share = effect / (effect + error)
        # the condition is effect* + share other* >= share total.
        whole = least + error
        pooled.append(least / whole if whole > 0 else 0.0)
    algorithm_share, interaction_share = pooled
    slopes = [(1, 1), (1, 0), (0, 1), (1, algorithm_share), (interaction_share, 1)]
    bounds = [
        _reduced(algorithm + interaction, noise),
        _reduced(algorithm, noise),
        _reduced(interaction, noise),
        algorithm_share * max(total - cancelled, 0.0),
        interaction_share * max(total - cancelled, 0.0),
    ]
    return ExtremeRule(np.array(slopes, dtype=np.float64), np.array(bounds))


def _reduced(ss: float, noise: float) -> float:
    """Lower a sum of squares by what rounding can do to the observed and a shuffled table."""
    return max(math.sqrt(ss) - 2 * noise, 0.0) ** 2


def effect_ratio(between: Floats, totals: Totals, row: int) -> Floats:
    """Return effect over error, without degrees of freedom, for one of the five statistics.

    Infinite where there is an effect and no error, and 0 where there is neither.
    """
    algorithm, interaction = between
    floors = [64 * EPSILON * total for total in totals]
    errors = [np.maximum(total - own, 0.0) for total, own in zip(totals, between, strict=True)]
    if row in {1, 2}:
        return _ratio(between[row - 1], errors[row - 1], floors[row - 1])
    effect = {0: algorithm + interaction, 3: algorithm, 4: interaction}[row]
    return _ratio(effect, errors[0] + errors[1], floors[0] + floors[1])


def _ratio(effect: Floats, error: Floats, floor: float) -> Floats:
    """Divide; an error of at most ``floor`` is none: infinite then, or 0 without effect."""
    if error.min(initial=math.inf) > floor:
        return np.asarray(effect / error)
    ratios = np.where(effect > floor, np.inf, 0.0)
    np.divide(effect, error, out=ratios, where=error > floor)
    return ratios


# --- A table of curves in the form that shuffling needs.


@dataclass(frozen=True, eq=False)
class Design:
    """Coordinates of the curves, the observed sums of squares, and what counts as extreme.

    ``factor`` and ``sizes`` are those of `group_factor` and `plain_sizes`. ``contrast`` holds,
    for two groups, the curve means and the membership of the first group, both centred as the
    curves are.
    """

    coordinates: Floats
    factor: Floats
    sizes: Integers | None
    totals: Totals
    extreme_rule: ExtremeRule
    contrast: Floats | None
    ss: dict[str, float]
    df: dict[str, int]

    @classmethod
    def from_scores(
        cls, scores: Floats, labels: Integers, blocks: Integers, noise: float = 0.0
    ) -> Design:
        """Centre, rotate and sum up; a sum of squares within ``noise``² is set to 0.

        ``noise`` is how far rounding can move the scores, as a distance.
        """
        n_runs, n_steps = scores.shape
        n_groups, n_blocks = int(labels.max()) + 1, len(np.unique(blocks))
        member = (labels[:, None] == np.arange(n_groups - 1)).astype(np.float64)
        deviations = centred(scores, blocks)
        parts = strata(scores, deviations)
        coordinates = rotated(deviations)
        # Rounding in heights or shapes that do not vary must not enter any shuffle.
        heights = parts.heights if parts.heights > noise**2 else 0.0
        shapes = parts.shapes if parts.shapes > noise**2 else 0.0
        coordinates[:, 0] *= heights > 0
        coordinates[:, 1:] *= shapes > 0

        factor, sizes = group_factor(labels, blocks), plain_sizes(labels, blocks)
        between = group_squares(labels[None, :], coordinates, factor, sizes)[:, 0]
        between *= between > noise**2
        # The error is summed from residuals: as total − effect it would lose its digits when
        # there is little of it.
        effects = factor @ (factor.T @ (member.T @ coordinates))
        residuals = coordinates - centred(member, blocks) @ effects
        curves = float(np.sum(residuals[:, 0] ** 2))
        residual = float(np.sum(residuals[:, 1:] ** 2))
        curves, residual = (ss if ss > noise**2 else 0.0 for ss in (curves, residual))

        contrast = None
        if n_groups == 2:
            means = deviations.mean(axis=1, keepdims=True)
            contrast = np.hstack([means, centred(member, blocks)])
        algorithm, interaction = (float(value) for value in between)
        spare = n_runs - n_groups - (n_blocks - 1)
        # In the order of the papers' tables.
        rows: dict[str, tuple[float, int]] = {
            "interaction": (interaction, (n_groups - 1) * (n_steps - 1)),
            "algorithm": (algorithm, n_groups - 1),
            "training": (parts.training, n_steps - 1),
        }
        if n_blocks > 1:
            rows["blocks"] = parts.blocks, n_blocks - 1
            rows["blocks × training"] = (parts.blocks_by_training, (n_blocks - 1) * (n_steps - 1))
        rows["curves"] = curves, spare
        rows["residual"] = residual, spare * (n_steps - 1)
        rows["error"] = curves + residual, spare * n_steps
        rows["total"] = parts.total, n_runs * n_steps - 1
        totals = Totals(heights, shapes)
        return cls(
            coordinates,
            factor,
            sizes,
            totals,
            extreme_rule(between, (curves, residual), totals, noise),
            contrast,
            ss={source: ss for source, (ss, _) in rows.items()},
            df={source: df for source, (_, df) in rows.items()},
        )

    def between(self, labels: Integers, *, compiled: bool = False) -> Floats:
        """Return SS_alg and SS_int of each relabelling, as `group_squares` does."""
        return group_squares(labels, self.coordinates, self.factor, self.sizes, compiled=compiled)
