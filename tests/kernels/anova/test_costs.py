from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.anova.costs import shuffle_costs
from curvewise.kernels.relabelling.shuffles import Shuffles


@pytest.mark.parametrize(
    "sizes", [(3, 3), (10, 10), (30, 30), (90, 90), (3, 3, 3), (5,) * 50, (5,) * 1000]
)
def test_compiled_shuffles_are_cheaper_and_cost_grows_with_columns(
    sizes: tuple[int, ...],
) -> None:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    shuffles = Shuffles(labels, np.zeros_like(labels), 1, 0)
    few, many = (shuffle_costs(shuffles, n, np.array(sizes)) for n in (5, 500))
    assert few.compiled < few.in_numpy < many.in_numpy
    assert few.compiled <= many.compiled < many.in_numpy


def test_cost_is_linear_in_the_number_of_groups_where_sizes_are_plain() -> None:
    costs = []
    for n_groups in (100, 200, 400):
        labels = np.repeat(np.arange(n_groups), 5)
        shuffles = Shuffles(labels, np.zeros_like(labels), 1, 0)
        costs.append(shuffle_costs(shuffles, 50, np.full(n_groups, 5)).in_numpy)
    assert costs[2] - costs[1] == pytest.approx(2 * (costs[1] - costs[0]))
