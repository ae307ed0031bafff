"""Every window of training in compiled code, for work that repays importing numba."""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiled import OPTIONS, njit

__all__ = ["count_windows", "window_moments"]

LEAST_REST = 64 * 2.0**-52  # as in `windows`


@njit(**OPTIONS)
def _extend(sums, differences, heights, together, last):
    """Let the windows take in one more place: heights squared, and all differences."""
    n_groups, _, n_relabellings = sums.shape
    squares = np.zeros(n_relabellings)
    for group in range(n_groups):
        height, more = heights[group], sums[group, last]
        for place in range(n_relabellings):
            height[place] += more[place]
            squares[place] += height[place] * height[place]
    more = differences[last]
    for place in range(n_relabellings):
        together[place] += more[place]
    return squares


@njit(**OPTIONS)
def _exceeding(values, largest, inverse_total, mean, spread):
    """Count the relabellings in which this window is more striking than any before."""
    n_exceeding = 0
    for place in range(len(values)):
        # Instead of taking roots, what they are compared with is raised.
        root = max(largest[place] * spread + mean, 0.0)
        root *= root
        root *= root
        share = values[place] * inverse_total
        n_exceeding += share * share > (1.0 - share) * root * root
    return n_exceeding


@njit(**OPTIONS)
def _raise(values, largest, inverse_total, mean, scale):
    for place in range(len(values)):
        share = values[place] * inverse_total
        rest = max(1.0 - share, LEAST_REST)
        root = np.sqrt(np.sqrt(share / np.sqrt(rest)))
        largest[place] = max(largest[place], (root - mean) * scale)


@njit(**OPTIONS)
def _moments(values, inverse_total):
    """Return mean and standard deviation of how striking a window is."""
    roots = np.empty(len(values))
    total = 0.0
    for place in range(len(values)):
        share = values[place] * inverse_total
        rest = max(1.0 - share, LEAST_REST)
        roots[place] = np.sqrt(np.sqrt(share / np.sqrt(rest)))
        total += roots[place]
    mean = total / len(values)
    around = 0.0
    for place in range(len(values)):
        around += (roots[place] - mean) * (roots[place] - mean)
    return mean, np.sqrt(around / len(values))


@njit(**OPTIONS)
def window_moments(sums, differences, inverse_lengths, inverse_totals, means, spreads):
    """Fill in mean and standard deviation, over relabellings, of every window."""
    n_groups, n_places, n_relabellings = sums.shape
    shapes = np.empty(n_relabellings)
    for first in range(n_places):
        heights = np.zeros((n_groups, n_relabellings))
        together = np.zeros(n_relabellings)
        for last in range(first, n_places):
            squares = _extend(sums, differences, heights, together, last)
            for place in range(n_relabellings):
                height = squares[place] * inverse_lengths[first, last]
                shapes[place] = max(together[place] - height, 0.0)
                squares[place] = height
            for effect in range(2):
                values = squares if effect == 0 else shapes
                mean, spread = _moments(values, inverse_totals[effect, first, last])
                means[effect, first, last] = mean
                spreads[effect, first, last] = spread


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
    """Add to the counts of extreme relabellings; raise the largest score of each.

    ``sums`` is (n_groups − 1, n_places, n_relabellings). The arithmetic is that of
    `windows.Windows`, step by step.
    """
    n_groups, n_places, n_relabellings = sums.shape
    shapes = np.empty(n_relabellings)
    for first in range(n_places):
        heights = np.zeros((n_groups, n_relabellings))
        together = np.zeros(n_relabellings)
        for last in range(first, n_places):
            squares = _extend(sums, differences, heights, together, last)
            inverse = inverse_lengths[first, last]
            height_bound, shape_bound = bounds[0, first, last], bounds[1, first, last]
            n_heights = n_shapes = 0
            for place in range(n_relabellings):
                height = squares[place] * inverse
                shape = max(together[place] - height, 0.0)
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
                if _exceeding(values, largest, total, mean, 1.0 / scale):
                    _raise(values, largest, total, mean, scale)
