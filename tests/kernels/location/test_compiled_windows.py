from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.anova import EPSILON, step_rounding
from curvewise.kernels.compiled_steps import _exceeds, _striking
from curvewise.kernels.relabel import Shuffles
from curvewise.kernels.steps import StepDesign
from curvewise.kernels.windows import PlaceSums, Windows
from tests.simulation import NULLS


@pytest.mark.parametrize("kind", ["random walk", "integer-tied", "heavy-tailed"])
@pytest.mark.parametrize(("sizes", "n_steps"), [((4, 5), 1), ((4, 5), 7), ((3, 3, 4), 12)])
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
    in_numpy, in_one_pass = (
        PlaceSums.of(plain.places, design, drawn, compiled=compiled) for compiled in (False, True)
    )
    np.testing.assert_allclose(in_one_pass.sums, in_numpy.sums, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(in_one_pass.squares, in_numpy.squares, rtol=1e-12)
    expected = plain.count(in_numpy, compiled=False)
    found = plain.count(in_one_pass, compiled=True)
    upper = np.triu(np.ones(plain.lengths.shape)) > 0
    np.testing.assert_array_equal(found[0][:, upper], expected[0][:, upper])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-9)


def test_asking_without_roots_gives_the_answer_of_the_roots() -> None:
    rng = np.random.default_rng(2)
    shares, needed = rng.uniform(0, 1, size=400), rng.normal(0.8, 0.5, size=400)
    answers = [_exceeds(*pair) for pair in zip(shares, needed, strict=True)]
    expected = [_striking(share) > root for share, root in zip(shares, needed, strict=True)]
    assert answers == expected
    assert 100 < sum(answers) < 400


def test_a_share_of_everything_is_finite() -> None:
    assert _striking(0.0) == 0
    assert _striking(0.5) == pytest.approx((0.5 / 0.5**0.5) ** 0.25)
    assert 10 < _striking(1.0) < 1e3
