"""Every step of every relabelling in compiled code, for work that repays importing numba.

The formulas are those of `profiles`, `nested` and `scanning`, in the same order of operations.
Some steps come at a time, of at most ``MAX_RELABELLINGS`` relabellings, and what is known of the steps so
far goes along in a ``state``; so no array is as long as the curves for each relabelling. Loops
over steps are outside and those over relabellings inside, so that the compiler can work on
several relabellings with each instruction.
"""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit
from curvewise.kernels.location.profiles import MIN_RESIDUAL_SHARE
from curvewise.kernels.location.tiles import MAX_RELABELLINGS

__all__ = ["N_STATES", "gather_places", "raise_largest", "scan_steps"]

# Where, in the state of an effect, these are, one for each relabelling: the largest root, the
# largest mass of a cluster, the mass of the cluster that goes on, and squares. All lie in one
# array at distances known beforehand: of several, the compiler must suppose that they overlap.
N_STATES = 4
LARGEST, MASS, RUNNING, SQUARES = (place * MAX_RELABELLINGS for place in range(N_STATES))
NEARLY = 1.0 - 1e-12  # what may reach a bar is looked at closely


@njit(**OPTIONS)
def scan_steps(
    sums,
    means,
    first,
    totals,
    slack,
    bars,
    nested_bars,
    threshold,
    ratio,
    state,
    n_own,
    n_nested,
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
