from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, CurvesError, OptionError, compare, load_example
from curvewise.questions.contrast.family import contrast_many
from curvewise.questions.contrast.question import contrast
from tests.simulation import integer_tied, some_curves
from tests.textbook import all_relabellings

AB: dict[str, float] = {"A": 1, "B": -1}
ABC: dict[str, float] = {"A": 1, "B": -0.5, "C": -0.5}


def slow_pvalues(z: np.ndarray, sizes: list[int]) -> dict[str, float]:
    """Both sides of the difference of means, over every relabelling."""
    labels = np.repeat([0, 1], sizes)

    def difference(relabelled: np.ndarray) -> float:
        return float(z[relabelled == 0].mean() - z[relabelled == 1].mean())

    observed = difference(labels)
    every = np.array([difference(each) for each in all_relabellings(sizes)])
    return {
        "two-sided": float(np.mean(np.abs(every) >= abs(observed) - 1e-9)),
        "greater": float(np.mean(every >= observed - 1e-9)),
        "less": float(np.mean(every <= observed + 1e-9)),
    }


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("sizes", [[4, 4], [3, 5], [5, 2]])
@pytest.mark.parametrize("tied", [False, True])
def test_two_algorithms_by_brute_force(
    sizes: list[int], alternative: str, tied: bool
) -> None:
    for seed in range(3):
        scores = some_curves(seed, sizes).scores
        if tied:
            scores = 0.1 * integer_tied(np.random.default_rng(seed), sum(sizes), 4)
        curves = Curves(scores, np.repeat(["A", "B"], sizes))
        found = contrast(curves, AB, alternative=alternative)  # type: ignore[arg-type]
        expected = slow_pvalues(curves.scores.mean(axis=1), sizes)[alternative]
        assert found.pvalue == pytest.approx(expected)
        assert found.exact
        assert not found.approximate


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("second", ["AAB", "ABB", "AABB"])
def test_two_algorithms_in_blocks_by_brute_force(alternative: str, second: str) -> None:
    labels = np.array(list("AABB" + second))
    blocks = np.array([0] * 4 + [1] * len(second))
    scores = some_curves(3, [len(labels)]).scores + 5 * blocks[:, None]
    z = scores.mean(axis=1)
    for block in (0, 1):
        z[blocks == block] -= z[blocks == block].mean()

    def sums(block: int) -> list[float]:
        inside = np.flatnonzero(blocks == block)
        n_first = int(np.sum(labels[inside] == "A"))
        every = all_relabellings([n_first, len(inside) - n_first])
        return [float(z[inside][each == 0].sum()) for each in every]

    observed = float(z[labels == "A"].sum())
    every = np.array([x + y for x, y in product(sums(0), sums(1))])
    expected = {
        "two-sided": np.mean(np.abs(every) >= abs(observed) - 1e-9),
        "greater": np.mean(every >= observed - 1e-9),
        "less": np.mean(every <= observed + 1e-9),
    }[alternative]
    curves = Curves(scores, labels, blocks=blocks)
    found = contrast(curves, AB, alternative=alternative)  # type: ignore[arg-type]
    assert found.pvalue == pytest.approx(expected)
    pair = compare(curves)
    assert pair.difference is not None
    assert found.value == pytest.approx(pair.difference.value)
    if alternative == "two-sided":
        assert found.pvalue == pair.algorithm.pvalue


@pytest.mark.parametrize("sizes", [(5, 5), (4, 6), (10, 10), (12, 12), (25, 25)])
def test_the_contrast_of_two_is_their_comparison(sizes: tuple[int, int]) -> None:
    curves = some_curves(8, (*sizes, 3))
    for coefficients in (AB, {"B": 2, "A": -2}):
        found = contrast(curves, coefficients, rng=4)
        pair = compare(curves.select("A", "B"), rng=4)
        assert found.pvalue == pair.algorithm.pvalue
        assert found.statistic**2 == pytest.approx(pair.algorithm.statistic)
        assert pair.difference is not None
        scale = coefficients["A"]
        assert found.value == pytest.approx(scale * pair.difference.value)
        ends = sorted(scale * end for end in pair.difference.interval)
        assert tuple(found.interval) == pytest.approx(ends)
    assert contrast(curves, AB, exact=False, rng=4).pvalue == pytest.approx(
        compare(curves.select("A", "B"), exact=False, rng=4).algorithm.pvalue
    )


def test_t_is_that_of_student() -> None:
    curves = some_curves(0, (5, 7, 6))
    means = [curves.select(name).scores.mean(axis=1) for name in "ABC"]
    found = contrast(curves, AB)
    expected = stats.ttest_ind(means[0], means[1])
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.df == 10
    # Residuals of normal data give nearly what the t distribution gives.
    many = contrast(curves, ABC, rng=0)
    assert many.approximate
    assert not many.exact
    assert many.df == 15
    assert many.pvalue == pytest.approx(2 * stats.t.sf(abs(many.statistic), 15), abs=0.02)


@pytest.mark.parametrize("coefficients", [AB, ABC])
def test_what_does_not_matter_changes_nothing(coefficients: dict[str, float]) -> None:
    curves = some_curves(2, (5, 5, 4))
    found = contrast(curves, coefficients, alternative="greater", rng=1)
    order = np.random.default_rng(0).permutation(curves.n_runs)
    others = {
        "moved": (Curves(curves.scores + 64, curves.labels), 1.0),
        "scaled": (Curves(curves.scores * 1024, curves.labels), 1024.0),
    }
    for name, (other, unit) in others.items():
        again = contrast(other, coefficients, alternative="greater", rng=1)
        assert again.pvalue == pytest.approx(found.pvalue), name
        assert again.statistic == pytest.approx(found.statistic), name
        assert again.value == pytest.approx(unit * found.value, abs=1e-9), name
    shuffled = Curves(curves.scores[order], curves.labels[order]).select("A", "B", "C")
    mixed = contrast(shuffled, coefficients, alternative="greater", rng=1)
    assert mixed.pvalue == found.pvalue
    names = {"A": "x", "B": "y", "C": "z"}
    renamed = Curves(curves.scores, [names[name] for name in curves.labels])
    asked = {names[name]: number for name, number in coefficients.items()}
    again = contrast(renamed, asked, alternative="greater", rng=1)
    assert (again.pvalue, again.value) == (found.pvalue, found.value)


@pytest.mark.parametrize("coefficients", [AB, ABC])
@pytest.mark.parametrize("exact", [None, False])
def test_the_other_sign_is_the_mirror_image(
    coefficients: dict[str, float], exact: bool | None
) -> None:
    curves = some_curves(5, (4, 5, 5))
    turned = {name: -number for name, number in coefficients.items()}
    found = contrast(curves, coefficients, alternative="greater", exact=exact, rng=3)
    other = contrast(curves, turned, alternative="less", exact=exact, rng=3)
    assert other.pvalue == found.pvalue
    assert other.statistic == -found.statistic
    assert other.value == -found.value
    assert tuple(other.interval) == (-found.interval.high, -found.interval.low)
    np.testing.assert_array_equal(
        np.sort(other.null_distribution), np.sort(-found.null_distribution)
    )
    assert found.interval.high == math.inf
    both = contrast(curves, coefficients, exact=exact, rng=3)
    assert both.pvalue >= min(found.pvalue, 1 - found.pvalue)


@pytest.mark.parametrize("coefficients", [AB, ABC])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_interval_agrees_with_p(
    coefficients: dict[str, float], alternative: str
) -> None:
    """Take its ends off, a little more and a little less, and test again."""
    curves = some_curves(6, (5, 6, 5))
    options = {"alternative": alternative, "alpha": 0.1, "rng": 0}
    found = contrast(curves, coefficients, **options)  # type: ignore[arg-type]
    for end in found.interval:
        if math.isinf(end):
            continue
        inwards = 1 if end < found.value else -1
        # Runs come in another order when moved, so that other shuffles are drawn.
        step = 1e-6 if found.exact else 0.05
        for shift, inside in ((step, True), (-step, False)):
            taken = end + inwards * shift
            scores = curves.scores - taken * (curves.codes == 0)[:, None]
            moved = contrast(Curves(scores, curves.labels), coefficients, **options)  # type: ignore[arg-type]
            assert (moved.pvalue > 0.1) == inside
            assert (moved.interval.low <= 0 <= moved.interval.high) == inside


def test_large_counts_are_exact_by_halves_and_sampled_on_request() -> None:
    scores = some_curves(7, (12, 12)).scores.copy()
    scores[:12] += 0.4
    curves = Curves(scores, ["A"] * 12 + ["B"] * 12)
    for alternative in ("two-sided", "greater", "less"):
        found = contrast(curves, AB, alternative=alternative)
        assert found.exact
        one = 1 if alternative == "two-sided" else 2
        assert found.n_relabellings == one * math.comb(24, 12) // 2 == found.n_shuffles
        drawn = contrast(
            curves,
            AB,
            alternative=alternative,
            exact=False,
            n_shuffles=150_000,
            rng=0,
        )
        assert not drawn.exact
        assert drawn.pvalue == pytest.approx(found.pvalue, abs=0.006)
        assert len(drawn.null_distribution) == 131_072
        np.testing.assert_allclose(drawn.interval, found.interval, atol=0.05)


def test_enumeration_without_keeping_counts_both_mirror_images(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    curves = some_curves(9, (6, 6), blocks=list("xxxyyyxxxyyy"))
    kept = contrast(curves, AB, alternative="greater")
    monkeypatch.setattr("curvewise.questions.contrast.permutation.CHEAP", 10)
    counted = contrast(curves, AB, alternative="greater", exact=True)
    assert counted.pvalue == kept.pvalue
    assert counted.n_shuffles == kept.n_shuffles == 400


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


def test_the_same_rng_gives_the_same_digits_and_another_does_not() -> None:
    curves = some_curves(4, (6, 6, 6))
    found, again, other = (contrast(curves, ABC, rng=seed) for seed in (1, 1, 2))
    assert found.to_dict() == again.to_dict()
    assert found.seed == 1
    assert not np.array_equal(found.null_distribution, other.null_distribution)
    assert contrast(curves, AB, rng=1).seed is None
    # By halves p is exact, and the interval sampled.
    assert contrast(some_curves(4, (12, 12)), AB, rng=1).seed == 1


@pytest.mark.parametrize("coefficients", [AB, ABC])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_without_variation_nothing_is_nan(
    coefficients: dict[str, float], alternative: str
) -> None:
    for scores in ([0.1, 0.2] * 9, [0.1] * 6 + [0.3] * 12):
        curves = Curves(np.outer(scores, [1, 2, 3]), np.repeat(list("ABC"), 6))
        found = contrast(curves, coefficients, alternative=alternative, rng=0)  # type: ignore[arg-type]
        numbers = [found.value, *found.interval, found.statistic, found.pvalue]
        assert not np.isnan(numbers).any()
        assert not np.isnan(found.null_distribution).any()
    assert abs(found.statistic) == math.inf
    assert "t is infinite" in found.warnings[-1]
    flat = Curves(np.tile([1.0, 2.0, 3.0], (18, 1)), np.repeat(list("ABC"), 6))
    found = contrast(flat, coefficients, alternative=alternative, weights="trend", rng=0)  # type: ignore[arg-type]
    assert (found.value, found.statistic, found.pvalue) == (0, 0, 1)
    assert "nothing to contrast" in found.warnings[-1]


def test_too_few_runs_and_shuffles_are_told() -> None:
    few = contrast(some_curves(0, (3, 3)), AB)
    assert "With 3 + 3 runs the smallest p possible is 0.100" in few.warnings[0]
    assert few.interval == (-math.inf, math.inf)
    # One side has twice as many relabellings that differ.
    assert not contrast(some_curves(0, (3, 3)), AB, alternative="less").warnings
    drawn = contrast(some_curves(0, (5, 5, 5)), ABC, n_shuffles=9)
    assert "9 shuffles cannot give a p below 0.100" in drawn.warnings[0]
    assert "Use at least 19" in drawn.warnings[0]
    assert drawn.interval == (-math.inf, math.inf)


def test_results_are_shown() -> None:
    found = contrast(some_curves(0, (5, 5, 5)), ABC, alternative="less", rng=0)
    shown = json.loads(json.dumps(found.to_dict()))
    assert shown["interval"][0] is None
    assert shown["coefficients"] == ABC
    assert shown["approximate"]
    assert "null_distribution" not in shown
    assert "A - 0.5 B - 0.5 C" in str(found)
    assert "p is approximate" in str(found)
    assert "<table>" in found._repr_html_()
    few = contrast(some_curves(0, (3, 3)), AB, weights=np.arange(6))
    assert "Warning: With 3 + 3" in str(few)
    assert "<strong>Warning:" in few._repr_html_()
    assert few.to_dict()["weights"] == list(range(6))
    assert few.smallest_pvalue == 0.1


@pytest.mark.parametrize(
    ("coefficients", "message"),
    [
        ({}, "mapping from algorithms to numbers, such as"),
        ([1, -1], "mapping from algorithms to numbers"),
        ({"A": 1, "b": -1}, "No algorithm is called 'b'.*did you mean 'B'"),
        ({"A": 1, "B": "x"}, "coefficient of 'B' must be a finite number; it is 'x'"),
        (
            {"A": 1, "B": math.inf},
            "coefficient of 'B' must be a finite number; it is inf",
        ),
        ({"A": 0, "B": 0}, "All coefficients are 0"),
        ({"A": 1, "B": -0.5}, "sum to 0; these sum to 0.5"),
    ],
)
def test_coefficients_that_mean_nothing_are_refused(
    coefficients: object, message: str
) -> None:
    with pytest.raises((OptionError, CurvesError), match=message):
        contrast(some_curves(0, (4, 4, 4)), coefficients)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("slope", "No weighting is called 'slope'"),
        ([1, 2, 3], "6 finite numbers, one for each step; there are 3 of them"),
        ([1, 2, 3, 4, 5, math.nan], "there are 6 of them, 5 finite"),
        ([[1] * 6], "there are 1×6 of them"),
        ([0] * 6, "All weights are 0"),
        (["x"] * 6, "weights must be 'trend', 'area'"),
        (("window", 1), r"A window is \('window', start, stop\)"),
        (("from", 1, 2), r"A window is \('window', start, stop\)"),
        (("window", 8, 9), "No step lies in the window from 8 to 9"),
        (("window", "x", 9), "start of a window is a step, a number"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights: object, message: str) -> None:
    with pytest.raises((OptionError, CurvesError), match=message):
        contrast(some_curves(0), AB, weights=weights)  # type: ignore[arg-type]


def test_what_cannot_be_contrasted_is_refused() -> None:
    curves = some_curves(0, (4, 4, 4))
    with pytest.raises(OptionError, match="No alternative is called 'larger'"):
        contrast(curves, AB, alternative="larger")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"contrast\(\) takes Curves, not a list"):
        contrast([], AB)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="alpha must lie between 0 and 1"):
        contrast(curves, AB, alpha=5)
    with pytest.raises(OptionError, match="more than two algorithms has no exact test"):
        contrast(curves, ABC, exact=True)
    with pytest.raises(CurvesError, match="Every algorithm has a single run"):
        contrast(some_curves(0, (1, 1, 5)), AB)
    for words in ("trend", "area"):
        with pytest.raises(CurvesError, match=f"single step, so curves have no {words}"):
            contrast(some_curves(0, n_steps=1), AB, weights=words)
    with pytest.raises(OptionError, match="rng must be a whole number"):
        contrast(curves, AB, rng="x")  # type: ignore[arg-type]


FAMILY: dict[str, dict[str, float]] = {
    "A - B": AB,
    "A - BC": ABC,
    "B - C": {"B": 1, "C": -1},
}


@pytest.mark.parametrize("adjust", ["holm", "bonferroni", "max-t"])
def test_a_family_has_the_p_of_each_and_adjusts_them(adjust: str) -> None:
    curves = some_curves(4, (6, 6, 6))
    found = contrast_many(curves, FAMILY, adjust=adjust, rng=2)
    assert list(found) == list(FAMILY)
    assert len(found) == 3
    alone = contrast(curves, AB)
    assert found["A - B"].pvalue == alone.pvalue
    ps = np.array([each.pvalue for each in found.values()])
    adjusted = np.array([each.pvalue_adjusted for each in found.values()])
    if adjust == "bonferroni":
        np.testing.assert_allclose(adjusted, np.minimum(3 * ps, 1))
    if adjust == "holm":
        assert adjusted[np.argmin(ps)] == pytest.approx(min(1, 3 * ps.min()))
    again = contrast_many(curves, FAMILY, adjust=adjust, rng=2)
    assert found.to_dict() == again.to_dict()
    assert json.loads(json.dumps(found.to_dict()))["adjust"] == adjust
    assert f"Adjusted by {adjust}" in str(found)
    assert "<table>" in found._repr_html_()
    assert set(found.significant()) <= set(FAMILY)


def test_max_t_of_all_pairs_is_near_that_of_tukey() -> None:
    rng = np.random.default_rng(11)
    scores = rng.normal(size=(40, 1)) + 0.8 * np.repeat([0, 0, 1, 2], 10)[:, None]
    curves = Curves(scores, np.repeat(list("ABCD"), 10))
    pairs = [(a, b) for i, a in enumerate("ABCD") for b in "ABCD"[i + 1 :]]
    family = {f"{a} - {b}": {a: 1, b: -1} for a, b in pairs}
    found = contrast_many(curves, family, adjust="max-t", rng=0)
    tukey = stats.tukey_hsd(*(scores[curves.codes == code, 0] for code in range(4)))
    expected = [tukey.pvalue["ABCD".index(a), "ABCD".index(b)] for a, b in pairs]
    adjusted = [each.pvalue_adjusted or math.nan for each in found.values()]
    np.testing.assert_allclose(adjusted, expected, atol=0.03)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_max_t_against_one_control_is_near_that_of_dunnett(alternative: str) -> None:
    rng = np.random.default_rng(12)
    scores = rng.normal(size=(40, 1)) + 0.5 * np.repeat([0, 0, 1, 2], 10)[:, None]
    curves = Curves(scores, np.repeat(list("ABCD"), 10))
    family = {name: {name: 1, "A": -1} for name in "BCD"}
    found = contrast_many(curves, family, adjust="max-t", alternative=alternative, rng=0)  # type: ignore[arg-type]
    groups = [scores[curves.codes == code, 0] for code in range(4)]
    dunnett = stats.dunnett(  # type: ignore[call-overload]
        *groups[1:],
        control=groups[0],
        alternative=alternative,
        rng=0,
    )
    adjusted = [each.pvalue_adjusted or math.nan for each in found.values()]
    np.testing.assert_allclose(adjusted, dunnett.pvalue, atol=0.03)


def test_what_a_family_cannot_do_is_told() -> None:
    curves = some_curves(0, (4, 4, 4))
    found = contrast_many(curves, {"x": AB, "y": {"B": 1, "C": -1}})
    assert "adjusted for 2 contrasts, is 0.0571" in found.warnings[0]
    assert 'adjust="max-t"' in found.warnings[0]
    assert not contrast_many(
        curves, {"x": AB, "y": {"B": 1, "C": -1}}, adjust="max-t"
    ).warnings
    with pytest.raises(OptionError, match="mapping from names to contrasts"):
        contrast_many(curves, {})
    with pytest.raises(OptionError, match="No adjustment is called 'tukey'"):
        contrast_many(curves, {"x": AB}, adjust="tukey")
    with pytest.raises(OptionError, match="y: The coefficients of a contrast sum to 0"):
        contrast_many(curves, {"x": AB, "y": {"A": 1}})


def test_the_example_reads_as_in_the_paper() -> None:
    found = contrast(
        load_example("tictactoe"), {"A1": 1, "A2": -1}, alternative="greater"
    )
    assert found.significant
    assert found.confidence == 0.95
