from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.anova import EPSILON, step_rounding
from curvewise.kernels.relabel import Shuffles
from curvewise.kernels.steps import (
    Bars,
    StepCounts,
    StepDesign,
    largest_roots,
    nested_maxima,
    scan_steps,
)
from tests.simulation import NULLS


def design_of(kind: str, sizes: tuple[int, ...], n_steps: int) -> StepDesign:
    scores = NULLS[kind](np.random.default_rng(0), sum(sizes), n_steps)
    scores[:, n_steps // 2] = 3.0  # a step without variation
    labels = np.repeat(np.arange(len(sizes)), sizes)
    noise = step_rounding(scores, EPSILON)
    return StepDesign.from_scores(scores, labels, np.zeros_like(labels), noise)


def drawn(design: StepDesign, count: int) -> np.ndarray:
    n_groups, n_runs = len(design.factor) + 1, len(design.deviations)
    labels = np.sort(np.arange(n_runs) % n_groups)
    return Shuffles(labels, np.zeros_like(labels), count, 1).batch(0)


@pytest.mark.parametrize("kind", ["random walk", "integer-tied", "heavy-tailed"])
@pytest.mark.parametrize(("sizes", "n_steps"), [((4, 5), 1), ((4, 5), 700), ((3, 3, 4), 300)])
def test_compiled_code_scans_as_numpy_does(sizes: tuple[int, ...], n_steps: int, kind: str) -> None:
    design = design_of(kind, sizes, n_steps)
    labels = drawn(design, 203)
    observed = design.sums(labels[:1])
    roots = design.roots(design.profiles(observed))[:, :, 0] * (1 - 1e-9)
    order = np.argsort(-roots, axis=1, kind="stable")
    bars = Bars(roots, nested_maxima(roots[0][:, None])[:, :, 0], order, 1.5)
    plain, compiled = StepCounts.none(n_steps), StepCounts.none(n_steps)
    expected = scan_steps(design, labels, bars, plain, compiled=False)
    found = scan_steps(design, labels, bars, compiled, compiled=True)
    np.testing.assert_array_equal(np.stack(compiled), np.stack(plain))
    assert 0 < plain.step.min() <= 203
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(
        largest_roots(design, labels, compiled=True),
        largest_roots(design, labels, compiled=False),
        rtol=1e-14,
    )
