"""Effect: F, p and what follows from them."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from scipy import stats

from curvewise.inference.result import EFFECTS, PARTS, Effect, Interval, f_statistic
from curvewise.records import json_ready

NULL = np.linspace(0, 8, 100)


def effect(**changes: object) -> Effect:
    plain = Effect(
        name="algorithm",
        statistic=5.0,
        df=(2, 27),
        pvalue=31 / 1_000,
        n_extreme=30,
        n_shuffles=999,
        exact=False,
        alpha=0.05,
        critical_value=4.0,
        null=NULL,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sums", "expected"),
    [((6.0, 4.0), 6.0), ((0.0, 4.0), 0.0), ((6.0, 0.0), math.inf), ((0.0, 0.0), 0.0)],
)
def test_f_is_a_ratio_of_mean_squares(sums: tuple[float, float], expected: float) -> None:
    assert f_statistic(*sums, (2, 8)) == expected


def test_p_at_alpha_is_significant_and_the_adjusted_one_decides() -> None:
    assert effect(pvalue=0.05).significant
    assert not effect(pvalue=0.0501).significant
    assert not effect(pvalue=0.01, pvalue_adjusted=0.06).significant
    assert effect(pvalue=0.01, pvalue_adjusted=0.05).significant


def test_the_parametric_p_is_that_of_the_f_distribution() -> None:
    assert effect().pvalue_parametric == pytest.approx(stats.f.sf(5, 2, 27))
    assert effect(statistic=math.inf).pvalue_parametric == 0


def test_the_interval_of_a_sampled_p_is_that_of_clopper_and_pearson() -> None:
    found = effect().pvalue_interval
    expected = stats.binomtest(30, 999).proportion_ci(0.95, method="exact")
    assert found == pytest.approx((expected.low, expected.high))
    assert effect().pvalue_error == pytest.approx(math.sqrt(0.031 * 0.969 / 999))
    exact = effect(exact=True)
    assert exact.pvalue_interval == Interval(0.031, 0.031)
    assert exact.pvalue_error == 0


def test_partial_omega_squared() -> None:
    # ω² = df (F − 1) / (df (F − 1) + n), with n = 30 runs.
    assert effect().effect_size == pytest.approx(2 * 4 / (2 * 4 + 30))
    assert effect(statistic=0.5).effect_size < 0
    assert effect(statistic=math.inf).effect_size == 1


def test_an_effect_is_frozen_json_ready_data_without_its_null_distribution() -> None:
    found = effect(statistic=math.inf, critical_value=math.inf)
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert record["statistic"] is None
    assert record["critical_value"] is None
    assert record["df"] == [2, 27]
    assert "pvalue_adjusted" not in record
    assert "null_distribution" not in record
    assert effect(pvalue_adjusted=0.2).to_dict()["pvalue_adjusted"] == 0.2
    with pytest.raises(FrozenInstanceError):
        found.pvalue = 0.0  # type: ignore[misc]


def test_an_effect_of_typical_runs_says_so() -> None:
    assert effect().symbol == "F"
    assert "center" not in effect().to_dict()
    trimmed = effect(center="trimmed", f_value=2.5)
    assert (trimmed.symbol, trimmed.f, trimmed.to_dict()["center"]) == ("D", 2.5, "trimmed")
    assert effect(center="ranks").symbol == "F"


def test_what_json_has_no_word_for_becomes_none() -> None:
    assert [json_ready(value) for value in (math.inf, -math.inf, math.nan)] == [None] * 3
    assert [json_ready(value) for value in (1.5, 2, "inf", None)] == [1.5, 2, "inf", None]


def test_an_overall_difference_is_made_of_height_and_shape() -> None:
    assert list(EFFECTS) == ["overall", *PARTS]
    assert [EFFECTS[name].how for name in PARTS] == ["in height", "in shape"]


def test_a_thinned_null_distribution_has_the_quantiles_of_the_whole() -> None:
    values = np.random.default_rng(0).permutation(9_991).astype(float)
    whole = effect(null=values)
    thinned = whole.with_thinned_null()
    assert thinned.null_distribution.tolist() == list(range(0, 9_991, 10))
    assert replace(thinned, null=values).to_dict() == whole.to_dict()
    # What is short stays as it is.
    assert thinned.with_thinned_null() is thinned
