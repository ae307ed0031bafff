from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from curvewise.kernels.anova.design import Design
from curvewise.kernels.anova.sums import group_squares
from curvewise.kernels.anova.thirds import n_thirds, thirds_counter
from curvewise.kernels.anova.thresholds import EPSILON, rounding
from tests.simulation import integer_tied, random_walk


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
