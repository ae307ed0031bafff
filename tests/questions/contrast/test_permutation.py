from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from curvewise import Curves, OptionError
from curvewise.inference.two_groups import Extremes, first_sums
from curvewise.inference.work import LargestOf
from curvewise.kernels.contrasts import least_extreme, shuffled_t
from curvewise.kernels.relabel import WithinBlocks
from curvewise.questions.contrast.ask import contrast, largest_t, weighted_fit
from curvewise.shuffling.visit import Layout, Plan, visit
from tests.questions.slow_contrasts import (
    LeastSquares,
    all_labels,
    n_at_least,
    same_however_it_is_cut,
    slow_maxima,
)
from tests.simulation import some_curves

AB: dict[str, float] = {"A": 1, "B": -1}
ABC = np.array([1.0, -0.5, -0.5])
FAMILY = np.array([[1.0, -0.5, -0.5], [1, -1, 0], [0, 1, -1]])
N_SHUFFLES = 1_100  # a whole batch and a part of one: enough for brute force
CURVES: dict[str, Curves] = {
    "without blocks": some_curves(3, (5, 6, 4)),
    "with blocks": some_curves(4, (4, 4, 4), blocks=[0, 1, 2, 3] * 3),
}


def drawn(layout: Layout) -> Plan:
    return Plan(layout.restriction, exact=False, n_shuffles=4_500, key=5)


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("name", CURVES)
def test_residuals_are_counted_as_by_brute_force(
    name: str, two_sided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout.of(CURVES[name])
    fit, _ = weighted_fit(layout, np.ones(6))
    observed = LeastSquares(fit.values, layout.labels, layout.blocks).t(ABC)
    plan = drawn(layout)
    least = abs(observed) if two_sided else observed
    statistic = Extremes(partial(shuffled_t, fit, coefficients=ABC[None]), least, two_sided)
    same_however_it_is_cut(plan, statistic, monkeypatch)
    plan = plan.cut(N_SHUFFLES)
    found = visit(plan, statistic)
    every = slow_maxima(plan, fit.residuals, layout.blocks, lambda own: own.t(ABC))
    np.testing.assert_allclose(found.kept[0][0], every, atol=1e-9)
    if two_sided:
        every = [abs(t) for t in every]
    assert found.counts[0].tolist() == [n_at_least(every, least)]
    assert found.n_visited == N_SHUFFLES


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("name", CURVES)
def test_the_largest_t_is_counted_as_by_brute_force(
    name: str, two_sided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout.of(CURVES[name])
    fit, _ = weighted_fit(layout, np.ones(6))
    sign = abs if two_sided else float

    def largest(own: LeastSquares) -> float:
        return max(sign(own.t(contrast)) for contrast in FAMILY)

    plan = drawn(layout)
    own = LeastSquares(fit.values, layout.labels, layout.blocks)
    observed = [sign(own.t(contrast)) for contrast in FAMILY]
    maxima_of = partial(largest_t, fit, FAMILY, two_sided=two_sided)
    statistic = LargestOf.against([np.array(observed)], maxima_of, every=True)
    same_however_it_is_cut(plan, statistic, monkeypatch)
    plan = plan.cut(N_SHUFFLES)
    found = visit(plan, statistic)
    maxima = slow_maxima(plan, fit.residuals, layout.blocks, largest)
    assert found.counts[0][0].tolist() == [n_at_least(maxima, t) for t in observed]
    np.testing.assert_allclose(found.kept[0][0], maxima, atol=1e-12)


def two_groups(curves: Curves) -> tuple[Layout, Any]:
    """Two algorithms, and the sums whose first column is their contrast."""
    layout = Layout.of(curves)
    fit, _ = weighted_fit(layout, np.ones(6) / 6)
    columns = np.stack([fit.values[:, 0], fit.values[:, 0] ** 2], axis=1)
    return layout, columns


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("blocks", [None, list("xxxyyyxxxyyy")])
@pytest.mark.parametrize("exact", [True, False])
def test_sums_of_two_groups_are_counted_as_by_brute_force(
    blocks: list[str] | None, two_sided: bool, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout, columns = two_groups(some_curves(1, (6, 6), blocks=blocks))
    plan = Plan(layout.restriction, exact=exact, n_shuffles=4_500, key=5)
    sums = np.array([columns[each == 0].sum(axis=0) for each in all_labels(plan)])
    observed = float(columns[layout.labels == 0, 0].sum())
    least = least_extreme(observed, 1e-12, two_sided=two_sided)
    mirrored = exact and not two_sided
    statistic = Extremes(partial(first_sums, columns), least, two_sided, mirrored)
    found = same_however_it_is_cut(plan, statistic, monkeypatch)
    np.testing.assert_allclose(found.kept[0], sums.T, atol=1e-12)
    u = sums[:, 0]
    if mirrored:
        # Of two mirror images one is visited and both are counted.
        u = np.concatenate([u, -u])
    expected = np.sum((np.abs(u) if two_sided else u) >= least)
    assert found.counts[0].tolist() == [expected]


def test_sums_are_kept_only_when_asked() -> None:
    layout, columns = two_groups(some_curves(1, (6, 6)))
    labels = WithinBlocks(layout.labels, layout.blocks).drawn(10, 0).batch(0)
    statistic = Extremes(partial(first_sums, columns), 0.0, two_sided=True)
    counts, kept = statistic.measure(labels, keep=True)
    again, nothing = statistic.measure(labels, keep=False)
    assert counts[0].tolist() == again[0].tolist() == [10]
    assert kept[0].shape[-1] == 10
    assert nothing == ()


def test_halves_count_what_an_enumeration_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    for sizes in ((6, 6), (5, 7)):
        curves = some_curves(2, sizes)
        for alternative in ("two-sided", "greater", "less"):
            options: dict[str, Any] = {"alternative": alternative, "rng": 0}
            every = contrast(curves, AB, **options)
            assert every.seed is None
            with monkeypatch.context() as patch:
                # As if there were too many relabellings to visit them.
                patch.setattr("curvewise.inference.two_groups.MAX_FREE", 10)
                halves = contrast(curves, AB, **options)
            assert halves.pvalue == every.pvalue
            assert halves.n_shuffles == every.n_shuffles == every.n_relabellings
            assert halves.exact
            # Only the interval and the null distribution are from a sample.
            assert halves.seed == 0
            assert len(halves.null_distribution) == 9_999


def test_an_enumeration_without_keeping_counts_both_mirror_images(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    curves = some_curves(9, (6, 6), blocks=list("xxxyyyxxxyyy"))
    # Of 400 relabellings 20.4 may be as extreme: a sample cannot mistake how many.
    kept = contrast(curves, AB, alternative="greater", alpha=0.051)
    monkeypatch.setattr("curvewise.shuffling.visit.MAX_FREE", 10)
    counted = contrast(curves, AB, alternative="greater", alpha=0.051, exact=True)
    assert counted.pvalue == kept.pvalue
    assert counted.n_shuffles == kept.n_shuffles == 400
    # What is kept then is a sample, not a corner of the enumeration.
    assert len(kept.null_distribution) == 400
    assert len(counted.null_distribution) == 131_072
    np.testing.assert_allclose(counted.interval, kept.interval, atol=1e-9)


@pytest.mark.parametrize("coefficients", [AB, {"A": 1, "B": -0.5, "C": -0.5}])
def test_ties_that_rounding_sets_apart_are_ties_in_the_null_distribution(
    coefficients: dict[str, float],
) -> None:
    rng = np.random.default_rng(2)
    scores = 0.1 * rng.integers(0, 3, size=(12, 1))
    curves = Curves(scores, list("AAAABBBBCCCC"))
    for alternative in ("greater", "less"):
        found = contrast(curves, coefficients, alternative=alternative, rng=0)
        null, t = found.null_distribution, found.statistic
        as_extreme = np.sum(null >= t if alternative == "greater" else null <= t)
        added = 0 if found.exact else 1
        assert found.pvalue == (as_extreme + added) / (len(null) + added)
        if found.exact:
            assert t != 0
            assert np.sum(null == t) > 1


def test_more_than_two_algorithms_have_no_exact_test() -> None:
    asked = {"A": 1, "B": -0.5, "C": -0.5}
    with pytest.raises(OptionError) as refused:
        contrast(some_curves(0, (2, 2, 2)), asked, exact=True)
    assert str(refused.value) == (
        "A contrast of more than two algorithms has no exact test: their residuals are "
        "shuffled at random. Leave exact=True out, or contrast two algorithms."
    )
    assert refused.value.option == "exact"
