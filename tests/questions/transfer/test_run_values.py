"""What each run adds to the metrics that are linear in the runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from curvewise import Curves
from curvewise.kernels.transfer.metrics import METRICS
from curvewise.questions.transfer.conditions import TwoConditions
from curvewise.questions.transfer.options import TransferOptions
from curvewise.questions.transfer.run_values import DIFFERENCES
from tests.questions.transfer.gains import rising


def laid_out(curves: Curves, **options: Any) -> TwoConditions:
    return TwoConditions.of(curves, TransferOptions("C", "E", **options))


def unequal(*, lower: bool = False, n_blocks: int = 1) -> Curves:
    scores = 100 + np.random.default_rng(0).normal(size=(6 * n_blocks, 23)).cumsum(axis=1)
    return Curves(
        scores,
        ["C", "C", "E", "E", "E", "E"] * n_blocks,
        np.arange(23) ** 2,
        blocks=np.repeat(np.arange(n_blocks), 6) if n_blocks > 1 else None,
        higher_is_better=not lower,
    )


@pytest.mark.parametrize("integration", ["sum", "trapezoid"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("n_blocks", [1, 3])
def test_sums_give_the_metrics_of_any_relabelling(
    integration: str, lower: bool, n_blocks: int
) -> None:
    curves = unequal(lower=lower, n_blocks=n_blocks)
    conditions = laid_out(curves, integration=integration)
    values = conditions.run_values
    labels = conditions.restriction.drawn(50, seed=1).batch(0)
    sums, metrics = values.sums(labels), conditions.relabelled(labels)
    for name in DIFFERENCES:
        _, membership = values.observed[name]
        # The sums are in scores as given.
        expected = conditions.sign * metrics[METRICS.index(name)]
        found = sums.of(name) / membership * values.unit
        np.testing.assert_allclose(found, expected, atol=1e-10)
    areas_e, areas_c, count = sums.areas
    weights = conditions.settings.weights / conditions.settings.span
    areas = labels @ (conditions.scores @ weights)
    np.testing.assert_allclose(areas_e + areas_c, areas)
    np.testing.assert_array_equal(count, labels @ conditions.member)


def test_the_observed_labels_are_extreme_and_all_are_if_nothing_differs() -> None:
    conditions = laid_out(rising(0, 4))
    values = conditions.run_values
    own = values.sums(conditions.member[None, :])
    assert values.counts(own).tolist() == [1, 1, 1, 1]
    level = laid_out(Curves(np.full((8, 3), 0.1), ["C", "E"] * 4))
    labels = level.restriction.every().batch(0)
    counts = level.run_values.counts(level.run_values.sums(labels))
    assert counts.tolist() == [len(labels)] * 4


def test_rounding_breaks_no_tie() -> None:
    """Scores of one decimal, far from 0: many relabellings are exactly as extreme."""
    scores = 1e6 + np.random.default_rng(1).integers(0, 3, size=(8, 5)) / 10
    curves = Curves(scores, ["C", "E"] * 4)
    whole = Curves(np.rint((scores - 1e6) * 10), ["C", "E"] * 4)
    found = []
    for own in (curves, whole):
        conditions = laid_out(own)
        labels = conditions.restriction.every().batch(0)
        found.append(conditions.run_values.counts(conditions.run_values.sums(labels)))
    assert found[0].tolist() == found[1].tolist()
