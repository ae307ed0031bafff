"""Intervals of typical runs against testing every shift by brute force."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.kernels.invert import Shifted, midranks, rank_ends, trimmed_ends, trimmed_means
from tests.crossing import crossed

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers


def every(labels: Integers) -> Integers:
    n_runs, n_first = len(labels), int(np.sum(labels == 0))
    rows = []
    for members in combinations(range(n_runs), n_first):
        row = np.ones(n_runs, dtype=np.int64)
        row[list(members)] = 0
        rows.append(row)
    return np.stack(rows)


def asked(seed: int, sizes: tuple[int, int], *, whole: bool = False, **options: object) -> Shifted:
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=sum(sizes))
    numbers[: sizes[0]] += 1.0
    if whole:
        numbers = np.round(2 * numbers)
    labels = np.repeat([0, 1], sizes)
    values = {"tie": 1e-12, "alpha": 0.05, "exact": True, **options}
    return Shifted(numbers, labels, np.zeros_like(labels), every(labels), **values)  # type: ignore[arg-type]


def by_hand(test: Shifted, statistic: str, shift: float) -> float:
    """Return p of a shift, with every statistic computed from scratch."""
    shifted = test.numbers - shift * (test.labels == 0)

    def difference(labels: Integers) -> float:
        if statistic == "trimmed":
            first, second = trimmed_means(labels[None, :], shifted)[:, 0]
            return float(first - second)
        ranks: Floats = midranks(shifted, test.blocks, 1e-12)
        return float(ranks[labels == 0].mean() - ranks[labels == 1].mean())

    observed = difference(test.labels)
    values = np.array([difference(labels) for labels in test.relabelled])
    if test.two_sided:
        # Rank sums are symmetric about their mean, the mean difference about 0.
        return float(np.mean(np.abs(values) >= abs(observed) - 1e-9))
    return float(np.mean(values >= observed - 1e-9))


@crossed(
    4,
    seed=range(4),
    sizes=[(5, 5), (6, 5)],
    two_sided=[True, False],
    statistic=["trimmed", "ranks"],
)
def test_just_inside_no_shift_is_rejected_and_just_outside_every_one_is(
    seed: int, sizes: tuple[int, int], two_sided: bool, statistic: str
) -> None:
    test = asked(seed, sizes, two_sided=two_sided)
    low, high = (trimmed_ends if statistic == "trimmed" else rank_ends)(test)
    assert math.isfinite(low)
    assert math.isfinite(high) == two_sided
    for end, outwards in ((low, -1), (high, 1)):
        if math.isfinite(end):
            assert by_hand(test, statistic, end - outwards * 1e-7) > 0.05
            for further in (1e-7, 0.05, 1.0, 50.0):
                assert by_hand(test, statistic, end + outwards * further) <= 0.05
    inside = np.linspace(low, min(high, low + 5), 7)[1:-1]
    assert all(by_hand(test, statistic, float(shift)) > 0.05 for shift in inside)


@pytest.mark.parametrize("seed", range(8))
def test_trimmed_ends_leave_out_zero_exactly_if_it_is_rejected_with_ties_too(seed: int) -> None:
    test = asked(seed, (5, 5), whole=True, alpha=0.1)
    low, high = trimmed_ends(test)
    assert (low <= 0 <= high) == (by_hand(test, "trimmed", 0.0) > 0.1)


def test_too_few_relabellings_reject_nothing() -> None:
    test = asked(0, (5, 5), alpha=0.001)
    assert rank_ends(test) == (-math.inf, math.inf)
    # Two of 252 relabellings, and their mirror images, are as extreme whatever the shift.
    assert trimmed_ends(asked(0, (5, 5), alpha=0.0158)) == (-math.inf, math.inf)
    assert all(map(math.isfinite, trimmed_ends(asked(0, (5, 5), alpha=0.016))))


def test_ends_move_with_the_runs_and_scale_with_them() -> None:
    test = asked(3, (5, 6))
    moved = 3 * test.numbers + 10 * (test.labels == 0)
    other = Shifted(moved, test.labels, test.blocks, test.relabelled, 1e-12, 0.05, exact=True)
    for ends in (trimmed_ends, rank_ends):
        np.testing.assert_allclose(ends(other), 3 * np.array(ends(test)) + 10)


def test_ranks_are_taken_inside_blocks() -> None:
    rng = np.random.default_rng(5)
    labels, blocks = np.tile([0, 1], 6), np.repeat(np.arange(6), 2)
    numbers = rng.normal(size=12) + 100.0 * blocks + 2.0 * (labels == 0)
    swaps = np.array([[i >> b & 1 for b in range(6)] for i in range(64)])
    relabelled = np.repeat(swaps, 2, axis=1) ^ labels
    test = Shifted(numbers, labels, blocks, relabelled, 1e-9, 0.05, exact=True)
    # The sign test of six differences: only all six of one sign have p = 2/64.
    differences = numbers[::2] - numbers[1::2]
    np.testing.assert_allclose(rank_ends(test), (differences.min(), differences.max()), atol=1e-9)
