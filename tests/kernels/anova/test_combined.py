"""The combined statistic: its four shares, their scales, and what it does not depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import Curves
from curvewise.kernels import combined as module
from curvewise.kernels.anova import Design
from curvewise.kernels.combined import COMPONENTS, CombinedDesign, Scales, log_sum
from curvewise.shuffling.visit import Layout
from tests.simulation import some_curves
from tests.textbook import all_relabellings, combined_shares

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers


def combined_of(curves: Curves) -> tuple[CombinedDesign, Layout]:
    layout = Layout.of(curves)
    design = Design.from_scores(layout.scores, layout.labels, layout.blocks, layout.noise)
    noises = layout.noise, layout.step_noise
    return CombinedDesign.of(design, layout.scores, layout.blocks, noises), layout


def scales_of(made: CombinedDesign, layout: Layout) -> Scales:
    return Scales.of(made.values(layout.restriction.drawn(1_024, seed=0).batch(0)))


def shares_of(made: CombinedDesign, labels: Integers) -> Floats:
    """The shares again, from their values."""
    eighth = made.values(labels[None, :])[:, 0] ** 8  # r² / (1 − r)
    return (np.sqrt(eighth**2 + 4 * eighth) - eighth) / 2


BLOCKED = Curves(some_curves(4, (3, 3, 3)).scores, list("AAABBBCCC"), blocks=["x", "y", "z"] * 3)


@pytest.mark.parametrize(
    "curves",
    [some_curves(1, (5, 4)), some_curves(2, (3, 2, 4)), some_curves(3, (2, 6), 40), BLOCKED],
    ids=["two", "three", "more steps than runs", "blocks"],
)
def test_shares_are_those_of_least_squares(curves: Curves) -> None:
    made, layout = combined_of(curves)
    for labels in layout.restriction.drawn(5, seed=3).batch(0):
        np.testing.assert_allclose(
            shares_of(made, labels),
            combined_shares(layout.scores, labels, layout.blocks),
            rtol=1e-7,
        )


def test_z_have_mean_0_and_deviation_1() -> None:
    made, layout = combined_of(some_curves(5, (4, 5)))
    values = made.values(layout.restriction.drawn(1_024, seed=0).batch(0))
    z = Scales.of(values).scores(values)
    np.testing.assert_allclose(z.mean(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(z.std(axis=1), 1, atol=1e-9)


def test_c_is_the_log_of_summed_exponentials() -> None:
    made, layout = combined_of(some_curves(5, (4, 5)))
    scales = scales_of(made, layout)
    values = made.values(layout.restriction.drawn(7, seed=1).batch(0))
    expected = np.log(np.exp(2 * scales.scores(values)).sum(axis=0))
    np.testing.assert_allclose(scales.statistic(values), expected)
    assert log_sum(np.zeros((4, 2))).tolist() == [0, 0]


def test_drawn_scales_do_not_know_the_labels() -> None:
    """Whatever the observed labels, relabellings get the same values: that makes p exact."""
    scores = some_curves(6, (4, 4)).scores
    every = list(all_relabellings((4, 4)))
    asked = np.array(every)
    statistics = []
    for labels in (every[0], every[17]):
        made, layout = combined_of(Curves(scores, np.array(list("AB"))[labels]))
        values = made.values(asked[:, layout.order])
        statistics.append(scales_of(made, layout).statistic(values))
    np.testing.assert_allclose(statistics[0], statistics[1], rtol=1e-12)


def test_a_look_that_all_relabellings_agree_on_is_left_out() -> None:
    one_step, layout = combined_of(some_curves(7, (4, 5), n_steps=1))
    assert not scales_of(one_step, layout).used[COMPONENTS.index("shape")]
    parallel = some_curves(8, (4, 5))
    scores = np.repeat(parallel.scores[:, :1], 6, axis=1) + np.arange(6)
    made, layout = combined_of(Curves(scores, parallel.labels))
    scales = scales_of(made, layout)
    assert scales.used.tolist() == [True, True, False, True]
    assert np.isfinite(scales.statistic(made.values(layout.labels[None, :]))).all()


def test_a_step_that_does_not_vary_is_never_the_most_striking() -> None:
    curves = some_curves(9, (4, 4))
    scores = curves.scores.copy()
    scores[:, 2] = 5.0
    scores[:, 4] += 40 * (curves.codes == 0)
    made, layout = combined_of(Curves(scores, curves.labels))
    assert (made.columns[:, 2] == 0).all()
    assert made.most_striking(layout.labels) == (4, 4)


def test_of_many_steps_neighbours_are_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = some_curves(10, (4, 4), n_steps=7)
    scores = curves.scores.copy()
    scores[:, 5:] += 30 * (curves.codes == 0)[:, None]
    monkeypatch.setattr(module, "MAX_STEPS", 3)
    made, layout = combined_of(Curves(scores, curves.labels))
    assert made.edges.tolist() == [0, 2, 4, 7]
    assert made.most_striking(layout.labels) == (4, 6)
    averaged = np.stack(
        [layout.scores[:, a:b].mean(axis=1) for a, b in ((0, 2), (2, 4), (4, 7))], axis=1
    )
    expected = combined_shares(layout.scores, layout.labels)
    expected[3] = combined_shares(averaged, layout.labels)[3]
    np.testing.assert_allclose(shares_of(made, layout.labels), expected, rtol=1e-7)


def test_rounding_can_only_make_a_relabelling_more_extreme() -> None:
    made, layout = combined_of(some_curves(11, (4, 5)))
    labels = layout.labels[None, :]
    lowered, raised = (made.values(labels, observed=observed) for observed in (True, False))
    assert (lowered <= raised).all()
    np.testing.assert_allclose(lowered, raised)


def test_a_perfect_separation_is_finite() -> None:
    scores = np.repeat([[0.0, 1.0, 2.0], [5.0, 7.0, 3.0]], 4, axis=0)
    made, layout = combined_of(Curves(scores, list("AAAABBBB")))
    assert np.isfinite(made.values(layout.labels[None, :])).all()


def test_portions_change_no_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    made, layout = combined_of(some_curves(12, (5, 6), n_steps=30))
    labels = layout.restriction.drawn(1_024, seed=2).batch(0)
    whole = made.values(labels)
    monkeypatch.setattr(module, "MAX_SUMS_AT_ONCE", 500)
    np.testing.assert_allclose(made.values(labels), whole, rtol=1e-12)
