from __future__ import annotations

import math
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves
from curvewise.inference.work import LargestOf, Work
from curvewise.kernels.anova import Design
from curvewise.kernels.contrasts import Fit, pair_maxima, pair_parts, pair_ratios
from curvewise.kernels.pvalues import MaxCounts
from curvewise.questions.pairs.ask import compare_pairs
from curvewise.questions.pairs.method import max_t_adjusted
from curvewise.shuffling.visit import Layout, Plan, visit
from tests.questions.slow_contrasts import (
    LeastSquares,
    all_labels,
    n_at_least,
    same_however_it_is_cut,
)
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise.kernels import Floats

EFFECTS = ("overall", "algorithm", "interaction")


def test_max_t_in_height_is_near_that_of_tukey() -> None:
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(40, 1)) + 0.8 * np.repeat([0, 0, 1, 2], 10)[:, None]
    curves = Curves(scores, np.repeat(list("ABCD"), 10))
    pairs = compare_pairs(curves, adjust="max-t", rng=0)
    tukey = stats.tukey_hsd(*(scores[curves.codes == code, 0] for code in range(4)))
    for pair in pairs:
        expected = tukey.pvalue["ABCD".index(pair.a), "ABCD".index(pair.b)]
        assert pair.algorithm.pvalue_adjusted == pytest.approx(expected, abs=0.03)
        assert pair.interaction is None


@pytest.mark.parametrize("error", ["split", "pooled"])
def test_max_t_does_not_depend_on_units_or_the_order_of_runs(error: str) -> None:
    curves = some_curves(6, (5, 5, 4))
    order = np.random.default_rng(0).permutation(14)
    mixed = Curves(1024 * curves.scores[order], curves.labels[order]).select(*"ABC")
    options = {"adjust": "max-t", "error": error, "rng": 0, "n_shuffles": 999}
    found, other = compare_pairs(curves, **options), compare_pairs(mixed, **options)  # type: ignore[arg-type]
    for one, two in zip(found, other, strict=True):
        for name in EFFECTS:
            first, second = one.effect(name), two.effect(name)
            assert first is not None
            assert second is not None
            assert first.pvalue_adjusted == second.pvalue_adjusted


def test_max_t_within_blocks() -> None:
    rng = np.random.default_rng(0)
    blocks = np.tile(np.arange(6), 3)
    scores = 100 * blocks[:, None] + rng.normal(size=(18, 4))
    scores[12:] += 5
    curves = Curves(scores, np.repeat(list("ABC"), 6), blocks=blocks)
    found = compare_pairs(curves, adjust="max-t", rng=0)
    assert [(pair.a, pair.b) for pair in found.significant()] == [("A", "C"), ("B", "C")]


def test_max_t_of_two_is_never_below_their_own_p() -> None:
    """Where all algorithms are two, shuffling them is exact."""
    for seed in range(5):
        pairs = compare_pairs(some_curves(seed, (4, 4)), adjust="max-t", rng=0)
        for name in EFFECTS:
            effect = pairs[0].effect(name)
            assert effect is not None
            assert effect.pvalue_adjusted is not None
            assert effect.pvalue_adjusted > effect.pvalue - 0.02


def test_without_error_max_t_is_not_nan() -> None:
    curves = Curves(np.repeat([0.1, 0.2, 0.3], 5)[:, None] * np.ones(4), np.repeat(list("ABC"), 5))
    pairs = compare_pairs(curves, adjust="max-t", rng=0, n_shuffles=99)
    for pair in pairs:
        assert pair.algorithm.pvalue_adjusted is not None
        assert not math.isnan(pair.algorithm.pvalue_adjusted)
        assert pair.algorithm.significant


CURVES: dict[str, Curves] = {
    "without blocks": some_curves(3, (5, 6, 4)),
    "with blocks": some_curves(4, (4, 4, 4), blocks=[0, 1, 2, 3] * 3),
    "single step": some_curves(5, (4, 4, 4), n_steps=1),
}
PAIRS = list(combinations(range(3), 2))
KEPT = np.array([0, 2])  # A and B, B and C


def slow_ratios(own: LeastSquares, *, pooled: bool) -> list[list[float]]:
    """Effect over error of every pair: overall, in height, in shape."""
    height, shape = own.squares[0], own.squares[1:].sum()
    both = height + shape
    errors = (both, both, both) if pooled else (both, height, shape)
    rows: list[list[float]] = []
    for a, b in PAIRS:
        contrast = np.zeros(3)
        contrast[[a, b]] = 1, -1
        u = own.u(contrast) ** 2
        effects = (u.sum(), u[0], u[1:].sum())
        rows.append([float(x / y) if y else 0.0 for x, y in zip(effects, errors, strict=True)])
    return np.array(rows).T.tolist()


@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("shuffled", ["residuals", "values"])
@pytest.mark.parametrize("name", CURVES)
def test_the_largest_pair_is_counted_as_by_brute_force(
    name: str, shuffled: str, pooled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout.of(CURVES[name])
    design = Design.from_scores(layout.scores, layout.labels, layout.blocks, layout.noise)
    fit = Fit.of(design.coordinates, layout.labels, layout.blocks, layout.noise)
    values = getattr(fit, shuffled)
    parts = pair_parts(fit.estimates[None], fit.factor)
    ratios = pair_ratios(parts, fit.errors[None], pooled=pooled)[:, 0]
    own = LeastSquares(fit.values, layout.labels, layout.blocks)
    np.testing.assert_allclose(ratios, slow_ratios(own, pooled=pooled), atol=1e-9)

    observed = ratios[:, KEPT]
    counts = tuple(MaxCounts.of(row) for row in observed)
    statistic = LargestOf(partial(pair_maxima, values, fit, kept=KEPT, pooled=pooled), counts)
    plan = Plan(layout.restriction, exact=False, n_shuffles=4_500, key=5)
    same_however_it_is_cut(plan, statistic, monkeypatch)
    plan = plan.cut(1_100)  # a whole batch and a part of one
    found = visit(plan, statistic)
    every = [
        slow_ratios(LeastSquares(values, labels, layout.blocks), pooled=pooled)
        for labels in all_labels(plan)
    ]
    maxima = np.array(every)[:, :, KEPT].max(axis=2).T.tolist()
    expected = [
        [n_at_least(row, x) for x in own_row]
        for row, own_row in zip(maxima, observed.tolist(), strict=True)
    ]
    if name == "single step":
        expected[2] = [1_100, 1_100]  # there is no shape, so every shuffle ties
    assert found.counts[0].tolist() == expected


def test_the_clearest_pair_of_each_effect_decides() -> None:
    statistic = LargestOf(lambda labels: labels.astype(np.float64), ())
    counts = np.array([[5, 2, 9], [8, 8, 7], [0, 1, 2]])
    assert statistic.deciding((counts,)).tolist() == [2, 7, 0]


@pytest.mark.parametrize("error", ["split", "pooled"])
def test_the_larger_p_of_residuals_and_of_curves_counts(error: Any) -> None:
    """The claim that any two differ must hold among shuffles of the curves themselves."""
    curves, names = some_curves(1, (4, 4, 4)), [("A", "B"), ("B", "C")]
    work = Work(999, exact=False, n_jobs=1, keys=(5,), seed=None, checkpoint=None)
    none = {name: dict.fromkeys(names, 0.0) for name in EFFECTS}
    found = max_t_adjusted(curves, none, work, error=error, levels=(0.05,))
    layout = Layout.of(curves)
    design = Design.from_scores(layout.scores, layout.labels, layout.blocks, layout.noise)
    fit = Fit.of(design.coordinates, layout.labels, layout.blocks, layout.noise)
    own = LeastSquares(fit.values, layout.labels, layout.blocks)
    pooled = error == "pooled"
    observed = np.array(slow_ratios(own, pooled=pooled))[:, KEPT]

    def maxima(values: Floats) -> Floats:
        plan = Plan(layout.restriction, exact=False, n_shuffles=999, key=5)
        every = [
            slow_ratios(LeastSquares(values, labels, layout.blocks), pooled=pooled)
            for labels in all_labels(plan)
        ]
        return np.array(every)[:, :, KEPT].max(axis=2)

    of_residuals, of_curves = maxima(fit.residuals), maxima(fit.values)
    for place, name in enumerate(EFFECTS):
        any_pair = 1 + n_at_least(of_curves[:, place], observed[place].max())
        expected = [
            max(1 + n_at_least(of_residuals[:, place], own_ratio), any_pair) / 1_000
            for own_ratio in observed[place]
        ]
        assert list(found[name]) == names
        assert list(found[name].values()) == pytest.approx(expected)


def test_no_p_is_below_that_of_the_pair_alone() -> None:
    curves = some_curves(1, (4, 4, 4))
    work = Work(999, exact=False, n_jobs=1, keys=(5,), seed=None, checkpoint=None)
    none = {name: {("A", "B"): 0.0, ("B", "C"): 0.0} for name in EFFECTS}
    free = max_t_adjusted(curves, none, work, error="split", levels=(0.05,))
    own = {name: {("A", "B"): 0.0, ("B", "C"): 1.0} for name in EFFECTS}
    own["interaction"] = {("A", "B"): 0.0}
    found = max_t_adjusted(curves, own, work, error="split", levels=(0.05,))
    assert found["algorithm"] == {**free["algorithm"], ("B", "C"): 1.0}
    assert found["interaction"] == {("A", "B"): free["interaction"]["A", "B"]}
