"""Every two algorithms over the looks: adjusted by Holm, and seldom falsely told apart."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from curvewise import monitor
from tests.questions.monitor.batched import batched, rows_of

FEW: dict[str, Any] = {"seed": 1, "n_shuffles": 199}


def test_the_difference_is_that_inside_batches() -> None:
    curves = batched(3, n_batches=2)
    kept = rows_of(curves, [row for row in range(curves.n_runs) if row not in (0, 1, 9)])
    (pair,) = monitor(kept, n_batches=2, **FEW).pairs
    assert kept.blocks is not None
    heights = kept.scores.mean(axis=1)
    # Least squares with an effect of each batch.
    design = np.column_stack([kept.labels == "A", kept.blocks == "1", kept.blocks == "2"]).astype(
        float
    )
    expected = np.linalg.lstsq(design, heights, rcond=None)[0][0]
    assert pair.difference == pytest.approx(expected)
    assert pair.n_runs == (5, 8)


def test_each_pair_is_tested_on_its_own_curves_and_adjusted_by_holm() -> None:
    curves = batched(5, n_batches=2, heights=(0, 0, 4))
    found = monitor(curves, n_batches=2, **FEW)
    assert [(pair.a, pair.b) for pair in found.pairs] == list(combinations("ABC", 2))
    alone = []
    for pair in found.pairs:
        own = monitor(curves.select(pair.a, pair.b), n_batches=2, **FEW)
        assert own.overall.pvalues == pair.overall.pvalues
        alone.append(own.overall.pvalue_sequential)
    order = np.argsort(alone)
    adjusted = np.array([pair.overall.pvalue_adjusted for pair in found.pairs])
    expected = np.maximum.accumulate(np.sort(alone) * [3, 2, 1]).clip(max=1)
    np.testing.assert_allclose(adjusted[order], expected)
    assert found.overall.pvalue_sequential == pytest.approx(adjusted.min())
    assert [pair.status for pair in found.pairs] == ["undecided", "different", "different"]
    assert found.answer == "stop: not decided"


def any_false_claim(seed: int, heights: tuple[float, ...]) -> bool:
    curves = batched(seed, 4, 4, heights, n_steps=3)
    found = monitor(curves, n_batches=4, n_shuffles=199, seed=seed)
    level = dict(zip("ABCD", heights, strict=False))
    return any(pair.overall.significant for pair in found.pairs if level[pair.a] == level[pair.b])


@pytest.mark.parametrize("heights", [(0, 0, 0), (0, 0, 3)])
def test_false_claims_among_several_are_rare(heights: tuple[float, ...]) -> None:
    n_sets = 20
    n_false = sum(any_false_claim(seed, heights) for seed in range(n_sets))
    assert n_false <= 5  # more are less likely than one in a thousand


@pytest.mark.slow
def test_false_claims_among_four_are_as_rare_as_promised() -> None:
    n_sets = 100
    n_false = sum(any_false_claim(seed, (0, 0, 0, 0)) for seed in range(n_sets))
    assert n_false / n_sets <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / n_sets)
