"""The tables that the exact count of two algorithms needs; its formula is in `compiled_enumeration`.

The unit of the integers is such that no statistic exceeds 2³⁰ of them, whatever the relabelling.
A sum over so many pairs of runs is then off by half a unit for each of them at most, a ten
millionth of it all, and few relabellings are that near a bound.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova.engines import aligned, double_margin, sides_of_rule
from curvewise.kernels.anova.subset_sums import MAX_SUBSET_RUNS, count_heights

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Integers
    from curvewise.kernels.anova.design import Design
    from curvewise.kernels.anova.engines import Counter

__all__ = ["n_thirds", "thirds_counter", "thirds_seconds"]

MAX_UNITS = 2**30
# Rows over y are long, yet those that are read again for each z stay in the nearest cache; the table
# of rows for all z stays in the next one.
N_MIDDLE, N_LAST = 11, 7
SECONDS_FOR_A_PART, SECONDS_FOR_A_RELABELLING = 3e-7, 5e-10


def _cuts(n_runs: int) -> tuple[int, int]:
    """Return where the first and the second of the parts x, y and z end."""
    n_middle = min(N_MIDDLE, max(n_runs // 3, 1))
    n_last = min(N_LAST, max((n_runs - n_middle) // 2, 1))
    return n_runs - n_middle - n_last, n_runs - n_last


def n_thirds(n_runs: int) -> int:
    """Return how many parts x there are: `thirds_counter` counts over a range of them."""
    return int(2 ** _cuts(n_runs)[0])


def thirds_seconds(n_runs: int, n_relabellings: int) -> float:
    """Return how long counting takes on one core; infinite if there are too many runs."""
    if n_runs > MAX_SUBSET_RUNS:
        return math.inf
    of_parts = SECONDS_FOR_A_PART * n_thirds(n_runs)
    return of_parts + SECONDS_FOR_A_RELABELLING * n_relabellings


def thirds_counter(labels: Integers, design: Design) -> Counter:
    """Return a function that counts all relabellings whose part x is first to last.

    For two groups without blocks, and at most `MAX_SUBSET_RUNS`. Where the groups are equally
    large, a relabelling and its mirror image count once. Heights are counted by halves, all at
    once, with the range that begins at 0.
    """
    from curvewise.kernels.anova.compiled_enumeration import FORM_ROWS, count_thirds

    n_runs = len(labels)
    n_first = int(np.sum(labels == 0))
    n_images = 2 if 2 * n_first == n_runs else 1
    cuts = _cuts(n_runs)
    scale = float(design.factor[0, 0])
    slopes, bounds = sides_of_rule(design)
    forms, low, width = _forms(design, n_first, list(FORM_ROWS))
    of_x, of_y, of_z = slice(cuts[0]), slice(*cuts), slice(cuts[1], None)
    middle, starts = _by_number(cuts[1] - cuts[0])
    y = _members(middle, cuts[1] - cuts[0])
    z = _members(np.arange(2 ** (n_runs - cuts[1])), n_runs - cuts[1])
    by_middle = forms[:, of_x, of_y] @ y.T
    by_last = forms[:, of_x, of_z] @ z.T
    last_middle = z @ (forms[:, of_z, of_y] @ y.T)
    last_middle += _own_sums(forms[:, of_y, of_y], y)[:, None]
    bases = _own_sums(forms[:, of_z, of_z], z) - low[:, None]
    tables = (
        _wrapped(forms),
        _wrapped(by_middle.transpose(1, 0, 2)).reshape(cuts[0], -1),
        _wrapped(by_last.transpose(1, 0, 2)).reshape(cuts[0], -1),
        _wrapped(last_middle.transpose(1, 0, 2)).reshape(len(z), -1),
    )

    def count(first: int, last: int) -> Integers:
        counts: Integers = count_thirds(
            first, last, cuts, n_first, n_images == 2, *tables, middle, starts,
            _wrapped(np.zeros(forms.shape[0] * len(middle), dtype=np.int64)),
            _wrapped(bases.ravel()), np.int32(width), design.coordinates, scale, slopes, bounds,
        )  # fmt: skip
        if first == 0 < last:
            heights = scale * design.coordinates[:, 0]
            counts[1] = count_heights(heights, n_first, bounds[1]) // n_images
        return counts

    return count


def _forms(
    design: Design, n_first: int, rows: list[int]
) -> tuple[Integers, Integers, int]:
    """Return the coefficients of some statistics, their bounds less the margin, and twice that."""
    scale = float(design.factor[0, 0])
    parts = design.coordinates[:, :1], design.coordinates[:, 1:]
    slopes, bounds = sides_of_rule(design)
    own_slopes = slopes[rows]
    largest = own_slopes @ np.array(design.totals)
    units = np.where(largest > 0, largest, 1.0) / MAX_UNITS
    products = scale**2 * np.stack([part @ part.T for part in parts])
    # A pair of runs is counted once, with the coefficients of i, j and of j, i.
    products *= np.where(np.eye(products.shape[1]) == 1, 1.0, 2.0)
    forms = np.tensordot(own_slopes / units[:, None], products, axes=1)
    # Half a unit for each pair in the mask, and what double precision does.
    doubled = own_slopes @ [double_margin(part, scale) for part in parts] / units
    margin = n_first * (n_first + 1) / 4 + float(doubled.max()) + 2
    # A bound is held within what leaves room for a difference of 32 bits.
    least = np.clip(np.array(bounds)[rows] / units, -MAX_UNITS / 2, 1.25 * MAX_UNITS)
    low = np.floor(least - margin).astype(np.int64)
    return np.rint(forms).astype(np.int64), low, math.ceil(2 * margin) + 1


def _by_number(n_runs: int) -> tuple[Integers, Integers]:
    """Return all subsets by how many runs they have, and where those of each number begin.

    Each number begins at a multiple of `LANES`, with -1 for places that are left over.
    """
    from curvewise.kernels.anova.compiled_signs import LANES

    masks = np.arange(2**n_runs)
    n_bits = np.bitwise_count(masks.astype(np.uint64))
    parts = []
    for number in range(n_runs + 1):
        own = masks[n_bits == number]
        parts.append(np.concatenate([own, np.full(-len(own) % LANES, -1)]))
    starts = np.cumsum([0, *map(len, parts)])
    return np.concatenate(parts), starts


def _members(masks: Integers, n_runs: int) -> Integers:
    """Return a row of 0 and 1 for each mask, and of 0 for -1."""
    bits = np.maximum(masks, 0)[:, None] >> np.arange(n_runs) & 1
    return np.asarray(bits, dtype=np.int64)


def _own_sums(forms: Integers, members: Integers) -> Integers:
    """Return the sums over pairs inside each subset; (n_forms, n_subsets)."""
    return np.asarray(np.sum((members @ np.triu(forms)) * members, axis=2))


def _wrapped(values: Integers) -> npt.NDArray[np.int32]:
    """Return integers of 32 bits, wrapped around."""
    return aligned(values, np.int32)
