from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, CurvesError, OptionError, compare, load_example
from curvewise.inference.caveats import DifferentSpread, TooFewRuns, TooFewShuffles
from curvewise.questions.contrast.ask import contrast
from curvewise.questions.contrast.result import EqualRuns, InfiniteT
from curvewise.shuffling.visit import FIRST_LOOK
from tests.questions.resuming import check_refuses, check_resumes, digits, progress_of
from tests.simulation import integer_tied, some_curves
from tests.textbook import all_relabellings

if TYPE_CHECKING:
    from pathlib import Path

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
def test_two_algorithms_by_brute_force(sizes: list[int], alternative: str, tied: bool) -> None:
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
def test_the_interval_agrees_with_p(coefficients: dict[str, float], alternative: str) -> None:
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
            curves, AB, alternative=alternative, exact=False, n_shuffles=150_000, rng=0
        )
        assert not drawn.exact
        assert drawn.pvalue == pytest.approx(found.pvalue, abs=0.006)
        assert len(drawn.null_distribution) == 131_072
        np.testing.assert_allclose(drawn.interval, found.interval, atol=0.05)


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
def test_without_variation_nothing_is_nan(coefficients: dict[str, float], alternative: str) -> None:
    for scores in ([0.1, 0.2] * 9, [0.1] * 6 + [0.3] * 12):
        curves = Curves(np.outer(scores, [1, 2, 3]), np.repeat(list("ABC"), 6))
        found = contrast(curves, coefficients, alternative=alternative, rng=0)  # type: ignore[arg-type]
        numbers = [found.value, *found.interval, found.statistic, found.pvalue]
        assert not np.isnan(numbers).any()
        assert not np.isnan(found.null_distribution).any()
    assert abs(found.statistic) == math.inf
    assert InfiniteT() in found.caveats
    flat = Curves(np.tile([1.0, 2.0, 3.0], (18, 1)), np.repeat(list("ABC"), 6))
    found = contrast(flat, coefficients, alternative=alternative, weights="trend", rng=0)  # type: ignore[arg-type]
    assert (found.value, found.statistic, found.pvalue) == (0, 0, 1)
    assert EqualRuns() in found.caveats


def test_what_cannot_be_contrasted_is_refused() -> None:
    curves = some_curves(0, (4, 4, 4))
    with pytest.raises(OptionError, match=r"alternative must be .*'less', not 'larger'"):
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
    with pytest.raises(
        OptionError, match="rng must be a non-negative integer or a numpy Generator, not 'x'"
    ):
        contrast(curves, AB, rng="x")  # type: ignore[arg-type]


def test_the_example_reads_as_in_the_paper() -> None:
    found = contrast(load_example("tictactoe"), {"A1": 1, "A2": -1}, alternative="greater")
    assert found.significant
    assert found.confidence == 0.95


# n_extreme, n_shuffles, interval and t, as version 0.1 (commit 8646630) gave them.
KNOWN: dict[str, tuple[Curves, dict[str, float], dict[str, Any]]] = {
    "by halves": (some_curves(7, (12, 12)), AB, {}),
    "by enumeration": (some_curves(8, (5, 6)), AB, {}),
    "blocks": (some_curves(9, (6, 6), blocks=list("xxxyyyxxxyyy")), AB, {}),
    "uneven blocks": (some_curves(9, (6, 6), blocks=list("xxxxyyxxyyyy")), AB, {}),
    "sampled": (some_curves(10, (9, 9)), AB, {"exact": False, "n_shuffles": 2_999}),
    "residuals": (some_curves(11, (6, 5, 4)), ABC, {"n_shuffles": 2_999}),
}


@pytest.mark.parametrize(
    ("name", "alternative", "n_extreme", "n_shuffles", "interval", "t"),
    [
        ("by halves", "two-sided", 1057753, 1352078, (-0.789089, 0.60609), -0.278908),
        ("by halves", "greater", 1646404, 2704156, (-0.654517, math.inf), -0.278908),
        ("by halves", "less", 1057753, 2704156, (-math.inf, 0.488441), -0.278908),
        ("by enumeration", "two-sided", 324, 462, (-2.294885, 1.524135), -0.374026),
        ("by enumeration", "greater", 301, 462, (-1.887894, math.inf), -0.374026),
        ("by enumeration", "less", 162, 462, (-math.inf, 1.165521), -0.374026),
        ("blocks", "two-sided", 80, 200, (-0.495843, 1.192912), 0.892601),
        ("blocks", "greater", 80, 400, (-0.312658, math.inf), 0.892601),
        ("blocks", "less", 321, 400, (-math.inf, 1.040765), 0.892601),
        ("uneven blocks", "two-sided", 135, 225, (-0.662393, 1.094938), 0.553908),
        ("uneven blocks", "greater", 69, 225, (-0.470746, math.inf), 0.553908),
        ("uneven blocks", "less", 157, 225, (-math.inf, 0.872073), 0.553908),
        ("sampled", "two-sided", 1972, 2999, (-0.481291, 0.757764), 0.441433),
        ("sampled", "greater", 989, 2999, (-0.37971, math.inf), 0.441433),
        ("sampled", "less", 2010, 2999, (-math.inf, 0.644687), 0.441433),
        ("residuals", "two-sided", 921, 2999, (-1.260720, 0.320350), -1.131571),
        ("residuals", "greater", 2500, 2999, (-1.120190, math.inf), -1.131571),
        ("residuals", "less", 499, 2999, (-math.inf, 0.239273), -1.131571),
    ],
)
def test_digits_stay_as_they_are(
    name: str,
    alternative: Any,
    n_extreme: int,
    n_shuffles: int,
    interval: tuple[float, float],
    t: float,
) -> None:
    curves, coefficients, options = KNOWN[name]
    found = contrast(curves, coefficients, alternative=alternative, rng=3, **options)
    assert found.exact == (name not in {"sampled", "residuals"})
    added = 0 if found.exact else 1  # the observed labelling joins a sample
    assert found.pvalue == (n_extreme + added) / (n_shuffles + added)
    assert found.n_shuffles == n_shuffles
    assert tuple(found.interval) == pytest.approx(interval, abs=1e-6)
    assert found.statistic == pytest.approx(t, abs=1e-6)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("blocks", [None, list("xxxyyyxxxyyy"), list("xxxxyyxxyyyy")])
@pytest.mark.parametrize("tied", [False, True])
def test_an_exact_interval_excludes_zero_exactly_when_p_says_so(
    blocks: list[str] | None, alternative: Any, tied: bool
) -> None:
    """Where scores tie, an end can be at 0, and only rounding sets it apart."""
    verdicts = set()
    sign = -1 if alternative == "less" else 1
    for seed in range(40):
        scores, shift = some_curves(seed, (6, 6)).scores, 0.02 * seed
        if tied:
            rng = np.random.default_rng(seed)
            scores, shift = 0.1 * integer_tied(rng, 12, 3), 0.1 * (seed % 3)
        moved = scores + sign * shift * (np.arange(12) < 6)[:, None]
        shifted = Curves(moved, ["A"] * 6 + ["B"] * 6, blocks=blocks)
        found = contrast(shifted, AB, alternative=alternative, alpha=0.1)
        assert found.exact
        excluded = not found.interval.low <= 0 <= found.interval.high
        assert excluded == found.significant == (found.pvalue <= 0.1)
        verdicts.add(excluded)
    assert verdicts == {True, False}


def test_too_few_runs_and_shuffles_are_told() -> None:
    few = contrast(some_curves(0, (3, 3)), AB)
    assert few.caveats == (TooFewRuns((3, 3), 0.1, 0.05, 4),)
    assert few.warnings == (
        (
            "With 3 + 3 runs the smallest p possible is 0.100, which is above alpha = 0.05: no "
            "data could be significant. More runs are needed: 4 of each algorithm would do."
        ),
    )
    assert few.interval == (-math.inf, math.inf)
    # One side has twice as many relabellings that differ.
    assert not contrast(some_curves(0, (3, 3)), AB, alternative="less").caveats
    drawn = contrast(some_curves(0, (5, 5, 5)), ABC, n_shuffles=9)
    assert drawn.caveats == (TooFewShuffles(9, 0.05),)
    assert drawn.warnings == (
        (
            "9 shuffles cannot give a p below 0.100, which is above alpha = 0.05: nothing can be "
            "significant. Use at least n_shuffles=19."
        ),
    )
    assert drawn.interval == (-math.inf, math.inf)
    assert not contrast(some_curves(0, (5, 5, 5)), ABC, n_shuffles=19).caveats


def test_only_the_algorithms_of_the_contrast_call_for_caveats() -> None:
    curves = some_curves(0, (9, 9, 9))
    scores = np.where((curves.codes == 2)[:, None], 50 * curves.scores, curves.scores)
    wild = Curves(scores, curves.labels)
    assert not contrast(wild, AB).caveats
    (caveat,) = contrast(wild, ABC).caveats
    assert isinstance(caveat, DifferentSpread)
    assert caveat.wide == "C"


# Where relabellings are sampled, enumerated, counted by halves, and residuals shuffled.
ASKED: dict[str, Any] = {
    "two, sampled": partial(
        contrast, KNOWN["sampled"][0], AB, exact=False, n_shuffles=9_999, rng=3
    ),
    "two, enumerated": partial(contrast, some_curves(2, (8, 8)), AB),
    "two, by halves": partial(contrast, KNOWN["by halves"][0], AB, rng=3),
    "three": partial(contrast, some_curves(1, (6, 6, 6)), ABC, n_shuffles=9_999, rng=3),
}


@pytest.mark.parametrize("name", ASKED)
def test_interrupted_work_goes_on_with_the_same_digits(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_resumes(ASKED[name], tmp_path / "work", monkeypatch)


@pytest.mark.parametrize("name", ASKED)
def test_jobs_change_no_digit(name: str) -> None:
    assert digits(ASKED[name](n_jobs=2)) == digits(ASKED[name]())


@pytest.mark.parametrize("name", ASKED)
def test_progress_is_reported(name: str) -> None:
    (stretch,) = progress_of(ASKED[name])
    assert stretch[-1][0] > 1


@pytest.mark.parametrize("coefficients", [AB, ABC])
def test_the_checkpoint_of_another_contrast_is_refused(
    coefficients: dict[str, float], tmp_path: Path
) -> None:
    curves = some_curves(1, (6, 6, 6))
    scores, labels, steps = curves.scores, curves.labels, curves.steps
    given = {"n_shuffles": 999, "exact": False, "rng": 3}

    def ask(of: Curves = curves, **options: Any) -> partial[Any]:
        weighted = {"weights": "trend", **given, **options}
        return partial(contrast, of, options.pop("asked", coefficients), **weighted)

    turned = {name: -number for name, number in coefficients.items()}
    check_refuses(
        ask(),
        {
            "scores": ask(Curves(scores + np.eye(18, 6), labels)),
            "labels": ask(Curves(scores, labels[::-1])),
            "steps": ask(Curves(scores, labels, [*steps[:-1], 50])),
            "blocks": ask(Curves(scores, labels, blocks=[0, 1, 2] * 6)),
            "precision": ask(Curves(scores, labels, precision=1e-3)),
            "sign": partial(contrast, curves, turned, weights="trend", **given),  # type: ignore[arg-type]
            "weights": ask(weights="area"),
            "alternative": ask(alternative="less"),
            "n_shuffles": ask(n_shuffles=998),
            "exact": ask(exact=None),
            "rng": ask(rng=4),
            "question": partial(compare, curves, **given),  # type: ignore[arg-type]
        },
        tmp_path / "work",
    )


@pytest.mark.parametrize("coefficients", [AB, ABC])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_auto_stops_where_the_verdict_is_settled(
    coefficients: dict[str, float], alternative: Any
) -> None:
    """What is settled at the first look has the digits of as many shuffles."""
    options: dict[str, Any] = {"alternative": alternative, "exact": False, "rng": 3}
    clear = some_curves(0, (8, 8, 8))
    clear = Curves(clear.scores + 5.0 * (clear.codes == 0)[:, None], clear.labels)
    found = contrast(clear, coefficients, n_shuffles="auto", **options)
    assert found.n_shuffles == FIRST_LOOK
    same = contrast(clear, coefficients, n_shuffles=FIRST_LOOK, **options)
    assert digits(found) == digits(same)


@pytest.mark.parametrize("coefficients", [AB, ABC])
def test_auto_goes_on_while_the_verdict_is_open(
    coefficients: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    curves, options = some_curves(2, (8, 8, 8)), {"exact": False, "rng": 3}
    far = contrast(curves, coefficients, n_shuffles=2**17, **options)  # type: ignore[arg-type]
    # With an alpha where p itself is, nothing short of the limit settles the verdict.
    for module in ("curvewise.inference.two_groups", "curvewise.questions.contrast.ask"):
        monkeypatch.setattr(f"{module}.MAX_SHUFFLES", 2**17)
    found = contrast(curves, coefficients, alpha=far.pvalue, n_shuffles="auto", **options)  # type: ignore[arg-type]
    assert found.n_shuffles == 2**17
    assert found.pvalue == far.pvalue


@pytest.mark.parametrize(("coefficients", "shift"), [(AB, 2.2), (ABC, 1.6)])
def test_precise_goes_on_until_p_is_known(
    coefficients: dict[str, float], shift: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"exact": False, "rng": 3, "n_shuffles": "precise"}
    easy = contrast(some_curves(2, (8, 8, 8)), coefficients, **options)
    assert easy.n_shuffles == FIRST_LOOK
    assert easy.pvalue * FIRST_LOOK >= 100
    clear = some_curves(0, (8, 8, 8))
    clear = Curves(clear.scores + shift * (clear.codes == 0)[:, None], clear.labels)
    hard = contrast(clear, coefficients, **options)
    assert hard.n_shuffles > FIRST_LOOK
    assert hard.pvalue * hard.n_shuffles >= 100
    # Twice fewer would not have been enough.
    options["n_shuffles"] = hard.n_shuffles // 2
    half = contrast(clear, coefficients, **options)
    assert half.pvalue * (half.n_shuffles + 1) - 1 < 100
    for module in ("curvewise.inference.two_groups", "curvewise.questions.contrast.ask"):
        monkeypatch.setattr(f"{module}.MAX_SHUFFLES", 2**15)
    options["n_shuffles"] = "precise"
    farther = Curves(clear.scores + 9.0 * (clear.codes == 0)[:, None], clear.labels)
    assert contrast(farther, coefficients, **options).n_shuffles == 2**15


def test_more_runs_than_halves_can_count_are_sampled_or_refused() -> None:
    curves = some_curves(0, (23, 22))
    assert not contrast(curves, AB, n_shuffles=99, rng=0).exact
    with pytest.raises(OptionError, match=r"more than can be visited .* exact=False"):
        contrast(curves, AB, exact=True)
    assert contrast(some_curves(0, (22, 22)), AB, n_shuffles=99, rng=0).exact
