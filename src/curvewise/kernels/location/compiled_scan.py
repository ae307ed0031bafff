"""Every step of every relabelling in compiled code, for work that repays importing numba.

The formulas are those of `profiles`, `nested` and `scanning`, in the same order of operations.
Loops over steps are outside and those over relabellings inside, so that the compiler can work
on several relabellings with each instruction.
"""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit
from curvewise.kernels.location.profiles import MIN_RESIDUAL_SHARE

__all__ = ["gather_places", "largest_roots", "scan_steps"]


@njit(**OPTIONS)
def scan_steps(
    sums,
    totals,
    slack,
    bars,
    nested_bars,
    order,
    threshold,
    ratio,
    roots,
    n_own,
    n_stepdown,
    n_nested,
    largest,
):
    """Scan the steps of a portion of relabellings.

    ``sums`` is Lᵀ S, (n_groups − 1, n_steps, n_relabellings); ``totals``, ``slack``, ``bars``
    and ``order`` are (2, n_steps), ``ratio`` is what a ratio of shares is multiplied by to
    give F. Fills in ``roots``, (2, n_steps, n_relabellings), adds to the numbers of
    relabellings that reach a bar at each step, by steps down and in nested windows, and
    raises the largest roots and masses of clusters, (2, 2, n_relabellings).
    """
    _, n_steps, n_relabellings = sums.shape
    means = _mean_sums(sums)
    squares = np.empty(n_relabellings)
    running = np.zeros((2, n_relabellings))
    # Loops over relabellings have few arrays each: of more, the compiler makes slow code.
    for step in range(n_steps):
        for effect in range(2):
            for place in range(n_relabellings):
                squares[place] = 0.0
            total, own_slack = totals[effect, step], slack[effect, step]
            if total > 0.0:
                _add_squares(sums, step, means, effect, squares)
            else:
                total = 1.0
            for place in range(n_relabellings):
                root = np.sqrt(squares[place] / total)
                squares[place] = root
                roots[effect, step, place] = root + own_slack
            for place in range(n_relabellings):
                share = squares[place] * squares[place]
                f = share / max(1.0 - share, MIN_RESIDUAL_SHARE) * ratio
                mass = running[effect, place] + f if f >= threshold else 0.0
                running[effect, place] = mass
                largest[1, effect, place] = max(largest[1, effect, place], mass)
            bar, nested_bar = bars[effect, step], nested_bars[1, step]
            n_reaching = n_raised = 0
            for place in range(n_relabellings):
                root = roots[effect, step, place]
                raised = max(largest[0, effect, place], root)
                largest[0, effect, place] = raised
                n_reaching += root >= bar
                n_raised += raised >= nested_bar
            n_own[effect, step] += n_reaching
            if effect == 0:
                n_nested[1, step] += n_raised
    so_far = np.zeros(n_relabellings)
    for step in range(n_steps - 1, -1, -1):
        n_nested[0, step] += _raise(roots, 0, step, so_far, nested_bars[0, step])
    for effect in range(2):
        so_far[:] = 0.0
        for rank in range(n_steps - 1, -1, -1):
            # The largest of this step and all less striking ones.
            step = order[effect, rank]
            n_stepdown[effect, step] += _raise(
                roots, effect, step, so_far, bars[effect, step]
            )


@njit(inline="always", **OPTIONS)
def _raise(roots, effect, step, largest, bar):
    """Raise ``largest`` to the roots of a step; return how many of the largest reach the bar."""
    n_reaching = 0
    for place in range(len(largest)):
        raised = max(largest[place], roots[effect, step, place])
        largest[place] = raised
        n_reaching += raised >= bar
    return n_reaching


@njit(inline="always", **OPTIONS)
def _add_squares(sums, step, means, effect, squares):
    """Add up the squares of the sums at a step, less their means for the second effect."""
    for group in range(sums.shape[0]):
        if effect == 0:
            for place in range(len(squares)):
                value = sums[group, step, place]
                squares[place] += value * value
        else:
            for place in range(len(squares)):
                apart = sums[group, step, place] - means[group, place]
                squares[place] += apart * apart


@njit(**OPTIONS)
def _mean_sums(sums):
    """Return the means over the steps; (n_groups − 1, n_relabellings)."""
    n_groups, n_steps, n_relabellings = sums.shape
    means = np.zeros((n_groups, n_relabellings))
    for group in range(n_groups):
        for step in range(n_steps):
            for place in range(n_relabellings):
                means[group, place] += sums[group, step, place]
        for place in range(n_relabellings):
            means[group, place] /= n_steps
    return means


@njit(**OPTIONS)
def largest_roots(sums, totals, slack, largest):
    """Raise ``largest``, (n_relabellings,), to the largest √R plus slack over the steps.

    ``totals`` and ``slack`` are (2, n_steps), of which the first rows count.
    """
    _, n_steps, n_relabellings = sums.shape
    squares, means = np.empty(n_relabellings), np.empty((0, 0))
    for step in range(n_steps):
        for place in range(n_relabellings):
            squares[place] = 0.0
        total, own_slack = totals[0, step], slack[0, step]
        if total > 0.0:
            _add_squares(sums, step, means, 0, squares)
        else:
            total = 1.0
        for place in range(n_relabellings):
            root = np.sqrt(squares[place] / total) + own_slack
            largest[place] = max(largest[place], root)


@njit(**OPTIONS)
def gather_places(sums, starts, first, place_sums, place_squares):
    """Sum Lᵀ S, and A, over the steps of each place.

    ``starts`` has the first step of each place. Fills in relabellings from ``first`` on of
    (n_groups − 1, n_places, …) and (n_places, …).
    """
    n_groups, n_steps, n_relabellings = sums.shape
    squares, means = np.empty(n_relabellings), np.empty((0, 0))
    for number in range(len(starts)):
        stop = starts[number + 1] if number + 1 < len(starts) else n_steps
        for step in range(starts[number], stop):
            for place in range(n_relabellings):
                squares[place] = 0.0
            _add_squares(sums, step, means, 0, squares)
            for place in range(n_relabellings):
                place_squares[number, first + place] += squares[place]
            for group in range(n_groups):
                for place in range(n_relabellings):
                    place_sums[group, number, first + place] += sums[group, step, place]
