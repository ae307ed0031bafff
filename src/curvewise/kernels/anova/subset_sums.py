"""The exact p of the height of two algorithms, far beyond what can be enumerated.

Only the sums of curve heights over the first group matter. The runs are cut in half, the
sums of all subsets of a half are sorted, and for each subset of one half the subsets of the
other that make the total extreme are counted by looking up where they begin.

Where many pairs of groups are compared, the two halves are the groups, so that the sums of each
group are sorted once (`GroupSums`). Write x for the numbers of the runs less the mean of their
group, d for the difference of the two means, and n for the runs of the first of N. Choices of n
runs with k of the first group then sum up, less n times the mean of all, to

    Σ x + d (k − n² / N).

These are rounded otherwise than sums of heights are, so a count is only given where none of them
is so close to the bound that rounding could matter.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova.thresholds import EPSILON
from curvewise.kernels.compiling import compiling_repays

if TYPE_CHECKING:
    from curvewise.kernels import Floats

__all__ = [
    "MAX_SUBSET_RUNS",
    "GroupSums",
    "count_above",
    "count_far",
    "count_heights",
    "counting_repays_compiling",
]

# 2²² sums to a half: half a second, and less than 150 megabytes in all.
MAX_SUBSET_RUNS = 44
COMPILED = "curvewise.kernels.anova.compiled_subsets"
COUNTED_IN_NUMPY, COUNTED_COMPILED = 40e-9, 10e-9  # seconds for each subset of a half


def count_heights(heights: Floats, n_first: int, bound: float) -> int:
    """Count the choices of ``n_first`` runs whose summed heights, squared, reach ``bound``.

    All choices are counted, also those that are mirror images of each other.
    """
    if bound <= 0:
        return math.comb(len(heights), n_first)
    root = math.sqrt(bound)
    halves = _halves(heights)
    above = _count(halves, n_first, root)
    if 2 * n_first == len(heights) and _are_centred(heights):
        # The runs that were not chosen sum to minus as much.
        return 2 * above
    return above + _count(halves, n_first, -root, below=True)


def counting_repays_compiling(n_subsets: int) -> bool:
    """Tell whether so many subsets of a half are counted sooner in compiled code."""
    loaded = sys.modules.get(COMPILED) is not None
    return loaded or compiling_repays(
        n_subsets * COUNTED_IN_NUMPY, n_subsets * COUNTED_COMPILED
    )


@dataclass(frozen=True, eq=False)
class GroupSums:
    """The sorted sums of all subsets of a group's runs, each with one number.

    Attributes
    ----------
    mean : float
        That of the numbers.
    by_size : list of array
        The sums of 0, 1, … numbers less their mean.
    largest : float
        The size of what the numbers were rounded with.
    """

    mean: float
    by_size: list[Floats]
    largest: float

    @classmethod
    def of(cls, scores: Floats) -> GroupSums:
        """Take the mean of each run; ``scores`` is (n_runs, n_steps)."""
        middle = float(scores.mean())
        numbers = (scores - middle).mean(axis=1)
        offset = float(numbers.mean())
        largest = float(np.abs(scores).max())
        return cls(middle + offset, _by_size(numbers - offset), largest)


def count_far(first: GroupSums, second: GroupSums, least: float) -> int | None:
    """Count the choices of as many runs as the first group has that sum up to ``least`` or more.

    In size, and less the mean of all runs. As `count_heights`, of heights that are the numbers
    times a factor; None where rounding could change the count. Needs compiled code.
    """
    from curvewise.kernels.anova.compiled_subsets import count_pairs_apart

    n_first, n_second = len(first.by_size) - 1, len(second.by_size) - 1
    difference = first.mean - second.mean
    margin = 4 * EPSILON * n_first * max(first.largest, second.largest)
    total = 0
    for size, sums in enumerate(first.by_size):
        n_others = n_first - size
        if n_others > n_second:
            continue
        others = second.by_size[n_others]
        shift = difference * (size - n_first**2 / (n_first + n_second))
        # Where the groups are equally large, runs that were not chosen sum to minus as much.
        for below in (False,) if n_first == n_second else (False, True):
            limit = (-least if below else least) - shift
            count, gap = count_pairs_apart(sums, others, limit, below)
            if gap <= margin:
                return None
            total += int(count)
    return 2 * total if n_first == n_second else total


def _are_centred(heights: Floats) -> bool:
    return bool(abs(heights.sum()) <= 4 * EPSILON * np.abs(heights).sum())


def count_above(heights: Floats, n_first: int, least: float) -> int:
    """Count the choices of ``n_first`` runs whose summed heights are at least ``least``."""
    return _count(_halves(heights), n_first, least)


def _halves(heights: Floats) -> tuple[list[Floats], list[Floats]]:
    cut = len(heights) // 2
    return _by_size(heights[:cut]), _by_size(heights[cut:])


def _count(
    halves: tuple[list[Floats], list[Floats]],
    n_first: int,
    limit: float,
    *,
    below: bool = False,
) -> int:
    """Count the sums that are at least ``limit``, or at most that if ``below``."""
    left, right = halves
    compiled = counting_repays_compiling(sum(map(len, left)))
    count = 0
    for size, sums in enumerate(left):
        n_others = n_first - size
        if not 0 <= n_others < len(right):
            continue
        others = right[n_others]
        if compiled:
            from curvewise.kernels.anova.compiled_subsets import count_pairs

            count += int(count_pairs(sums, others, limit, below))
        elif below:
            count += int(np.sum(np.searchsorted(others, limit - sums, "right")))
        else:
            places = np.searchsorted(others, limit - sums, "left")
            count += int(np.sum(len(others) - places))
    return count


def _by_size(values: Floats) -> list[Floats]:
    """Return the sorted sums of all subsets with 0, 1, … members."""
    sums: list[Floats] = [np.zeros(1)]
    for value in values:
        # A subset of k members is one of k without this value, or one of k − 1 with it.
        grown = [sums[0]]
        grown += [
            np.concatenate([without, others + value])
            for without, others in zip(sums[1:], sums[:-1], strict=True)
        ]
        sums = [*grown, sums[-1] + value]
    for part in sums:
        part.sort()
    return sums
