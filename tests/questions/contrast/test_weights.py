from __future__ import annotations

import math

import numpy as np
import pytest

from curvewise import Curves, CurvesError, OptionError
from curvewise.questions.contrast.ask import coefficient_array, contrast, weight_array
from tests.simulation import some_curves

AB: dict[str, float] = {"A": 1, "B": -1}
ABC: dict[str, float] = {"A": 1, "B": -0.5, "C": -0.5}


def test_a_window_is_the_window() -> None:
    curves = some_curves(3, (5, 5, 5), steps=[0, 10, 20, 30, 40, 50])
    for coefficients in (AB, ABC):
        found = contrast(curves, coefficients, weights=("window", 10, 30), rng=0)
        expected = contrast(curves.window(10, 30), coefficients, rng=0)
        assert found.value == pytest.approx(expected.value)
        assert found.statistic == pytest.approx(expected.statistic)
        assert found.weights == "mean from step 10 to 30"
    assert contrast(curves, AB, weights=("window", 10, 30)).pvalue == pytest.approx(
        contrast(curves.window(10, 30), AB).pvalue
    )
    given = contrast(curves, AB, weights=[0, 1 / 3, 1 / 3, 1 / 3, 0, 0])
    assert given.value == pytest.approx(contrast(curves.window(10, 30), AB).value)
    # With two steps, two numbers are weights: a window is asked for by its name.
    two = curves.window(0, 10)
    assert contrast(two, AB, weights=(0, 1)).value == pytest.approx(
        contrast(two, AB, weights=("window", 10, 10)).value
    )


def test_the_trend_of_lines_is_their_slope_and_the_area_that_under_them() -> None:
    steps = np.array([0.0, 100, 300, 400, 1000])
    noise = np.random.default_rng(0).normal(size=(8, 1))
    slopes = np.repeat([0.5, 0.2], 4)[:, None]
    curves = Curves(noise + slopes * steps, list("AAAABBBB"), steps)
    trend = contrast(curves, AB, weights="trend")
    assert trend.value == pytest.approx(0.3)
    assert trend.weights == "trend"
    area = contrast(curves, AB, weights="area")
    heights = np.trapezoid(curves.scores, steps, axis=1)
    assert area.value == pytest.approx(heights[:4].mean() - heights[4:].mean())


def test_the_size_of_numbers_does_not_matter() -> None:
    curves = some_curves(1, (5, 5, 5))
    found = contrast(curves, ABC, weights=np.arange(6), rng=0)
    for size in (1e-150, 1e150):
        asked = {name: number * size for name, number in ABC.items()}
        large = contrast(curves, asked, weights=np.arange(6) / size, rng=0)
        assert large.pvalue == found.pvalue
        assert large.value == pytest.approx(found.value)


@pytest.mark.parametrize(
    ("coefficients", "message"),
    [
        ({}, "mapping from algorithms to numbers, such as"),
        ([1, -1], "mapping from algorithms to numbers"),
        ({"A": 1, "b": -1}, "No algorithm is called 'b'.*did you mean 'B'"),
        ({"A": 1, "B": "x"}, "coefficient of 'B' must be a finite number; it is 'x'"),
        ({"A": 1, "B": math.inf}, "coefficient of 'B' must be a finite number; it is inf"),
        ({"A": 0, "B": 0}, "All coefficients are 0"),
        ({"A": 1, "B": -0.5}, "sum to 0; these sum to 0.5"),
    ],
)
def test_coefficients_that_mean_nothing_are_refused(coefficients: object, message: str) -> None:
    with pytest.raises((OptionError, CurvesError), match=message):
        contrast(some_curves(0, (4, 4, 4)), coefficients)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("slope", "weights must be 'trend' or 'area', not 'slope'"),
        ([1, 2, 3], "6 finite numbers, one for each step; there are 3 of them"),
        ([1, 2, 3, 4, 5, math.nan], "there are 6 of them, 5 finite"),
        ([[1] * 6], "there are 1×6 of them"),
        ([0] * 6, "All weights are 0"),
        (["x"] * 6, "weights must be 'trend', 'area'"),
        (("window", 1), r"A window is \('window', start, stop\)"),
        (("from", 1, 2), r"A window is \('window', start, stop\)"),
        (("window", 8, 9), "No step lies in the window from 8 to 9"),
        (("window", "x", 9), "start of a window must be a step, a number, not 'x'"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights: object, message: str) -> None:
    with pytest.raises((OptionError, CurvesError), match=message):
        contrast(some_curves(0), AB, weights=weights)  # type: ignore[arg-type]


def test_coefficients_come_in_the_order_of_the_algorithms() -> None:
    curves = some_curves(0, (2, 2, 2))
    asked = {"C": -1.0, "A": 1.0}
    assert coefficient_array(curves, asked).tolist() == [1, 0, -1]
    # A third is not a binary fraction: the sum is 0 but for rounding.
    thirds = {"A": 1.0, "B": -1 / 3, "C": -2 / 3}
    assert coefficient_array(curves, thirds).tolist() == [1, -1 / 3, -2 / 3]


def test_weights_are_labelled_by_what_was_asked() -> None:
    curves = some_curves(0, (2, 2), steps=[0, 10, 20, 30, 40, 50])
    mean, label = weight_array(curves, None)
    assert (mean.tolist(), label) == ([1 / 6] * 6, "mean")
    for asked in ("trend", "area"):
        assert weight_array(curves, asked)[1] == asked
    window, label = weight_array(curves, ("window", 10, 30))
    assert (window.tolist(), label) == ([0, 1 / 3, 1 / 3, 1 / 3, 0, 0], "mean from step 10 to 30")
    given, label = weight_array(curves, range(6))
    assert given is label
    assert given.tolist() == list(range(6))
    with pytest.raises(ValueError, match="read-only"):
        given[0] = 1


def test_a_single_step_has_neither_trend_nor_area() -> None:
    for asked in ("trend", "area"):
        with pytest.raises(CurvesError) as refused:
            weight_array(some_curves(0, n_steps=1), asked)
        assert str(refused.value) == (
            f"There is a single step, so curves have no {asked}. Leave weights out."
        )
