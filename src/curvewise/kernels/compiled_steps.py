"""Every step of every relabelling in compiled code, for work that repays importing numba.

The formulas are those of `steps`, in the same order of operations.
Some steps come at a time, of at most ``MAX_RELABELLINGS`` relabellings, and what is known of the steps so
far goes along in a ``state``; so no array is as long as the curves for each relabelling. Loops
over steps are outside and those over relabellings inside, so that the compiler can work on
several relabellings with each instruction.
"""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit
from curvewise.kernels.steps import MAX_RELABELLINGS, MIN_RESIDUAL_SHARE
from curvewise.kernels.windows import AT_ONCE

# Where, in the state of an effect, these are, one for each relabelling: the largest root, the
# largest mass of a cluster, the mass of the cluster that goes on, and squares. All lie in one
# array at distances known beforehand: of several, the compiler must suppose that they overlap.
N_STATES = 4
LARGEST, MASS, RUNNING, SQUARES = (place * MAX_RELABELLINGS for place in range(N_STATES))
NEARLY = 1.0 - 1e-12  # what may reach a bar is looked at closely


@njit(**OPTIONS)
def scan_steps(
    sums, means, first, totals, slack, bars, nested_bars, threshold, ratio, state, n_own, n_nested
):
    """Scan the steps from ``first`` on, in their order.

    ``sums`` is Lᵀ S, (n_groups − 1, n_steps, n_relabellings), and ``means`` its means over all
    steps of the curves; ``totals``, ``slack`` and ``bars`` are (2, …), of all of these, and
    ``ratio`` is what a ratio of shares is multiplied by to give F. Adds to the numbers of
    relabellings that reach a bar at each step, and in windows from the start. Raises the largest
    roots and masses of clusters in ``state``, (2, N_STATES · MAX_RELABELLINGS).
    """
    _, n_steps, n_relabellings = sums.shape
    for number in range(n_steps):
        step = first + number
        for effect in range(2):
            own = state[effect]
            total, own_slack = totals[effect, step], slack[effect, step]
            _set_squares(sums, number, means, effect, total > 0.0, own)
            if total <= 0.0:
                total = 1.0
            bar = bars[effect, step]
            n_reaching = 0
            for place in range(n_relabellings):
                root = np.sqrt(own[SQUARES + place] / total)
                share = root * root
                f = share / max(1.0 - share, MIN_RESIDUAL_SHARE) * ratio
                mass = own[RUNNING + place] + f if f >= threshold else 0.0
                own[RUNNING + place] = mass
                own[MASS + place] = max(own[MASS + place], mass)
                root += own_slack
                own[LARGEST + place] = max(own[LARGEST + place], root)
                n_reaching += root >= bar
            n_own[effect, step] += n_reaching
            if effect == 0:
                n_nested[step] += _n_reaching(own, n_relabellings, nested_bars[step])


@njit(**OPTIONS)
def raise_largest(sums, means, effect, steps, totals, slack, bars, state, n_reaching):
    """Raise the largest roots in ``state``, (N_STATES · MAX_RELABELLINGS,), along some steps of an effect.

    ``sums`` and ``means`` are those of `scan_steps`; ``steps`` say where the totals, the slack
    and the bars of each step are. Adds to the numbers of relabellings whose largest root so far
    reaches the bar of a step.
    """
    n_relabellings = sums.shape[2]
    for number, step in enumerate(steps):
        total, own_slack = totals[step], slack[step]
        _set_squares(sums, number, means, effect, total > 0.0, state)
        if total <= 0.0:
            total = 1.0
        # Few relabellings exceed their largest root so far, so it is asked without taking roots.
        n_exceeding = 0
        for place in range(n_relabellings):
            apart = max(state[LARGEST + place] - own_slack, 0.0)
            n_exceeding += state[SQUARES + place] >= apart * apart * total * NEARLY
        if n_exceeding:
            for place in range(n_relabellings):
                root = np.sqrt(state[SQUARES + place] / total) + own_slack
                state[LARGEST + place] = max(state[LARGEST + place], root)
        n_reaching[step] += _n_reaching(state, n_relabellings, bars[step])


@njit(inline="always", **OPTIONS)
def _n_reaching(state, n_relabellings, bar):
    """Return how many of the largest roots reach the bar."""
    n_reaching = 0
    for place in range(n_relabellings):
        n_reaching += state[LARGEST + place] >= bar
    return n_reaching


@njit(inline="always", **OPTIONS)
def _set_squares(sums, number, means, effect, varies, state):
    """Add up squares of the sums at a step, less their means for the second effect."""
    n_groups, _, n_relabellings = sums.shape
    if not varies:
        state[SQUARES : SQUARES + n_relabellings] = 0.0
        return
    for group in range(n_groups):
        for place in range(n_relabellings):
            value = sums[group, number, place]
            if effect == 1:
                value -= means[group, place]
            before = state[SQUARES + place] if group else 0.0
            state[SQUARES + place] = before + value * value


@njit(**OPTIONS)
def gather_places(sums, numbers, first, place_sums, place_squares):
    """Sum Lᵀ S, and A, over the steps of each place.

    ``numbers`` has the place of each step. Adds to relabellings from ``first`` on of
    (n_groups − 1, n_places, …) and (n_places, …).
    """
    n_groups, n_steps, n_relabellings = sums.shape
    squares = np.empty(n_relabellings)
    for step in range(n_steps):
        number = numbers[step]
        squares[:] = 0.0
        for group in range(n_groups):
            for place in range(n_relabellings):
                value = sums[group, step, place]
                squares[place] += value * value
            for place in range(n_relabellings):
                place_sums[group, number, first + place] += sums[group, step, place]
        for place in range(n_relabellings):
            place_squares[number, first + place] += squares[place]


# --- Every window of training in compiled code, for work that repays importing numba.
#
# The formulas are those of `windows`. For the window from ``first`` to ``last``, with s for the
# sums of Lᵀ S over it,
#
#     SS_alg = |s|² / length,    SS_int = Σ A_h − SS_alg,    r = SS / total,             (1)
#     score = ((r / √(1 − r))^(1/4) − mean) / (standard deviation).                      (2)
#
# Loops over windows are outside and those over relabellings inside, so that the compiler can work
# on several relabellings with each instruction. A window takes over the sums of the window one
# place shorter.

# Where, in an array of numbers for each relabelling, these are: sums of the last group, Σ A_h,
# squares of the sums of the other groups, and the largest score.
LAST, BOTH, OTHERS, LARGEST_SCORE = 0, AT_ONCE, 2 * AT_ONCE, 3 * AT_ONCE


@njit(inline="always", **OPTIONS)
def _extend(sums, squares, last, window_sums, both, heights):
    """Add place ``last`` to s, ``window_sums``, and to Σ A_h, ``both``; |s|² to ``heights``."""
    n_relabellings = len(both)
    for group in range(len(sums)):
        for place in range(n_relabellings):
            window_sum = window_sums[group, place] + sums[group, last, place]
            window_sums[group, place] = window_sum
            before = heights[place] if group else 0.0
            heights[place] = before + window_sum * window_sum
    for place in range(n_relabellings):
        both[place] += squares[last, place]


@njit(inline="always", **OPTIONS)
def _striking(share):
    """Return the fourth root in formula (2)."""
    residual_share = max(1.0 - share, MIN_RESIDUAL_SHARE)
    return np.sqrt(np.sqrt(share / np.sqrt(residual_share)))


@njit(inline="always", **OPTIONS)
def _folded(values):
    """Return the sum of the values, which are used up; the order is the same on any machine."""
    n_left = len(values)
    while n_left > 1:
        half = (n_left + 1) // 2
        for place in range(n_left - half):
            values[place] += values[half + place]
        n_left = half
    return values[0]


@njit(**OPTIONS)
def window_moments(sums, squares, inverse_lengths, inverse_totals, means, deviations):
    """Fill in the mean and the standard deviation of formula (2) for every window.

    ``sums`` is Lᵀ S, (n_groups − 1, n_places, n_relabellings), and ``squares`` is A,
    (n_places, n_relabellings); the other arrays are by effect, first and last place.
    """
    n_groups, n_places, n_relabellings = sums.shape
    window_sums = np.empty((n_groups, n_relabellings))
    both, heights = np.empty(n_relabellings), np.empty(n_relabellings)
    roots, used_up = np.empty(n_relabellings), np.empty(n_relabellings)
    for first in range(n_places):
        window_sums[:] = 0.0
        both[:] = 0.0
        for last in range(first, n_places):
            _extend(sums, squares, last, window_sums, both, heights)
            inverse = inverse_lengths[first, last]
            for effect in range(2):
                # Formula (1); |s|² gives way to the share.
                inverse_total = inverse_totals[effect, first, last]
                for place in range(n_relabellings):
                    square = heights[place] * inverse
                    if effect == 1:
                        square = max(both[place] - square, 0.0)
                    roots[place] = _striking(square * inverse_total)
                used_up[:] = roots
                mean = _folded(used_up) / n_relabellings
                for place in range(n_relabellings):
                    used_up[place] = (roots[place] - mean) * (roots[place] - mean)
                means[effect, first, last] = mean
                deviations[effect, first, last] = np.sqrt(_folded(used_up) / n_relabellings)


@njit(**OPTIONS)
def count_windows(
    sums, squares, inverse_lengths, inverse_totals, bounds, means, scales, n_extreme, largest
):
    """Add to ``n_extreme`` the relabellings that reach ``bounds``; raise ``largest``.

    The arrays are those of `window_moments`, of at most ``AT_ONCE`` relabellings; ``scales`` is 1 /
    standard deviation, and 0 for windows without variation. ``largest`` is the largest score
    of each relabelling.
    """
    n_groups, n_places, n_relabellings = sums.shape
    # What one loop works on lies in one array at distances known beforehand: of several
    # arrays, the compiler must suppose that they overlap.
    window_sums, state = np.empty((n_groups - 1, AT_ONCE)), np.zeros(4 * AT_ONCE)
    state[LARGEST_SCORE : LARGEST_SCORE + n_relabellings] = largest
    for first in range(n_places):
        window_sums[:] = 0.0
        state[:LARGEST_SCORE] = 0.0
        for last in range(first, n_places):
            _add_groups(sums, last, window_sums, state)
            inverse = inverse_lengths[first, last]
            height_bound, shape_bound = bounds[0, first, last], bounds[1, first, last]
            height_total = inverse_totals[0, first, last]
            shape_total = inverse_totals[1, first, last]
            height_mean, shape_mean = means[0, first, last], means[1, first, last]
            height_scale, shape_scale = scales[0, first, last], scales[1, first, last]
            # A window without variation takes no part in the maximum.
            height_deviation = 1.0 / height_scale if height_scale > 0.0 else 0.0
            shape_deviation = 1.0 / shape_scale if shape_scale > 0.0 else 0.0
            n_heights = n_shapes = n_exceeding = 0
            for place in range(n_relabellings):
                last_sum = state[LAST + place] + sums[n_groups - 1, last, place]
                state[LAST + place] = last_sum
                both = state[BOTH + place] + squares[last, place]
                state[BOTH + place] = both
                # Formula (1).
                height = (state[OTHERS + place] + last_sum * last_sum) * inverse
                shape = max(both - height, 0.0)
                n_heights += height >= height_bound
                n_shapes += shape >= shape_bound
                most = state[LARGEST_SCORE + place]
                n_exceeding += _exceeds(
                    height * height_total, most * height_deviation + height_mean
                ) | _exceeds(shape * shape_total, most * shape_deviation + shape_mean)
            n_extreme[0, first, last] += n_heights
            n_extreme[1, first, last] += n_shapes
            if n_exceeding == 0:
                continue
            for place in range(n_relabellings):
                last_sum = state[LAST + place]
                height = (state[OTHERS + place] + last_sum * last_sum) * inverse
                shape = max(state[BOTH + place] - height, 0.0)
                most = state[LARGEST_SCORE + place]
                if height_scale > 0.0:
                    root = _striking(height * height_total)
                    most = max(most, (root - height_mean) * height_scale)
                if shape_scale > 0.0:
                    root = _striking(shape * shape_total)
                    most = max(most, (root - shape_mean) * shape_scale)
                state[LARGEST_SCORE + place] = most
    largest[:] = state[LARGEST_SCORE : LARGEST_SCORE + n_relabellings]


@njit(inline="always", **OPTIONS)
def _add_groups(sums, last, window_sums, state):
    """Add place ``last`` to the sums of all groups but the last; add up their squares."""
    n_relabellings = sums.shape[2]
    for group in range(len(window_sums)):
        for place in range(n_relabellings):
            window_sum = window_sums[group, place] + sums[group, last, place]
            window_sums[group, place] = window_sum
            before = state[OTHERS + place] if group else 0.0
            state[OTHERS + place] = before + window_sum * window_sum


@njit(inline="always", **OPTIONS)
def _exceeds(share, root):
    """Tell whether the fourth root in (2) of a share exceeds a number.

    Few relabellings have a score above the largest so far once some windows have been seen, so
    it pays to ask without taking roots.
    """
    # A fourth root is not negative, so it exceeds every negative number.
    power = max(root, 0.0)
    power *= power
    power *= power
    return share * share > (1.0 - share) * (power * power)
