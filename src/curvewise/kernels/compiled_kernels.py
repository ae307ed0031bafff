"""Kernels in compiled code: draws, the counter of `compare`, and small ones of other chapters.

Each has the formulas, and but for the counter the digits, of its form in NumPy.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from curvewise.kernels.combined import MAX_EXPONENT, MAX_SHARE, WEIGHT
from curvewise.kernels.compiling import OPTIONS, njit
from curvewise.kernels.relabel import BATCH, GOLDEN_GAMMA, MIX_FACTOR_1, MIX_FACTOR_2

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova import Design
    from curvewise.kernels.combined import CombinedDesign, Scales
    from curvewise.kernels.relabel import Shuffles


# --- Random relabellings: the very ones that `Shuffles` draws, as masks of two groups (`MaskRule`)
# or run by run (`DrawPlan`).

U = np.uint64
ONE = U(1)
HALF = U(32)
LOWER_HALF = U(2**32 - 1)


@intrinsic
def n_bits(_: Any, __: Any) -> Any:
    """Count the bits that are set in a word: one instruction of the processor."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(inline="always", **OPTIONS)
def mixed(value):
    """Return the word that SplitMix64 makes of the state of a stream."""
    value = (value ^ (value >> U(30))) * MIX_FACTOR_1
    value = (value ^ (value >> U(27))) * MIX_FACTOR_2
    return value ^ (value >> U(31))


@njit(inline="always", **OPTIONS)
def batch_key(seed, batch):
    """Return the key of the stream of one batch, as `stream_key` does."""
    return mixed(seed ^ mixed(U(batch) * GOLDEN_GAMMA))


@njit(**OPTIONS)
def draw_masks(key, rule, starts, n_completions, completions, masks):
    """Fill ``masks`` with the first BATCH masks that `MaskRule.draw` returns.

    ``masks`` needs room for a few more, which are written and then left out.
    """
    n_free, n_index, per_word = rule
    width = U(n_free + n_index)
    whole = (ONE << width) - ONE
    free_bits = (ONE << U(n_free)) - ONE
    found = 0
    while found < BATCH:
        # Word j of a stream is the mix of key + j times the constant, as in `random_words`.
        key += GOLDEN_GAMMA
        word = mixed(key)
        for _ in range(per_word):
            # The lowest bits of the word are the next candidate: its free bits, and above
            # them the index of the completion.
            candidate = word & whole
            word >>= width
            free = candidate & free_bits
            n_set = n_bits(free)
            index = np.int64(candidate >> U(n_free))
            # Write unconditionally, advance the index only if valid: avoids a branch that
            # no processor could predict. Unsigned, the place needs no check for < 0.
            masks[found] = free | completions[U(starts[n_set] + index)]
            found += index < n_completions[n_set]


@njit(inline="always", **OPTIONS)
def draw_order(key, runs, firsts, lasts, drawn):
    """Fill ``drawn`` with the runs at each place, as `DrawPlan.draw`; return the next key.

    Each draw swaps the run at its place with one from there to the end of the block; two draws
    share a word.
    """
    word = U(0)
    for place in range(len(runs)):
        drawn[place] = runs[place]
    for draw in range(len(firsts)):
        if draw & 1:
            half = word >> HALF
        else:
            key += GOLDEN_GAMMA
            word = mixed(key)
            half = word & LOWER_HALF
        filled = U(firsts[draw])
        other = filled + ((half * (U(lasts[draw]) - filled)) >> HALF)
        taken = drawn[other]
        drawn[other] = drawn[filled]
        drawn[filled] = taken
    return key


@njit(**OPTIONS)
def _mask_labels(seed, batch, rule, starts, n_completions, completions, marked, labels):
    masks = np.empty(BATCH + 64, dtype=np.uint64)
    draw_masks(batch_key(seed, batch), rule, starts, n_completions, completions, masks)
    for row in range(labels.shape[0]):
        for run in range(labels.shape[1]):
            is_set = np.int64((masks[row] >> U(run)) & ONE)
            labels[row, run] = is_set if marked == 1 else 1 - is_set


@njit(**OPTIONS)
def _drawn_labels(seed, batch, template, runs, firsts, lasts, labels):
    drawn = np.empty(len(runs), dtype=np.uint32)
    key = batch_key(seed, batch)
    for row in range(labels.shape[0]):
        key = draw_order(key, runs, firsts, lasts, drawn)
        for place in range(len(drawn)):
            labels[row, drawn[place]] = template[place]


def draw_labels(shuffles: Shuffles, number: int) -> Integers:
    """Draw a whole batch; (BATCH, n_runs)."""
    labels = np.empty((BATCH, len(shuffles.labels)), dtype=np.int64)
    seed = U(shuffles.seed)
    masks = shuffles.masks
    if masks is not None:
        rule = masks.n_free, masks.n_index, masks.per_word
        tables = masks.starts, masks.counts, masks.completions
        _mask_labels(seed, number, rule, *tables, masks.marked, labels)
    else:
        plan = shuffles.draw_plan
        _drawn_labels(seed, number, plan.template, plan.runs, plan.first, plan.last, labels)
    return labels


# --- Extreme relabellings counted: by F and by the combined statistic, in one pass.
#
# The formulas are those of `anova` and `combined`. Nothing but counts comes out: the order of
# additions is the processor's choice, and what rounding can do is far below what separates a tie
# from another value.

N_AT_ONCE = 4  # runs that are added to a sum
ROUNDING = 1e-9  # relative; far more than the arithmetic can do


class Looks(NamedTuple):
    """The combined statistic as compiled code takes it; without looks, ``means`` is empty.

    Looks are in the order of `COMPONENTS`. A relabelling whose SS and squares of columns are all
    below ``least_parts`` and ``least_columns`` is not extreme: no look has its part of the sum.
    """

    totals: Floats
    slack: Floats
    column_slack: Floats
    means: Floats
    inverse_deviations: Floats
    least: float
    least_parts: Floats
    least_columns: Floats

    @classmethod
    def of(cls, combined: CombinedDesign, scales: Scales, least: float) -> Looks:
        """Find what each look must reach at least for all of them together to reach ``least``."""
        roots = scales.least_roots(least) * (1 - ROUNDING)
        above = np.maximum(roots[:-1] - combined.slack, 0.0)
        of_columns = np.maximum(roots[-1] - combined.column_slack, 0.0) ** 2
        slacks = combined.slack, combined.column_slack
        parts = np.where(combined.totals > 0, combined.totals * above**2, np.inf)
        return cls(combined.totals, *slacks, *scales, least, parts, of_columns)


NONE = np.empty(0)
NO_LOOKS = Looks(NONE, NONE, NONE, NONE, NONE, 0.0, NONE, NONE)


class Counter:
    """Counts the extreme relabellings of a design: by five F and, with looks, by all of them."""

    def __init__(self, design: Design, columns: Floats, looks: Looks) -> None:
        n_groups, n_coordinates = len(design.factor) + 1, design.coordinates.shape[1]
        values = np.hstack([design.coordinates, columns])
        self._values = np.vstack([values, np.zeros(values.shape[1])])
        # With sizes, the rows of |Lᵀ S|² are the sums of all groups, each by itself.
        self._factor = design.factor
        if design.sizes is not None and n_groups > 2:
            self._factor = np.diag(1 / np.sqrt(design.sizes))
        self._rule: tuple[Any, ...] = n_coordinates, *design.extreme_rule, looks

    def __call__(self, labels: Integers) -> Integers:
        """Return the counts of some relabellings, (5,) or (6,); ``labels`` is (n, n_runs)."""
        rooms = -(-np.bincount(labels[0]) // N_AT_ONCE) * N_AT_ONCE
        starts = np.concatenate([[0], np.cumsum(rooms)])
        return np.asarray(_count(labels, starts, self._values, self._factor, *self._rule))


@njit(fastmath={"reassoc", "nsz", "nnan", "contract"}, **OPTIONS)
def _count(labels, starts, values, factor, n_coordinates, slopes, bounds, looks):
    """Count the relabellings that are extreme.

    ``values`` has the coordinates of `Design` and then the columns of `CombinedDesign`, and a last
    row of zeros. Runs of a group stand side by side, from its place in ``starts`` on; what is
    left over of its room is that last row. |Lᵀ S|² of a column is made with ``factor``.
    """
    n_sums, n_columns = len(factor), values.shape[1]
    counts = np.zeros(len(bounds) + min(len(looks.means), 1), dtype=np.int64)
    sums, squares = np.empty((n_sums, n_columns)), np.empty(n_columns)
    order, ends = np.full(starts[-1], len(values) - 1, dtype=np.uint32), np.empty_like(starts)
    for row in range(len(labels)):
        ends[:] = starts
        for run in range(labels.shape[1]):
            group = labels[row, run]
            order[ends[group]] = run
            ends[group] += 1
        squares[:] = 0.0
        for group in range(n_sums):
            own = sums[group]
            own[:] = 0.0
            for place in range(starts[group], starts[group + 1], N_AT_ONCE):
                a, b = values[order[place]], values[order[place + 1]]
                c, d = values[order[place + 2]], values[order[place + 3]]
                for column in range(n_columns):
                    own[column] += (a[column] + b[column]) + (c[column] + d[column])
        for each in range(n_sums):
            own, scale = sums[each], factor[each, each]
            for column in range(n_columns):
                own[column] *= scale
            # L is lower triangular, so later groups only, whose sums are still plain.
            for group in range(each + 1, n_sums):
                scale = factor[group, each]
                if scale != 0.0:
                    for column in range(n_columns):
                        own[column] += scale * sums[group, column]
            for column in range(n_columns):
                squares[column] += own[column] * own[column]
        height, shape = squares[0], 0.0
        for column in range(1, n_coordinates):
            shape += squares[column]
        for rule in range(len(bounds)):
            counts[rule] += slopes[rule, 0] * height + slopes[rule, 1] * shape >= bounds[rule]
        if len(looks.means) > 0:
            of_columns = squares[n_coordinates:]
            counts[len(bounds)] += _reaches((height + shape, height, shape), of_columns, looks)
    return counts


@njit(fastmath={"reassoc", "nsz", "nnan", "contract"}, **OPTIONS)
def _reaches(parts, of_columns, looks):
    """Tell whether the looks together reach what counts as extreme."""
    n_reached = 0
    for look in range(len(parts)):
        n_reached += parts[look] >= looks.least_parts[look]
    for column in range(len(of_columns)):
        n_reached += of_columns[column] >= looks.least_columns[column]
    if n_reached == 0:
        return False
    total = 0.0
    for look in range(len(looks.means)):
        root = 0.0
        if look < len(parts):
            if looks.totals[look] > 0:
                root = math.sqrt(parts[look] / looks.totals[look]) + looks.slack[look]
        else:
            for column in range(len(of_columns)):
                root = max(root, math.sqrt(of_columns[column]) + looks.column_slack[column])
        share = min(root * root, MAX_SHARE)
        value = math.sqrt(math.sqrt(share / math.sqrt(1.0 - share)))
        exponent = WEIGHT * (value - looks.means[look]) * looks.inverse_deviations[look]
        if looks.inverse_deviations[look] > 0:
            total += math.exp(min(exponent, MAX_EXPONENT))
    return (math.log(total) if total > 0 else 0.0) >= looks.least


# --- Every relabelling of two groups as the sums of two halves.


@njit(**OPTIONS)
def ordered_sums(columns, order):
    """Return the sum of each subset of the runs, in the order given; a row for each column."""
    n_columns, n_runs = columns.shape
    every = np.empty(2**n_runs)
    found = np.empty((n_columns, len(order)))
    for column in range(n_columns):
        every[0], size = 0.0, 1
        for run in range(n_runs):
            # With one run more, the subsets that have it follow those that do not.
            value = columns[column, run]
            for place in range(size):
                every[size + place] = every[place] + value
            size *= 2
        for place in range(len(order)):
            found[column, place] = every[order[place]]
    return found


@njit(inline="always", **OPTIONS)
def _n_pairs(left_edges, right_edges):
    """Return how many relabellings there are."""
    return np.sum(np.diff(left_edges) * np.diff(right_edges)[::-1])


@njit(**OPTIONS)
def sums(left, left_edges, right, right_edges):
    """Return the sum of each column of every relabelling; (n_columns, n_relabellings)."""
    n_columns, n_classes = len(left), len(left_edges) - 1
    found = np.empty((n_columns, _n_pairs(left_edges, right_edges)))
    for column in range(n_columns):
        begin = 0
        for n_left in range(n_classes):
            n_right = n_classes - 1 - n_left
            others = right[column, right_edges[n_right] : right_edges[n_right + 1]]
            for place in range(left_edges[n_left], left_edges[n_left + 1]):
                own, row = left[column, place], found[column, begin : begin + len(others)]
                for other in range(len(others)):
                    row[other] = own + others[other]
                begin += len(others)
    return found


@njit(**OPTIONS)
def squares(left, left_edges, right, right_edges, found):
    """Write the squares of sums, added up over the columns, to ``found``; (n_relabellings,)."""
    n_classes, begin = len(left_edges) - 1, 0
    found[:] = 0.0
    for n_left in range(n_classes):
        n_right = n_classes - 1 - n_left
        start, stop = right_edges[n_right], right_edges[n_right + 1]
        for place in range(left_edges[n_left], left_edges[n_left + 1]):
            row = found[begin : begin + stop - start]
            for column in range(len(left)):
                own, others = left[column, place], right[column, start:stop]
                for other in range(len(row)):
                    row[other] += (own + others[other]) ** 2
            begin += len(row)


@njit(**OPTIONS)
def largest(left, left_edges, right, right_edges, slack):
    """Return the largest size of the sums of a column, plus its slack; (n_relabellings,)."""
    n_classes, begin = len(left_edges) - 1, 0
    found = np.full(_n_pairs(left_edges, right_edges), -np.inf)
    for n_left in range(n_classes):
        n_right = n_classes - 1 - n_left
        start, stop = right_edges[n_right], right_edges[n_right + 1]
        for place in range(left_edges[n_left], left_edges[n_left + 1]):
            row = found[begin : begin + stop - start]
            for column in range(len(left)):
                own, others, more = left[column, place], right[column, start:stop], slack[column]
                for other in range(len(row)):
                    row[other] = max(row[other], abs(own + others[other]) + more)
            begin += len(row)
    return found


@njit(**OPTIONS)
def looks(between, striking, weights, slack, max_share):
    """Return (r / √(1 − r))^¼ of the four looks, as `combined` does; (4, n)."""
    n_relabellings = len(striking)
    found = np.empty((4, n_relabellings))
    for look in range(4):
        for place in range(n_relabellings):
            if look == 3:
                root = striking[place]
            else:
                part = between[look - 1, place]
                if look == 0:
                    part = between[0, place] + between[1, place]
                root = math.sqrt(part * weights[look]) + slack[look]
            root = max(root, 0.0)
            share = min(root * root, max_share)
            found[look, place] = math.sqrt(math.sqrt(share / math.sqrt(1.0 - share)))
    return found


# --- Counting sums of two sorted halves in compiled code: both are gone through once.


@njit(**OPTIONS)
def count_pairs(sums, others, limit, below):
    """Count the pairs of sorted numbers that make up ``limit`` or more; or less, if ``below``."""
    count, number, place = 0, 0, len(others)
    # The larger the one, the smaller the other that makes the limit. Which of the two comes next
    # cannot be foreseen, so there is no branch for it.
    while number < len(sums) and place > 0:
        least, other = limit - sums[number], others[place - 1]
        lowers = (other > least) if below else (other >= least)
        count += (place if below else len(others) - place) * (1 - lowers)
        place -= lowers
        number += 1 - lowers
    return count if below else count + len(others) * (len(sums) - number)


@njit(**OPTIONS)
def count_pairs_apart(sums, others, limit, below):
    """Count as `count_pairs` does, and return how close any pair comes to the limit as well."""
    count, number, place, gap = 0, 0, len(others), np.inf
    while number < len(sums) and place > 0:
        # Of each number, those next to the limit are gone through.
        above = others[place - 1] - (limit - sums[number])
        lowers = (above > 0) if below else (above >= 0)
        gap = min(gap, abs(above))
        count += (place if below else len(others) - place) * (1 - lowers)
        place -= lowers
        number += 1 - lowers
    return (count if below else count + len(others) * (len(sums) - number)), gap


# --- Sums of squares between many groups in compiled code: the digits of `anova`, added in its
# order.


@njit(**OPTIONS)
def added_up_squares(labels, columns, sizes):
    """Return Σ |S_i|² / n_i of each relabelling and column; (n_relabellings, n_columns)."""
    n_relabellings, n_runs = labels.shape
    n_columns = columns.shape[1]
    squares = np.zeros((n_relabellings, n_columns))
    sums = np.empty(n_columns)
    order = np.empty(n_runs, dtype=np.uint32)
    ends = np.empty(len(sizes), dtype=np.int64)
    for row in range(n_relabellings):
        # The runs of a group side by side, in their order.
        end = 0
        for group in range(len(sizes)):
            ends[group] = end
            end += sizes[group]
        for run in range(n_runs):
            group = labels[row, run]
            order[ends[group]] = run
            ends[group] += 1
        own = squares[row]
        for group in range(len(sizes)):
            begin = ends[group] - sizes[group]
            sums[:] = columns[order[begin]]
            for place in range(begin + 1, ends[group]):
                run = order[place]
                for column in range(n_columns):
                    sums[column] += columns[run, column]
            weight = 1.0 / sizes[group]
            for column in range(n_columns):
                own[column] += sums[column] * sums[column] * weight
    return squares


@njit(**OPTIONS)
def sums_of_groups(labels, columns, n_groups):
    """Return the sums over all groups but the last; (n_relabellings, n_groups - 1, n_columns)."""
    n_relabellings, n_runs = labels.shape
    n_columns = columns.shape[1]
    sums = np.zeros((n_relabellings, n_groups - 1, n_columns))
    for row in range(n_relabellings):
        for run in range(n_runs):
            group = labels[row, run]
            if group < n_groups - 1:
                own = sums[row, group]
                for column in range(n_columns):
                    own[column] += columns[run, column]
    return sums


@njit(**OPTIONS)
def largest_of_pairs(heights, products, first, second, variances):
    """Return the largest effects of any pair of groups: overall, in height and in shape; (3, n).

    Those of `contrasts`, with the same digits.
    """
    found = np.zeros((3, len(heights)))
    roots = np.empty(len(variances))
    for pair in range(len(variances)):
        roots[pair] = math.sqrt(variances[pair])
    for row in range(len(heights)):
        own, inner = heights[row], products[row]
        overall, height, shape = 0.0, 0.0, 0.0
        for pair in range(len(first)):
            one, other = first[pair], second[pair]
            u = (own[one] - own[other]) / roots[pair]
            of_height = u * u
            squares = inner[one, one] + inner[other, other] - 2 * inner[one, other]
            of_shape = max(squares, 0.0) / variances[pair]
            overall = max(overall, of_height + of_shape)
            height, shape = max(height, of_height), max(shape, of_shape)
        found[0, row], found[1, row], found[2, row] = overall, height, shape
    return found


# --- Looks at many tables, in compiled code: one pass where NumPy makes several.


@njit(**OPTIONS)
def add_shares(sums, shifts, of_all, of_step, shares):
    """Fill in the weighted sum over steps of (sums + shift)², and its largest weighted one.

    ``sums`` is (n_tables, n_steps, n), ``shifts`` (n_shifts, n_steps, n), the weights ``of_all``
    and ``of_step`` are (n_shifts, n_tables, n_steps), and ``shares`` (n_shifts, 2, n_tables, n).
    """
    n_tables, n_steps, n = sums.shape
    shares[:] = 0
    for moved in range(len(shifts)):
        for table in range(n_tables):
            together, largest = shares[moved, 0, table], shares[moved, 1, table]
            for step in range(n_steps):
                in_all = of_all[moved, table, step]
                in_step = of_step[moved, table, step]
                own, shift = sums[table, step], shifts[moved, step]
                for place in range(n):
                    square = own[place] + shift[place]
                    square *= square
                    together[place] += in_all * square
                    largest[place] = max(largest[place], in_step * square)


# --- The average of `metrics.relative_reduction`,
#
#     1 / (high − low) ∫ 1 − x_E(p) / x_C(p) dp    for p from low to high,
#
# where x(p) is the trial, counted from 1, on which a curve first exceeds p. Both x change only at
# the levels that the running maxima of the curves take, so the integral is a sum over them. The
# trial that first exceeds a level has the running maximum for its score: walking up both curves at
# once needs no sorting, and no running maxima.


@njit(**OPTIONS)
def reductions(control, experimental, last):
    """Return the average reduction of each row; NaN if undefined.

    ``control`` and ``experimental`` are curves, (n_rows, n_steps); performance is from the
    smaller to the larger of the first score of the control and ``last``.
    """
    n_rows, n_steps = control.shape
    averages = np.empty(n_rows)
    for row in range(n_rows):
        first = control[row, 0]
        low, high = min(first, last[row]), max(first, last[row])
        if low == high:
            averages[row] = np.nan
            continue
        # x_c and x_e are the trials, counted from 0, that first exceed the level; n_steps if
        # none does.
        x_c = x_e = 0
        level, total, unreached = low, 0.0, False
        while level < high:
            while x_c < n_steps and control[row, x_c] <= level:
                x_c += 1
            while x_e < n_steps and experimental[row, x_e] <= level:
                x_e += 1
            # Up to the next level of either curve, both x stay as they are.
            following = high
            if x_c < n_steps:
                following = min(following, control[row, x_c])
            if x_e < n_steps:
                following = min(following, experimental[row, x_e])
            else:
                unreached = True
            if x_c == n_steps:
                # A level that the control never reaches counts as a reduction of 1.
                total += following - level
            else:
                total += (following - level) * (1.0 - (x_e + 1.0) / (x_c + 1.0))
            level = following
        averages[row] = np.nan if unreached else total / (high - low)
    return averages
