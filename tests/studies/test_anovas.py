from __future__ import annotations

import numpy as np
import pytest

import curvewise as cw
from studies.anovas import f_ratios, f_ratios_along, random_halves
from tests.simulation import autoregressive


def test_matrix_products_give_the_f_of_compare() -> None:
    rng = np.random.default_rng(0)
    scores = autoregressive(rng, 12, 7)
    halves = random_halves(12, 5, rng)
    assert (halves.sum(axis=1) == 6).all()
    ratios = f_ratios(scores, halves)
    for row, half in enumerate(halves):
        labels = np.where(half == 1, "A", "B")
        effects = cw.compare(cw.Curves(scores, labels), n_shuffles=1, exact=False).effects
        expected = [
            effects["pooled"]["algorithm"],
            effects["pooled"]["interaction"],
            effects["split"]["algorithm"],
            effects["split"]["interaction"],
        ]
        for values, effect in zip(ratios, expected, strict=True):
            assert values[row] == pytest.approx(effect.statistic)


def test_many_factors_give_the_f_of_each() -> None:
    rng = np.random.default_rng(1)
    scores, change = autoregressive(rng, 10, 6), autoregressive(rng, 10, 6)
    halves, factors = random_halves(10, 8, rng), (0, 0.5, 3)
    together = f_ratios_along(scores, change, factors, halves)
    for index, factor in enumerate(factors):
        alone = f_ratios(scores + factor * change, halves)
        assert together[:, index] == pytest.approx(np.array(alone[:2]))
