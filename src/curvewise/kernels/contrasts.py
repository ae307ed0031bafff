"""Contrasts of algorithms: their estimates, their t, and the t of every shuffle.

Write X for the runs less the mean of their block, S for its sums over all algorithms
but the last, and C⁻ = L Lᵀ as in `anova.sums`. Then C⁻ S are the estimates (that of the last
algorithm is 0), ψ = cᵀ C⁻ S is a contrast, u = ψ / √(cᵀ C⁻ c) is X along a direction of unit
length, and t = u / √(RSS / df) with RSS = Σ X² − |Lᵀ S|².

The runs of two algorithms are shuffled as they are. A contrast of more algorithms can be zero
although they differ, so then the residuals are shuffled instead of the runs (ter Braak 1992).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova import (
    EPSILON,
    centred,
    group_factor,
    plain_sizes,
    ratios,
    sums_in_order,
)
from curvewise.kernels.compiling import compiling_repays
from curvewise.kernels.pvalues import TIE, upper_quantile
from curvewise.kernels.relabel import cached_batch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.tasks import StratifiedRuns


MAX_GROUPS_BY_PRODUCTS = 8  # with more, sorting runs is faster than products of matrices
ADDED_IN_NUMPY, ADDED_COMPILED = 2e-9, 0.4e-9  # seconds for each run and column
MAX_NUMBERS_AT_ONCE = 2_000_000  # in the largest array of a portion: 16 megabytes


@dataclass(frozen=True, eq=False)
class Fit:
    """Algorithms, and blocks, fitted to the runs.

    The first column of the runs is their height, and the others, if any, are their shape.
    """

    values: Floats  # (n_runs, n_columns), less the mean of their block
    residuals: Floats
    estimates: Floats  # (n_groups, n_columns), against the last group
    factor: Floats
    sizes: Integers | None  # those of `plain_sizes`
    df: int

    @classmethod
    def of(cls, values: Floats, labels: Integers, blocks: Integers, noise: float = 0.0) -> Fit:
        """Fit by least squares; height or shape that varies within ``noise`` is set to 0."""
        n_groups, n_blocks = int(labels.max()) + 1, len(np.unique(blocks))
        member = (labels[:, None] == np.arange(n_groups - 1)).astype(np.float64)
        values = _without_noise(centred(values, blocks), noise)
        factor = group_factor(labels, blocks)
        fitted = centred(member, blocks) @ factor
        projections = fitted.T @ values
        residuals = _without_noise(values - fitted @ projections, noise)
        effects = factor @ projections
        estimates = np.vstack([effects, np.zeros(values.shape[1])])
        df = len(labels) - n_groups - (n_blocks - 1)
        sizes = plain_sizes(labels, blocks)
        return cls(values, residuals, estimates, factor, sizes, df)

    @property
    def errors(self) -> Floats:
        """The sums of squares of the residuals, of height and of shape; (2,)."""
        return _squares(self.residuals)

    def directions(self, coefficients: Floats) -> tuple[Floats, Floats]:
        """Return the weights of the group sums in u, and √(cᵀ C⁻ c); one row a contrast."""
        halfway = coefficients[:, :-1] @ self.factor
        lengths = np.linalg.norm(halfway, axis=1)
        return (halfway / lengths[:, None]) @ self.factor.T, lengths


def _squares(values: Floats) -> Floats:
    squares = np.sum(values**2, axis=0)
    return np.array([squares[0], squares[1:].sum()])


def _without_noise(values: Floats, noise: float) -> Floats:
    """Set height, or shape, to zero in place if rounding explains its variation."""
    height, shape = _squares(values) > noise**2
    values[:, :1] *= height
    values[:, 1:] *= shape
    return values


def student_t(lengths: Floats, errors: Floats, df: int, floor: float | Floats = 0.0) -> Floats:
    """Return t = u / √(errors / df).

    Without error (at most ``floor``) t is infinite, with the sign of u; or 0 without effect.
    """
    t = np.where(np.abs(lengths) > np.sqrt(floor), np.copysign(np.inf, lengths), 0.0)
    errors = np.broadcast_to(np.maximum(errors, 0.0), lengths.shape)
    np.divide(lengths, np.sqrt(errors / df), out=t, where=errors > floor)
    return t


def group_sums(
    labels: Integers, values: Floats, n_groups: int, *, compiled: bool = False
) -> Floats:
    """Return the sums over all groups but the last; (n_shuffles, n_groups - 1, n_columns).

    ``compiled`` changes no digit.
    """
    if values.shape[1] == 1:
        # One count per run and shuffle: far less work than a product for each group.
        places = labels + n_groups * np.arange(len(labels))[:, None]
        sums = np.bincount(
            places.ravel(),
            weights=np.tile(values[:, 0], len(labels)),
            minlength=n_groups * len(labels),
        )
        return sums.astype(np.float64).reshape(len(labels), n_groups, 1)[:, :-1]
    if n_groups > MAX_GROUPS_BY_PRODUCTS:
        if compiled:
            from curvewise.kernels.compiled_kernels import sums_of_groups

            return np.asarray(sums_of_groups(labels, values, n_groups))
        # Each run is added once; the sizes of groups are the same in every shuffle.
        sizes = np.bincount(labels[0], minlength=n_groups)
        return sums_in_order(labels, values, sizes)[:, :-1]
    members = [(labels == group).astype(np.float64) for group in range(n_groups - 1)]
    return np.stack([member @ values for member in members], axis=1)


def adding_repays_compiling(n_shuffles: int, values: Floats, n_groups: int) -> bool:
    """Tell whether `group_sums` of so many shuffles are added up sooner in compiled code."""
    if n_groups <= MAX_GROUPS_BY_PRODUCTS or values.shape[1] == 1:
        return False
    n_added = n_shuffles * values.size
    return compiling_repays(n_added * ADDED_IN_NUMPY, n_added * ADDED_COMPILED)


def _portions(labels: Integers, size: int) -> Iterator[Integers]:
    """Yield the labels of a batch in portions; ``size`` is how many numbers a shuffle needs.

    Where portions begin depends on the shape of the table only, and so do rounding errors.
    """
    rows = max(1, min(len(labels), MAX_NUMBERS_AT_ONCE // size))
    for start in range(0, len(labels), rows):
        yield labels[start : start + rows]


def shuffled_t(fit: Fit, labels: Integers, coefficients: Floats) -> Floats:
    """Return the t of shuffled residuals; (n_contrasts, n_shuffles)."""
    directions, _ = fit.directions(coefficients)
    n_groups = len(fit.estimates)
    residuals = fit.residuals[:, :1]
    size = max(n_groups, len(directions), len(residuals))
    total = float(fit.errors[0])
    parts = []
    for portion in _portions(labels, size):
        sums = group_sums(portion, residuals, n_groups)[:, :, 0]
        errors = total - np.sum((sums @ fit.factor) ** 2, axis=1)
        t = student_t(sums @ directions.T, errors[:, None], fit.df, 64 * EPSILON * total)
        parts.append(t.T)
    return np.concatenate(parts, axis=1)


def pair_parts(estimates: Floats, factor: Floats) -> tuple[Floats, Floats]:
    """Return, for every two groups, u of the height and the sum of squares of the shape.

    ``estimates`` is (n_shuffles, n_groups, n_columns); both are (n_shuffles, n_pairs).
    """
    return _parts_of(*_heights_and_products(estimates), _pair_variances(factor))


def _pair_variances(factor: Floats) -> tuple[Integers, Integers, Floats]:
    """Return the first and second group of every pair, and cᵀ C⁻ c of their difference."""
    first, second = np.triu_indices(len(factor) + 1, 1)
    inverse = np.pad(factor @ factor.T, (0, 1))
    diagonal = np.diag(inverse)
    variances = diagonal[first] + diagonal[second] - 2 * inverse[first, second]
    return first, second, variances


def _heights_and_products(estimates: Floats) -> tuple[Floats, Floats]:
    """Return heights, (n, n_groups), and inner products of shapes, (n, n_groups, n_groups)."""
    shapes = estimates[:, :, 1:]
    return estimates[:, :, 0], shapes @ shapes.transpose(0, 2, 1)


def _parts_of(
    heights: Floats, products: Floats, pairs: tuple[Integers, Integers, Floats]
) -> tuple[Floats, Floats]:
    """Return u of the height and the sum of squares of the shape of pairs; (n, n_pairs) each."""
    first, second, variances = pairs
    u = (heights[:, first] - heights[:, second]) / np.sqrt(variances)
    lengths = np.einsum("sii->si", products)
    squares = lengths[:, first] + lengths[:, second] - 2 * products[:, first, second]
    return u, np.asarray(np.maximum(squares, 0.0) / variances)


def pair_ratios(parts: tuple[Floats, Floats], errors: Floats, *, pooled: bool) -> Floats:
    """Return effect over error: overall, height and shape; (3, n_shuffles, n_pairs).

    ``errors`` has the sums of squares of the residuals, of height and of shape;
    (n_shuffles, 2). The ratios are without degrees of freedom, which all pairs share.
    """
    return _over_errors(_effects(parts), errors, pooled=pooled)


def _effects(parts: tuple[Floats, Floats]) -> tuple[Floats, Floats, Floats]:
    """Return the sums of squares overall, of height and of shape."""
    height, shape = parts[0] ** 2, parts[1]
    return height + shape, height, shape


def _over_errors(effects: Iterable[Floats], errors: Floats, *, pooled: bool) -> Floats:
    both = errors.sum(axis=1)
    terms = (both, both, both) if pooled else (both, errors[:, 0], errors[:, 1])
    return np.stack(
        [_ratio(effect, error[:, None]) for effect, error in zip(effects, terms, strict=True)]
    )


def _ratio(effect: Floats, error: Floats) -> Floats:
    ratios = np.where(effect > 0, np.inf, 0.0)
    error = np.broadcast_to(error, effect.shape)
    np.divide(effect, error, out=ratios, where=error > 0)
    return ratios


def pair_maxima(
    values: Floats,
    fit: Fit,
    labels: Integers,
    kept: Integers,
    *,
    pooled: bool,
    compiled: bool = False,
) -> Floats:
    """Return the largest ratio over the pairs ``kept``, for each shuffle of the values.

    ``values`` are the residuals of the fit, or the runs themselves. The ratios are those of
    `pair_ratios`; (3, n_shuffles). ``compiled`` changes no digit.
    """
    n_groups, n_columns = fit.estimates.shape
    totals = _squares(values)
    floor = 64 * EPSILON * totals
    maxima = [np.empty((3, 0))]
    size = max(n_groups * (n_groups + n_columns), values.size)
    first, second, variances = _pair_variances(fit.factor)
    pairs = first[kept], second[kept], variances[kept]
    for portion in _portions(labels, size):
        sums = group_sums(portion, values, n_groups, compiled=compiled)
        if fit.sizes is None:
            squares = np.sum(np.matmul(fit.factor.T, sums) ** 2, axis=1)
            between = np.stack([squares[:, 0], squares[:, 1:].sum(axis=1)], axis=1)
            # C⁻ S, and 0 for the last group.
            effects = np.matmul(fit.factor @ fit.factor.T, sums)
            heights, products = _heights_and_products(np.pad(effects, ((0, 0), (0, 1), (0, 0))))
        else:
            heights, products = _heights_and_products(_means(sums, fit.sizes))
            # Added up one after the other, not by BLAS, which is slow for single rows.
            lengths = np.einsum("sii->si", products)
            between = np.stack(
                [np.sum(each * fit.sizes, axis=1) for each in (heights**2, lengths)], axis=1
            )
        errors = totals - between
        errors[errors <= floor] = 0.0
        # All pairs of a shuffle share its error, so the largest ratio is that of the largest effect.
        largest = _largest_effects(heights, products, pairs, compiled=compiled)
        maxima.append(_over_errors(largest, errors, pooled=pooled)[:, :, 0])
    return np.concatenate(maxima, axis=1)


def _means(sums: Floats, sizes: Integers) -> Floats:
    """Return the means of all groups, from the sums of all but the last."""
    means = np.empty((len(sums), len(sizes), sums.shape[2]))
    np.divide(sums, sizes[:-1, None], out=means[:, :-1])
    # Centred runs add up to 0.
    np.divide(sums.sum(axis=1), -sizes[-1], out=means[:, -1])
    return means


def _largest_effects(
    heights: Floats, products: Floats, pairs: tuple[Integers, Integers, Floats], *, compiled: bool
) -> Floats:
    """Return the largest sums of squares of any pair, as `_effects` has them; (3, n, 1)."""
    if compiled:
        from curvewise.kernels.compiled_kernels import largest_of_pairs

        found = largest_of_pairs(np.ascontiguousarray(heights), products, *pairs)
        return np.asarray(found)[:, :, None]
    effects = _effects(_parts_of(heights, products, pairs))
    return np.stack([effect.max(axis=1, keepdims=True) for effect in effects])


def least_extreme(length: float, noise: float, *, two_sided: bool) -> float:
    """Return the smallest statistic that counts as at least as extreme, given rounding.

    ``length`` is the observed u. Rounding can move it, and that of a relabelling, by
    ``noise`` each.
    """
    return max(abs(length) - 2 * noise, 0.0) if two_sided else length - 2 * noise


def least_ratio(length: float, error: float, noise: float, *, two_sided: bool) -> float:
    """Return the smallest ratio of u to the root of its error that is at least as extreme.

    ``length`` and ``error`` are the observed u and root; rounding can move each of them,
    and those of a relabelling, by ``noise``.
    """
    least = least_extreme(length, noise, two_sided=two_sided)
    error += 2 * noise if least > 0 else -2 * noise
    ratio = least / error if error > 0 else math.copysign(math.inf, least)
    return 0.0 if least == 0 else ratio - TIE * abs(ratio) if error > 0 else ratio


def is_mirrored(labels: Integers, blocks: Integers) -> bool:
    """Return whether two groups may swap names, so that an enumeration visits half.

    >>> is_mirrored(np.array([0, 0, 1, 1]), np.zeros(4, dtype=np.int64))
    True
    """
    shares = [float(np.mean(labels[blocks == block])) for block in np.unique(blocks)]
    # A block of one group has nothing to swap, and does not prevent it.
    return all(share in {0.0, 0.5, 1.0} for share in shares)


# --- How far groups lead each other by their own variances, in many shuffles of one number a run.
#
# The sizes of groups are the same in every shuffle, so the runs of all shuffles can be lined up
# group after group, and every step is one operation on whole arrays.


@dataclass(frozen=True, eq=False)
class GroupMoments:
    """Sums and squared deviations of every group, in each of several shuffles.

    Attributes
    ----------
    sizes : array of int, (n_groups,)
    sums, squares : array, (n_groups, n_shuffles)
        Of the values of each group, and of their deviations from its mean.
    floors : array, (n_shuffles,)
        A variance of a mean that is no larger than this is rounding.
    """

    sizes: Integers
    sums: Floats
    squares: Floats
    floors: Floats

    @classmethod
    def of(cls, values: Floats, labels: Integers) -> GroupMoments:
        """Add up ``values``, (n_runs,), by ``labels``, (n_shuffles, n_runs)."""
        sizes = np.bincount(labels[0])
        lined_up = values.take(runs_by_group(labels))
        floors = np.full(len(labels), 64 * EPSILON * float(values @ values))
        if len(set(sizes.tolist())) == 1:
            parts = _added_up(lined_up.reshape(len(sizes), -1, lined_up.shape[1]))
            return cls(sizes, *parts, floors)
        ends = np.cumsum(sizes)[:-1]
        each = [_added_up(own[None]) for own in np.split(lined_up, ends)]
        sums, squares = (np.concatenate(part) for part in zip(*each, strict=True))
        return cls(sizes, sums, squares, floors)

    def between(self, factor: Floats) -> Floats:
        """Return the sum of squares between the groups, as `group_squares` does; (n_shuffles,).

        The values must be less the mean of their block.
        """
        return np.asarray(np.sum((factor.T @ self.sums[:-1]) ** 2, axis=0))


def _added_up(values: Floats) -> tuple[Floats, Floats]:
    """Return sums and squared deviations along the middle axis, changing the values in place."""
    sums = values.sum(axis=1)
    # Deviations are squared: as a difference of squares a small variance loses its digits.
    values -= (sums / values.shape[1])[:, None]
    np.square(values, out=values)
    return sums, values.sum(axis=1)


def runs_by_group(labels: Integers) -> Integers:
    """Return which runs each group has, group after group; (n_runs, n_shuffles).

    ``labels`` is (n_shuffles, n_runs), with groups of the same sizes in every shuffle. Inside
    `shared_batches` labels that were seen before are not sorted again.

    >>> runs_by_group(np.array([[0, 1, 0], [1, 0, 0]])).T.tolist()
    [[0, 2, 1], [1, 2, 0]]
    """
    key = ("runs by group", labels.shape, labels.T.tobytes())
    return cached_batch(key, partial(_runs_by_group, labels)).astype(np.intp)


def _runs_by_group(labels: Integers) -> Integers:
    n_shuffles, n_runs = labels.shape
    starts = n_runs * np.arange(n_shuffles)[:, None]
    runs = [
        (np.flatnonzero(labels == group).reshape(n_shuffles, -1) - starts).T
        for group in range(int(labels[0].max()) + 1)
    ]
    # Rows of memory are runs: sums over the runs of a group then go along whole rows.
    return np.concatenate(runs).astype(np.min_scalar_type(n_runs), order="C")


# --- Partitions of a set into groups, of which only some are allowed.

Group = tuple[int, ...]

MAX_MEMBERS = 8  # of which there are 4,139 partitions; of nine there are 21,146


def connected_groups(pairs: Iterable[tuple[int, int]]) -> list[Group]:
    """Return all sets of two or more members that the pairs connect, the small ones first.

    Two members are connected by their pair, or through others of the same set.

    >>> connected_groups([(0, 1), (1, 2)])
    [(0, 1), (1, 2), (0, 1, 2)]
    """
    linked = {frozenset(pair) for pair in pairs}
    members = sorted(set().union(*linked))
    return [
        group
        for size in range(2, len(members) + 1)
        for group in combinations(members, size)
        if _is_connected(group, linked)
    ]


def _is_connected(group: Group, linked: Collection[frozenset[int]]) -> bool:
    reached, left = {group[0]}, set(group[1:])
    while left:
        near = {b for b in left if any(frozenset((a, b)) in linked for a in reached)}
        if not near:
            return False
        reached |= near
        left -= near
    return True


def partitions(groups: Collection[Group]) -> Iterator[tuple[Group, ...]]:
    """Yield every choice of one or more groups that have no member in common.

    Members in no group of a choice stand alone, so that each choice is a partition.

    >>> list(partitions([(0, 1), (1, 2), (0, 1, 2)]))
    [((0, 1),), ((0, 1, 2),), ((1, 2),)]
    """
    members = frozenset().union(*groups)
    first: dict[int, list[Group]] = {member: [] for member in members}
    for group in groups:
        first[min(group)].append(group)

    def choices(left: frozenset[int]) -> Iterator[tuple[Group, ...]]:
        if not left:
            yield ()
            return
        member = min(left)
        for group in first[member]:
            if left.issuperset(group):
                yield from ((group, *rest) for rest in choices(left.difference(group)))
        yield from choices(left - {member})

    return (choice for choice in choices(members) if choice)


# --- Gaussian multipliers: how far chance moves aggregates, at all places at once.
#
# Every run is multiplied by a normal number of its own at all of its steps, so that whole runs move
# and steps stay as dependent as they are. Numbers are drawn in batches of a size that follows from
# the data alone.

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
    inverse = [ratios(1.0, scale) for _, scale in wanted]
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


def profile_reach(runs: StratifiedRuns, confidence: float, n_multipliers: int, key: int) -> float:
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
