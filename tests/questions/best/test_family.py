"""Who may be the best is read off the pairs: the two never contradict each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from curvewise import Curves, best, compare_pairs
from tests.simulation import some_curves

DESIGNS: dict[str, Curves] = {
    "three": some_curves(3, (5, 6, 4)),
    "blocks": some_curves(4, (4, 4, 4), blocks=[0, 1, 2, 3] * 3),
    "lower is better": some_curves(5, (4, 4, 4), higher_is_better=False),
    "five": some_curves(6, (5, 5, 5, 5, 5)),
    "nine": Curves(some_curves(7, (36,)).scores, np.repeat(list("ABCDEFGHI"), 4)),
    "a single run": some_curves(8, (5, 1, 4)),
}


def lifted(curves: Curves, size: float) -> Curves:
    lift = size * np.arange(len(curves.algorithms))[curves.codes]
    about: dict[str, Any] = {"blocks": curves.blocks, "higher_is_better": curves.higher_is_better}
    return Curves(curves.scores + lift[:, None], curves.labels, **about)


@pytest.mark.parametrize("size", [0.0, 0.7, 3.0])
@pytest.mark.parametrize("name", DESIGNS)
def test_p_of_the_leader_and_another_is_that_of_the_pair(name: str, size: float) -> None:
    curves = lifted(DESIGNS[name], size)
    options: dict[str, Any] = {"n_shuffles": 499, "rng": 1}
    pairs, found = compare_pairs(curves, **options), best(curves, **options)
    for row in found.rows[1:]:
        pair = pairs.pair(row.name, found.leader)
        assert row.pvalue == pytest.approx(pair.algorithm.pvalue)
        assert row.pvalue_adjusted == pair.algorithm.pvalue_adjusted
        assert row.contends == (not pair.algorithm.significant)
        assert row.interval is not None
        for interval in (row.interval, pair.interval):
            assert (interval.low <= 0 <= interval.high) == row.contends


def test_one_step_means_the_same_as_the_mean_of_several() -> None:
    curves = lifted(DESIGNS["five"], 0.7)
    means = Curves(curves.scores.mean(axis=1, keepdims=True), curves.labels)
    of_curves, of_means = (
        [pair.algorithm.pvalue_adjusted for pair in compare_pairs(each, n_shuffles=999, rng=0)]
        for each in (curves, means)
    )
    # Runs are laid out in another order, and so other shuffles are drawn.
    assert of_curves == pytest.approx(of_means, abs=0.06)
