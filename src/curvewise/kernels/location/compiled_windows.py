"""Every window of training in compiled code, for work that repays importing numba.

The formulas are those of `windows`. For the window from ``first`` to ``last``, with s for the
sums of Lᵀ S over it,

    SS_alg = |s|² / length,    SS_int = Σ A_h − SS_alg,    r = SS / total,             (1)
    score = ((r / √(1 − r))^(1/4) − mean) / (standard deviation).                      (2)

The loop over windows is outside and that over relabellings inside, so that the compiler can
work on several relabellings with each instruction. A window takes over the sums of the window
one place shorter.
"""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit
from curvewise.kernels.location.profiles import MIN_RESIDUAL_SHARE

__all__ = ["count_windows", "window_moments"]


@njit(**OPTIONS)
def _extend(sums, differences, window_sums, both, last):
    """Add place ``last`` to s, ``window_sums``, and to Σ A_h, ``both``; return |s|²."""
    n_groups, _, n_relabellings = sums.shape
    squares = np.zeros(n_relabellings)
    for group in range(n_groups):
        window_sum, added = window_sums[group], sums[group, last]
        for place in range(n_relabellings):
            window_sum[place] += added[place]
            squares[place] += window_sum[place] * window_sum[place]
    added = differences[last]
    for place in range(n_relabellings):
        both[place] += added[place]
    return squares


@njit(**OPTIONS)
def _n_exceeding(values, largest, inverse_total, mean, deviation):
    """Count the relabellings whose score (2) in this window exceeds the largest so far.

    Few do once some windows have been seen, so it pays to ask without taking roots: score >
    largest is r² > (1 − r) q⁸, with q = largest · deviation + mean, the value that the
    fourth root must exceed.
    """
    n_exceeding = 0
    for place in range(len(values)):
        # A fourth root is not negative, so it exceeds every negative q.
        power = max(largest[place] * deviation + mean, 0.0)
        power *= power
        power *= power  # q⁴
        share = values[place] * inverse_total
        n_exceeding += share * share > (1.0 - share) * power * power
    return n_exceeding


@njit(inline="always", **OPTIONS)
def _striking(share):
    """Return the fourth root in formula (2)."""
    residual_share = max(1.0 - share, MIN_RESIDUAL_SHARE)
    return np.sqrt(np.sqrt(share / np.sqrt(residual_share)))


@njit(**OPTIONS)
def _raise(values, largest, inverse_total, mean, scale):
    """Raise the largest score of each relabelling to that of this window: formula (2)."""
    for place in range(len(values)):
        root = _striking(values[place] * inverse_total)
        largest[place] = max(largest[place], (root - mean) * scale)


@njit(**OPTIONS)
def _moments(values, inverse_total):
    """Return mean and standard deviation, over relabellings, of the fourth roots in (2)."""
    roots = np.empty(len(values))
    total = 0.0
    for place in range(len(values)):
        roots[place] = _striking(values[place] * inverse_total)
        total += roots[place]
    mean = total / len(values)
    squares = 0.0
    for place in range(len(values)):
        squares += (roots[place] - mean) * (roots[place] - mean)
    return mean, np.sqrt(squares / len(values))


@njit(**OPTIONS)
def window_moments(sums, differences, inverse_lengths, inverse_totals, means, deviations):
    """Fill in the mean and the standard deviation of formula (2) for every window.

    ``sums`` is Lᵀ S, (n_groups − 1, n_places, n_relabellings), and ``differences`` is A,
    (n_places, n_relabellings); the other arrays are by effect, first and last place.
    """
    n_groups, n_places, n_relabellings = sums.shape
    shapes = np.empty(n_relabellings)
    for first in range(n_places):
        window_sums = np.zeros((n_groups, n_relabellings))
        both = np.zeros(n_relabellings)
        for last in range(first, n_places):
            squares = _extend(sums, differences, window_sums, both, last)
            # Formula (1); |s|² gives way to SS_alg.
            for place in range(n_relabellings):
                height = squares[place] * inverse_lengths[first, last]
                shapes[place] = max(both[place] - height, 0.0)
                squares[place] = height
            for effect in range(2):
                values = squares if effect == 0 else shapes
                mean, deviation = _moments(values, inverse_totals[effect, first, last])
                means[effect, first, last] = mean
                deviations[effect, first, last] = deviation


@njit(**OPTIONS)
def count_windows(
    sums,
    differences,
    inverse_lengths,
    inverse_totals,
    bounds,
    means,
    scales,
    n_extreme,
    largest,
):
    """Add to ``n_extreme`` the relabellings that reach ``bounds``; raise ``largest``.

    The arrays are those of `window_moments`; ``scales`` is 1 / standard deviation, and 0 for
    windows without variation. ``largest`` is the largest score of each relabelling.
    """
    n_groups, n_places, n_relabellings = sums.shape
    shapes = np.empty(n_relabellings)
    for first in range(n_places):
        window_sums = np.zeros((n_groups, n_relabellings))
        both = np.zeros(n_relabellings)
        for last in range(first, n_places):
            squares = _extend(sums, differences, window_sums, both, last)
            inverse = inverse_lengths[first, last]
            height_bound, shape_bound = bounds[0, first, last], bounds[1, first, last]
            n_heights = n_shapes = 0
            # Formula (1), counted in passing; |s|² gives way to SS_alg.
            for place in range(n_relabellings):
                height = squares[place] * inverse
                shape = max(both[place] - height, 0.0)
                squares[place] = height
                shapes[place] = shape
                n_heights += height >= height_bound
                n_shapes += shape >= shape_bound
            n_extreme[0, first, last] += n_heights
            n_extreme[1, first, last] += n_shapes
            for effect in range(2):
                scale = scales[effect, first, last]
                if scale == 0.0:
                    continue
                values = squares if effect == 0 else shapes
                total = inverse_totals[effect, first, last]
                mean = means[effect, first, last]
                if _n_exceeding(values, largest, total, mean, 1.0 / scale):
                    _raise(values, largest, total, mean, scale)
