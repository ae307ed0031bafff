"""Which centres can be asked for, and what the numbers of runs say of two algorithms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from curvewise import CurvesError, OptionError
from curvewise.inference.two_groups import RunNumbers, check_center, check_center_alone
from curvewise.inference.work import shuffling_work
from curvewise.shuffling.visit import Layout
from curvewise.text import naming_flags
from tests.simulation import some_curves


def test_trimmed_needs_five_runs_of_everyone_and_no_blocks() -> None:
    check_center(some_curves(0, (5, 5)), "trimmed")
    check_center(some_curves(0, (4, 5)), "ranks")
    with pytest.raises(CurvesError, match=r"at least 5 runs .* 'B' has 4 runs\. Add runs"):
        check_center(some_curves(0, (5, 4)), "trimmed")
    blocked = some_curves(0, (5, 5), blocks=list("abcde") * 2)
    check_center(blocked, "ranks")
    with pytest.raises(CurvesError, match=r'not in blocks.*center="ranks"'):
        check_center(blocked, "trimmed")
    with pytest.raises(OptionError, match="'mean', 'trimmed' or 'ranks', not 'median'"):
        check_center(blocked, "median")  # type: ignore[arg-type]


def test_an_option_for_means_is_refused_with_its_remedy() -> None:
    check_center_alone("mean", "spread", "unequal", "equal")
    with pytest.raises(OptionError, match='Use spread="equal" or center="mean"') as refused:
        check_center_alone("ranks", "spread", "unequal", "equal")
    assert refused.value.option == "center"
    with naming_flags(), pytest.raises(OptionError, match="--spread equal or --center mean"):
        check_center_alone("ranks", "spread", "unequal", "equal")


def test_shifts_are_a_difference_of_trimmed_means_and_the_median_difference() -> None:
    curves = some_curves(1, (10, 12))
    layout = Layout.of(curves)
    runs = RunNumbers.of(layout)
    first, second = (curves.scores[curves.labels == x].mean(axis=1) for x in "AB")
    trimmed = stats.trim_mean(first, 0.2) - stats.trim_mean(second, 2 / 12 + 1e-9)
    assert runs.shift("trimmed") * layout.unit == pytest.approx(trimmed)
    median = np.median(np.subtract.outer(first, second))
    assert runs.shift("ranks") * layout.unit == pytest.approx(median)


def test_a_profile_weighs_the_steps() -> None:
    curves = some_curves(2, (5, 5))
    layout, profile = Layout.of(curves), np.arange(6.0)
    runs = RunNumbers.of(layout, profile)
    np.testing.assert_allclose(runs.numbers, layout.scores @ profile)
    plain = RunNumbers.of(layout)
    assert runs.tie == pytest.approx(15 * plain.tie)


@pytest.mark.parametrize("center", ["trimmed", "ranks"])
@pytest.mark.parametrize("exact", [None, False])
def test_the_interval_leaves_out_zero_exactly_if_p_is_small(
    center: str, exact: bool | None
) -> None:
    layout = Layout.of(some_curves(4, (6, 5)))
    runs = RunNumbers.of(layout)
    asked = {"n_shuffles": 199, "n_jobs": 1, "rng": 0, "checkpoint": None}
    with shuffling_work("test", exact=exact, **asked) as work:  # type: ignore[arg-type]
        plan = work.plan(layout.restriction, levels=(0.05,))
    for pvalue in (0.04, 0.06):
        low, high = runs.ends(center, plan, pvalue, 0.05)  # type: ignore[arg-type]
        assert (low <= 0 <= high) == (pvalue > 0.05)
        assert low <= runs.shift(center) <= high  # type: ignore[arg-type]
