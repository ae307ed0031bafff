from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.anova.thresholds import EPSILON, step_rounding
from curvewise.kernels.location.compiled_windows import (
    _extend,
    _n_exceeding,
    _raise,
    _striking,
)
from curvewise.kernels.location.profiles import StepDesign
from curvewise.kernels.location.windows import LOWEST_SCORE, Windows
from curvewise.kernels.relabelling.shuffles import Shuffles
from tests.simulation import NULLS


@pytest.mark.parametrize("kind", ["random walk", "integer-tied", "heavy-tailed"])
@pytest.mark.parametrize(
    ("sizes", "n_steps"), [((4, 5), 1), ((4, 5), 7), ((3, 3, 4), 12)]
)
def test_compiled_windows_are_those_of_numpy(
    sizes: tuple[int, ...], n_steps: int, kind: str
) -> None:
    scores = NULLS[kind](np.random.default_rng(0), sum(sizes), n_steps)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    none = np.zeros_like(labels)
    noise = step_rounding(scores, EPSILON)
    design = StepDesign.from_scores(scores, labels, none, noise)
    pilot, drawn = (Shuffles(labels, none, 300, seed).batch(0) for seed in (1, 2))
    plain = Windows.of(design, labels, pilot, 8, compiled=False)
    compiled = Windows.of(design, labels, pilot, 8, compiled=True)
    np.testing.assert_allclose(compiled.means, plain.means, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(compiled.scales, plain.scales, rtol=1e-6)
    expected = plain.count(design, drawn, compiled=False)
    found = plain.count(design, drawn, compiled=True)
    upper = np.triu(np.ones(plain.lengths.shape)) > 0
    np.testing.assert_array_equal(found[0][:, upper], expected[0][:, upper])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-9)


def test_a_window_takes_in_one_place_after_the_other() -> None:
    rng = np.random.default_rng(1)
    sums, differences = rng.normal(size=(2, 4, 5)), rng.uniform(size=(4, 5))
    window_sums, both = np.zeros((2, 5)), np.zeros(5)
    for last in range(1, 4):
        squares = _extend(sums, differences, window_sums, both, last)
        whole = sums[:, 1 : last + 1].sum(axis=1)
        np.testing.assert_allclose(squares, np.sum(whole**2, axis=0))
        np.testing.assert_allclose(both, differences[1 : last + 1].sum(axis=0))


def test_asking_without_roots_gives_the_answer_of_the_roots() -> None:
    rng = np.random.default_rng(2)
    values, largest = rng.uniform(0, 3, size=400), rng.normal(size=400)
    largest[:100] = LOWEST_SCORE
    mean, deviation = 0.8, 0.2
    scores = np.array([(_striking(value / 3) - mean) / deviation for value in values])
    n_exceeding = _n_exceeding(values, largest, 1 / 3, mean, deviation)
    assert n_exceeding == np.sum(scores > largest)
    assert 100 < n_exceeding < 400
    raised = largest.copy()
    _raise(values, raised, 1 / 3, mean, 1 / deviation)
    np.testing.assert_allclose(raised, np.maximum(scores, largest))


def test_a_share_of_everything_is_finite() -> None:
    assert _striking(0.0) == 0
    assert _striking(0.5) == pytest.approx((0.5 / 0.5**0.5) ** 0.25)
    assert 10 < _striking(1.0) < 1e3
