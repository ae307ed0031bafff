from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from curvewise.kernels.anova.compiled_enumeration import _count_row, _subset_sums
from curvewise.kernels.anova.design import Design
from curvewise.kernels.anova.engines import n_thirds, thirds_counter
from curvewise.kernels.anova.sums import group_squares
from curvewise.kernels.anova.thresholds import EPSILON, rounding
from tests.simulation import integer_tied, random_walk


def test_sums_of_subsets_are_numbered_by_bits() -> None:
    values = np.array([1.0, 20.0, 300.0, 4000.0])
    sums = np.empty(16)
    _subset_sums(values, sums)
    digits = np.arange(16)[:, None] >> np.arange(4) & 1
    assert sums.tolist() == (digits @ values).tolist()


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n_first", "n_second"), [(1, 2), (4, 4), (3, 7), (6, 5)])
def test_counts_are_those_of_all_choices_one_by_one(
    n_first: int, n_second: int, ties: bool
) -> None:
    n_runs = n_first + n_second
    labels = np.repeat([0, 1], [n_first, n_second])
    curves = integer_tied if ties else random_walk
    scores = curves(np.random.default_rng(1), n_runs, 3)
    noise = rounding(scores, EPSILON)
    design = Design.from_scores(scores, labels, np.zeros_like(labels), noise)
    every = np.ones((0, n_runs), dtype=np.int64)
    for chosen in combinations(range(n_runs), n_first):
        row = np.ones((1, n_runs), dtype=np.int64)
        row[0, list(chosen)] = 0
        every = np.concatenate([every, row])
    between = group_squares(every, design.coordinates, design.factor)
    expected = design.extreme_rule.n_extreme(between)
    # Of two mirror images, where groups are equally large, one is counted.
    images = 2 if n_first == n_second else 1
    found = thirds_counter(labels, design)(0, n_thirds(n_runs))
    assert (images * found).tolist() == expected.tolist()


def test_a_row_is_added_unless_a_value_is_near_its_bound() -> None:
    heights, row, other = (
        np.array(part, dtype=np.float32) for part in ([1.0, 2.0], [3.0, 1.0], [1.0, 0.5])
    )
    base, total, shares = np.float32(2), np.float32(0.5), (np.float32(0.5),) * 2

    def count(bounds: tuple[float, ...]) -> bool:
        raised, lowered = (
            tuple(np.float32(bound + margin) for bound in bounds)
            for margin in (0.01, -0.01)
        )
        return bool(
            _count_row(row, other, heights, base, total, shares, raised, lowered, counts)
        )

    counts = np.zeros(5, dtype=np.int64)
    # (0.5 + 1)² = 2.25 and (0.5 + 2)² = 6.25; 2 + 3 + 1 = 6 and 2 + 1 + 0.5 = 3.5.
    assert count((10.0, 4.0, 5.0, 7.0, 7.0))
    assert counts.tolist() == [0, 1, 1, 1, 1]
    assert not count((10.0, 4.0, 5.995, 7.0, 7.0))
    assert counts.tolist() == [0, 1, 1, 1, 1]
