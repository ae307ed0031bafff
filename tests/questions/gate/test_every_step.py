"""Not worse at any step."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise import Curves, gate
from tests.questions.gate.runs import brute_force, subsets
from tests.simulation import some_curves


def every(curves: Curves, margin: float, **options: object) -> tuple[float, float]:
    found = gate(
        curves,
        candidate="A",
        baseline="B",
        margin=margin,
        on="every step",
        **options,  # type: ignore[arg-type]
    )
    return found.pvalue_pass, found.pvalue_fail


@pytest.mark.parametrize("sizes", [(4, 4), (3, 5)])
@pytest.mark.parametrize("lower", [False, True])
def test_p_is_that_of_brute_force(sizes: tuple[int, int], lower: bool) -> None:
    curves = some_curves(1, sizes, n_steps=4, higher_is_better=not lower)
    sign = -1 if lower else 1
    scores = sign * curves.scores + 0.7 * (curves.labels == "A")[:, None]
    first, second = scores[: sizes[0]], scores[sizes[0] :]
    at_steps = [brute_force(first[:, k], second[:, k])[0] for k in range(4)]
    deviations = scores - scores.mean(axis=0)
    scaled = deviations / np.sqrt((deviations**2).mean(axis=0))
    shortfalls = np.array(
        [(-scaled[own].sum(axis=0)).max() for own in subsets(sum(sizes), sizes[0])]
    )
    observed = (-scaled[: sizes[0]].sum(axis=0)).max()
    expected = max(at_steps), float(np.mean(shortfalls >= observed - 1e-9))
    assert every(curves, 0.7) == pytest.approx(expected)


def test_shortfalls_of_nothing_are_ties() -> None:
    # In blocks, sums of centred scores that are 0 come out a rounding error away from it.
    scores = [[4, 3, 1], [4, 1, 0], [4, 2, 0], [1, 1, 4], [3, 4, 4], [2, 2, 4]]
    curves = Curves(scores, list("ABABBA"), blocks=[1, 0, 0, 0, 1, 0])
    assert every(curves, 1.0) == pytest.approx((7 / 12, 11 / 12))


def test_one_step_is_the_gate_on_the_mean() -> None:
    curves = some_curves(2, (5, 5), n_steps=1)
    mean = gate(curves, candidate="A", baseline="B", margin=0.5)
    assert every(curves, 0.5) == pytest.approx((mean.pvalue_pass, mean.pvalue_fail))


def test_a_step_without_variation_does_not_matter() -> None:
    curves = some_curves(3, (5, 5), n_steps=3)
    flat = np.hstack([curves.scores, np.zeros((10, 1))])
    assert every(Curves(flat, curves.labels), 0.5)[0] == every(curves, 0.5)[0]


def test_the_step_that_decides_is_named() -> None:
    rng = np.random.default_rng(0)
    scores = 0.3 * rng.normal(size=(16, 5))
    scores[:8, 3] -= 5
    curves = Curves(scores, ["A"] * 8 + ["B"] * 8, steps=[10, 20, 30, 40, 50])
    failed = gate(curves, candidate="A", baseline="B", margin=1, on="every step")
    assert (failed.answer, failed.step) == ("fail", 40)
    assert failed.limits_fail.high < -1
    assert "by more than the margin at some step" in failed.describe()
    passed = gate(curves, candidate="B", baseline="A", margin=1, on="every step")
    assert passed.answer == "pass"
    assert "at every step" in passed.describe()
    open_end = gate(curves, candidate="A", baseline="B", margin=5, on="every step")
    assert (open_end.answer, open_end.step) == ("undecided", 40)
    assert "at step 40 (margin 5)" in open_end.describe()
