"""describe() of a comparison and of many: whole paragraphs, for every branch."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from curvewise import Comparison, Comparisons, Curves, OptionError, compare, compare_many, describe
from curvewise.inference.result import EFFECTS, Effect, Interval
from curvewise.inference.work import Sampling
from curvewise.questions.compare.result import AlgorithmSummary, Difference
from tests.simulation import autoregressive, some_curves

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.inference.result import EffectName

# The size of the difference and the method, which end every paragraph below.
SIZE = (
    "Averaged over training, A1 scores 5.290 more than A2; the 95% interval of the "
    "difference is 1.510 to 9.070; Hedges' g is 1.24; a run of A1 beats a run of A2 in 81% "
    "of pairs."
)
METHOD = (
    "Method: randomized ANOVA of whole curves; 10 runs per algorithm; 8 steps, 0 to 8000; "
    "9,999 shuffles; split error term; α = 0.05."
)
DIFFERENCE = Difference("A1", "A2", 5.29, Interval(1.51, 9.07), 0.95, 1.241, 0.81)
DF = {
    "interaction": 7,
    "algorithm": 1,
    "training": 7,
    "curves": 18,
    "residual": 126,
    "error": 144,
    "total": 159,
}


def effects_of(
    pvalues: Mapping[EffectName, float], sampling: Sampling, alpha: float
) -> dict[str, Effect]:
    return {
        name: Effect(
            name=name,
            statistic=4.0,
            df=(1, 18),
            pvalue=pvalue,
            n_extreme=1,
            n_shuffles=sampling.n_shuffles,
            exact=sampling.exact,
            alpha=alpha,
            critical_value=3.0,
            null=np.zeros(1),
        )
        for name, pvalue in pvalues.items()
    }


def comparison(
    overall: float = 0.0074,
    height: float = 0.0197,
    shape: float | None = 0.0795,
    *,
    own: tuple[float, float] | None = None,
    conventional: tuple[float, float] | None = None,
    sampling: Sampling | None = None,
    **changes: Any,
) -> Comparison:
    """A comparison in which these p were found.

    ``own`` are the p of height and shape with the split error term, where another was used;
    ``conventional`` those of the conventional F test, by default of the same side of alpha.
    """
    sampling = sampling or Sampling(False, 92_378, 9_999, "NumPy shuffles", 0)
    alpha = changes.get("alpha", 0.05)
    shown: dict[EffectName, float] = {"overall": overall, "algorithm": height}
    if shape is not None:
        shown["interaction"] = shape
    split: dict[EffectName, float] = dict(shown)
    if own is not None:
        split["algorithm"], split["interaction"] = own
    effects = {
        error: effects_of(pvalues, sampling, alpha)
        for error, pvalues in (("split", split), ("pooled", shown))
    }
    # Sums of squares of which the conventional F test makes the p wanted.
    wanted = conventional or (height, shape or 1.0)
    ss = dict.fromkeys(DF, 1.0) | {"curves": 18.0, "residual": 126.0, "error": 144.0}
    ss["algorithm"] = float(stats.t.isf(wanted[0] / 2, 144)) ** 2
    ss["interaction"] = 7 * float(stats.f.isf(wanted[1], 7, 144))
    plain: dict[str, Any] = {
        "algorithms": (
            AlgorithmSummary("A1", 10, 48.67, 3.0),
            AlgorithmSummary("A2", 10, 43.38, 4.0),
        ),
        "n_steps": 1 if shape is None else 8,
        "first_step": 0,
        "last_step": 8_000,
        "n_blocks": None,
        "even_blocks": True,
        "higher_is_better": True,
        "effects": effects,
        "ss": ss,
        "df": DF if shape is not None else {**DF, "interaction": 0},
        "difference": DIFFERENCE,
        "error": "split",
        "alpha": 0.05,
        "sampling": sampling,
        "caveats": (),
    }
    return Comparison(**{**plain, **changes})


EXACT = Sampling(True, 126, 126, "NumPy enumeration")

VERDICTS: dict[str, tuple[Comparison, str]] = {
    "height": (
        comparison(),
        (
            "The learning curves of A1 and A2 differ (overall p = 0.0074). They differ in height, "
            "the mean score over training (p = 0.020); no difference in shape was detected (p = "
            "0.080)."
        ),
    ),
    "shape": (
        comparison(0.001, 0.4, 0.002),
        (
            "The learning curves of A1 and A2 differ (overall p = 0.0010). They differ in shape "
            "(p = 0.0020), so how far apart they are depends on the amount of training; no "
            "difference in height was detected (p = 0.40)."
        ),
    ),
    "both": (
        comparison(0.001, 0.03, 0.002),
        (
            "The learning curves of A1 and A2 differ (overall p = 0.0010), both in height, the "
            "mean score over training (p = 0.030), and in shape (p = 0.0020): how far apart they "
            "are depends on the amount of training."
        ),
    ),
    "neither": (
        comparison(0.6, 0.7, 0.35),
        (
            "No difference was detected between the learning curves of A1 and A2 (overall p = "
            "0.60): neither in height, the mean score over training (p = 0.70), nor in shape (p = "
            "0.35)."
        ),
    ),
    "overall alone": (
        comparison(0.04, 0.06, 0.07),
        (
            "The learning curves of A1 and A2 differ (overall p = 0.040), but whether in height "
            "(p = 0.060) or in shape (p = 0.070) cannot be said."
        ),
    ),
    "shape not claimed": (
        comparison(0.0794, 0.85, 0.00794, conventional=(0.9, 0.99)),
        (
            "No difference was detected between the learning curves of A1 and A2 (overall p = "
            "0.079): not in height, the mean score over training (p = 0.85). Shape alone has p = "
            "0.0079, but the overall test is not significant (p = 0.079), so no difference is "
            "claimed: testing height and shape separately would give two chances of a false "
            "alarm. If shape was your only question and you asked it before seeing the data, p = "
            "0.0079 is valid."
        ),
    ),
    "neither claimed": (
        comparison(0.06, 0.03, 0.04, conventional=(0.9, 0.99)),
        (
            "No difference was detected between the learning curves of A1 and A2 (overall p = "
            "0.060). Height alone has p = 0.030 and shape alone has p = 0.040, but the overall "
            "test is not significant (p = 0.060), so no difference is claimed: testing height "
            "and shape separately would give two chances of a false alarm. If height was your "
            "only question and you asked it before seeing the data, p = 0.030 is valid, and if "
            "shape was your only question and you asked it before seeing the data, p = 0.040 is "
            "valid."
        ),
    ),
    "pooled, shape not claimed": (
        comparison(
            0.0079, 0.0079, 0.0079, own=(0.008, 0.27), error="pooled", conventional=(0.001, 0.53)
        ),
        (
            "The learning curves of A1 and A2 differ (overall p = 0.0079). They differ in height, "
            "the mean score over training (p = 0.0079). Shape alone has p = 0.0079, but this is "
            "not claimed: the pooled error term lets height and shape pass for each other, and "
            "with the split one it is p = 0.27 for shape."
        ),
    ),
    "pooled, nothing claimed": (
        comparison(0.01, 0.02, 0.03, own=(0.06, 0.07), error="pooled", conventional=(0.1, 0.1)),
        (
            "The learning curves of A1 and A2 differ (overall p = 0.010), but whether in height "
            "or in shape cannot be said. Height alone has p = 0.020 and shape alone has p = "
            "0.030, but this is not claimed: the pooled error term lets height and shape pass "
            "for each other, and with the split one it is p = 0.060 for height and p = 0.070 for "
            "shape."
        ),
    ),
    "the conventional test finds what is not there": (
        comparison(0.52, 0.70, 0.86, conventional=(3e-37, 0.8), sampling=EXACT),
        (
            "No difference was detected between the learning curves of A1 and A2 (overall exact "
            "p = 0.52): neither in height, the mean score over training (exact p = 0.70), nor in "
            "shape (exact p = 0.86). The conventional F test, with pooled error, would have said p < 1e-36 for "
            "height."
        ),
    ),
    "the conventional test misses what is there": (
        comparison(0.001, 0.4, 0.002, conventional=(0.012, 0.061)),
        (
            "The learning curves of A1 and A2 differ (overall p = 0.0010). They differ in shape "
            "(p = 0.0020), so how far apart they are depends on the amount of training; no "
            "difference in height was detected (p = 0.40). The conventional F test, with pooled error, would have "
            "said p = 0.012 for height and p = 0.061 for shape."
        ),
    ),
    "a single step": (
        comparison(0.01, 0.01, None),
        "A1 and A2 differ in height (p = 0.010), at the single step there is.",
    ),
    "a single step, nothing": (
        comparison(0.4, 0.4, None, sampling=EXACT),
        (
            "No difference between A1 and A2 was detected in height (exact p = 0.40), at the "
            "single step there is."
        ),
    ),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_the_verdict_is_worded_so(name: str) -> None:
    found, verdict = VERDICTS[name]
    method = METHOD
    if found.exact:
        method = method.replace("9,999 shuffles", "all 126 relabellings")
    size = SIZE
    if found.interaction is None:
        method = method.replace("8 steps, 0 to 8000", "1 step")
        size = size.replace("Averaged over training", "At that step")
    method = method.replace("split error", f"{found.error} error")
    assert describe(found) == f"{verdict} {size} {method}"


def test_a_p_too_small_to_be_told_from_nothing_is_bounded() -> None:
    found = comparison(0.52, 0.70, 0.86, conventional=(0.7, 0.8))
    apart = replace(found, ss={**found.ss, "algorithm": 1e12})
    assert "The conventional F test, with pooled error, would have said p < 1e-300 for height." in (
        describe(apart)
    )


def test_too_few_runs_are_told_before_anything_else() -> None:
    few = Sampling(True, 10, 10)
    found = comparison(
        0.8, 0.6, 0.5, sampling=few, conventional=(0.013, 0.9),
        difference=replace(DIFFERENCE, interval=Interval(-np.inf, np.inf)),
    )  # fmt: skip
    assert describe(found) == (
        "Whether A1 and A2 differ cannot be decided with so few runs: the smallest p "
        "possible is 0.10, above α = 0.05 (overall exact p = 0.80, height exact p = 0.60, "
        "shape exact p = 0.50). The conventional F test, with pooled error, would have said p = 0.013 for "
        "height. Averaged over training, A1 scores 5.290 more than A2; there are too few "
        "runs for a 95% interval of the difference; Hedges' g is 1.24; a run of A1 beats a "
        "run of A2 in 81% of pairs. Method: randomized ANOVA of whole curves; 10 runs per "
        "algorithm; 8 steps, 0 to 8000; all 10 relabellings; split error term; α = 0.05."
    )


def test_too_few_shuffles_are_told_before_anything_else() -> None:
    found = comparison(
        0.5, 0.5, None, sampling=Sampling(False, 92_378, 5),
        difference=replace(DIFFERENCE, interval=Interval(-np.inf, np.inf)),
    )  # fmt: skip
    assert describe(found) == (
        "Whether A1 and A2 differ cannot be decided with so few shuffles: the smallest p "
        "possible is 0.17, above α = 0.05 (overall p = 0.50, height p = 0.50). At that step, "
        "A1 scores 5.290 more than A2; there are too few shuffles for a 95% interval of the "
        "difference; Hedges' g is 1.24; a run of A1 beats a run of A2 in 81% of pairs. "
        "Method: randomized ANOVA of whole curves; 10 runs per algorithm; 1 step; 5 "
        "shuffles; split error term; α = 0.05."
    )


# --- size ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "better", "size"),
    [
        (
            {"value": -5.29, "interval": Interval(-9.07, -1.51), "hedges_g": -1.241},
            True,
            (
                "Averaged over training, A2 scores 5.290 more than A1; the 95% interval of the "
                "difference is 1.510 to 9.070; Hedges' g is 1.24; a run of A2 beats a run of "
                "A1 in 19% of pairs."
            ),
        ),
        (
            {"value": -5.29, "interval": Interval(-9.07, -1.51)},
            False,
            (
                "Averaged over training, A1 scores 5.290 less than A2, and less is better; the "
                "95% interval of the difference is -9.070 to -1.510; Hedges' g is 1.24; a run of "
                "A1 beats a run of A2 in 81% of pairs."
            ),
        ),
        (
            {"value": 0.0, "interval": Interval(-1.0, 1.0), "hedges_g": None},
            False,
            (
                "Averaged over training, A1 and A2 score the same; the 95% interval of the "
                "difference is -1.000 to 1.000; a run of A1 beats a run of A2 in 81% of pairs."
            ),
        ),
        (
            {"confidence": 0.999, "interval": Interval(-np.inf, 3.0)},
            True,
            (
                "Averaged over training, A1 scores 5.290 more than A2; the 99.9% interval of the "
                "difference is -inf to 3.000; Hedges' g is 1.24; a run of A1 beats a run of A2 "
                "in 81% of pairs."
            ),
        ),
    ],
)
def test_the_size_of_the_difference_is_worded_so(
    changed: dict[str, Any], better: bool, size: str
) -> None:
    found = comparison(difference=replace(DIFFERENCE, **changed), higher_is_better=better)
    assert f" {size} Method: " in describe(found)


SUMMARIES = (
    AlgorithmSummary("A1", 10, 48.67, 3.0),
    AlgorithmSummary("A2", 9, 43.38, 4.0),
    AlgorithmSummary("A3", 10, 47.1, 4.0),
)


def test_of_several_algorithms_the_range_of_means_is_told() -> None:
    several: dict[str, Any] = {"algorithms": SUMMARIES, "difference": None}
    assert describe(comparison(**several)) == (
        "The learning curves of A1, A2 and A3 differ (overall p = 0.0074). They differ in "
        "height, the mean score over training (p = 0.020); no difference in shape was "
        "detected (p = 0.080). Mean scores range from 43.38 (A2) to 48.67 (A1, best). "
        "Method: randomized ANOVA of whole curves; 9 to 10 runs per algorithm; 8 steps, 0 to "
        "8000; 9,999 shuffles; split error term; α = 0.05."
    )
    lower = describe(comparison(**several, higher_is_better=False))
    assert "Mean scores range from 48.67 (A1) to 43.38 (A2, best)." in lower
    # Means across blocks that hold other algorithms would mislead.
    uneven = describe(comparison(**several, even_blocks=False, n_blocks=6))
    assert "Mean scores" not in uneven
    assert "9,999 shuffles inside 6 blocks; split" in uneven
    many = tuple(replace(SUMMARIES[0], name=f"A{n}") for n in range(5))
    assert describe(comparison(algorithms=many, difference=None)).startswith(
        "The learning curves of the 5 algorithms differ (overall p = "
    )


def test_unequal_spread_and_another_level_are_told_with_the_method() -> None:
    found = comparison(spread="unequal", alpha=0.1, conventional=(0.02, 0.5), shape=0.2)
    text = describe(found)
    assert "the 95% interval of the difference (studentised) is 1.510 to 9.070" in text
    assert text.endswith(
        "9,999 shuffles; split error term, allowing for unequal spread (Welch-type F); α = 0.1."
    )


# --- real data -------------------------------------------------------------------------

RISE = np.linspace(-1, 1, 8)


def planted(height: float, shape: float) -> Curves:
    """Two algorithms of which B is lifted and tilted."""
    scores = 0.1 * autoregressive(np.random.default_rng(6), 12, 8)
    scores[6:] += height + shape * RISE
    return Curves(scores, ["A"] * 6 + ["B"] * 6)


@pytest.mark.parametrize(
    ("height", "shape", "verdict"),
    [
        (0, 0, "No difference was detected between the learning curves of A and B ("),
        (1, 0, "They differ in height, the mean score over training (exact p = 0.0022); no"),
        (0, 1, "They differ in shape (exact p = 0.0022), so how far apart they are depends"),
        (1, 1, "differ (overall exact p = 0.0022), both in height, the mean score over "),
    ],
)
def test_the_verdict_says_what_was_planted(height: float, shape: float, verdict: str) -> None:
    assert verdict in describe(compare(planted(height, shape)))


def test_an_effect_is_not_claimed_without_the_overall_test() -> None:
    # A clear difference in shape beside a noisy height, which drowns it in F.
    rng = np.random.default_rng(0)
    scores = 5 * rng.normal(size=(10, 1)) + 0.2 * rng.normal(size=(10, 8))
    scores[5:] += 0.4 * RISE
    curves = Curves(scores, list("AAAAABBBBB"))
    assert compare(curves).overall.significant
    found = compare(curves, overall="F")
    assert found.interaction is not None
    assert found.interaction.significant
    assert not found.overall.significant
    text = describe(found)
    assert "Shape alone has p = 0.0079, but the overall test is not significant" in text
    assert "conventional" not in text


def test_blocks_are_told() -> None:
    blocked = describe(compare(some_curves(0, (4, 4), blocks=[0, 1, 2, 3] * 2)))
    assert "; all 8 relabellings inside 4 blocks; split error term; " in blocked


def test_names_cannot_steer_a_terminal() -> None:
    curves = some_curves(0, (4, 4))
    odd = Curves(curves.scores, ["\x1b[31mA"] * 4 + ["B\n"] * 4)
    text = describe(compare(odd))
    assert "the learning curves of \\x1b[31mA and B\\n (overall" in text
    assert "\x1b" not in text
    assert "\n" not in text
    three = Curves(some_curves(0, (4, 4, 4)).scores, ["\x1bA"] * 4 + ["B"] * 4 + ["\x1bC"] * 4)
    assert "\x1b" not in describe(compare(three, n_shuffles=99, rng=0))


@pytest.mark.parametrize("number", range(12))
def test_every_paragraph_is_made_of_sentences(number: int) -> None:
    """Whatever the data: no doubled spaces or stops, and balanced brackets."""
    rng = np.random.default_rng(number)
    sizes = [(5, 5), (3, 3), (4, 4, 4), (5, 6)][number % 4]
    curves = some_curves(number, sizes, [8, 1, 4][number % 3])
    lifted = Curves(curves.scores + rng.normal(0, 2) * (curves.codes == 0)[:, None], curves.labels)
    for options in ({}, {"error": "pooled"}, {"exact": False, "n_shuffles": 99}):
        text = describe(compare(lifted, rng=0, **options))
        assert text.endswith("α = 0.05.")
        for slip in ("  ", "..", " .", " ,", " ;", "()", "None", "nan"):
            assert slip not in text
        assert text.count("(") == text.count(")")


# --- many ------------------------------------------------------------------------------


def comparisons(
    pvalues: dict[str, list[float]], *, adjust: str = "holm", alpha: float = 0.05, at_least: int = 0
) -> Comparisons:
    """Tables of which these are the adjusted p, for each effect."""
    n_tables = len(pvalues["overall"])
    names = [f"game {number}" for number in range(1, n_tables + 1)]
    return Comparisons(
        comparisons=dict.fromkeys(names, comparison()),
        pvalues_adjusted={
            effect: dict(zip(names, pvalues.get(effect, []), strict=False)) for effect in EFFECTS
        },
        at_least=dict.fromkeys(EFFECTS, at_least),
        adjust=adjust,
        alpha=alpha,
        caveats=(),
    )


def test_the_tables_that_differ_are_named_for_each_effect() -> None:
    found = comparisons(
        {
            "overall": [0.0123, 0.3, 0.04],
            "algorithm": [0.02, 0.2, 1.0],
            "interaction": [0.7, 0.6, 0.5],
        }
    )
    assert describe(found) == (
        "With these runs the smallest adjusted p possible is 0.00030. "
        "After Holm's adjustment the curves differ in 2 of 3 tables: game 1 and game 3 "
        "(smallest adjusted p = 0.012). After Holm's adjustment the curves differ in height "
        "in 1 of 3 tables: game 1 (smallest adjusted p = 0.020). After Holm's adjustment no "
        "difference in shape was detected in any of 3 tables (smallest adjusted p = 0.50)."
    )


def test_an_effect_that_no_table_has_is_passed_over() -> None:
    found = comparisons(
        {"overall": [0.3, 0.4], "algorithm": [0.35, 0.4]}, adjust="bonferroni", alpha=0.1
    )
    assert describe(found) == (
        "With these runs the smallest adjusted p possible is 0.00020. "
        "After Bonferroni's adjustment no difference was detected in any of 2 tables "
        "(smallest adjusted p = 0.30). After Bonferroni's adjustment no difference in height "
        "was detected in any of 2 tables (smallest adjusted p = 0.35)."
    )


def test_of_many_tables_six_are_named() -> None:
    found = comparisons({"overall": [0.001] * 9}, adjust="bh", at_least=8)
    assert describe(found) == (
        "With these runs the smallest adjusted p possible is 0.00010. After the "
        "Benjamini-Hochberg adjustment the curves differ in 9 of 9 tables: game 1, game 2, "
        "game 3, game 4, game 5, game 6 and 3 more (smallest adjusted p = 0.0010). With 95% "
        "confidence the curves differ in at least 8 of 9 tables, if the tables are independent."
    )


def test_tables_too_small_to_decide_are_told_so() -> None:
    tables = {"a": some_curves(0, (3, 3)), "b": some_curves(1, (3, 3))}
    assert describe(compare_many(tables, adjust="holm")) == (
        "In which of 2 tables the curves differ cannot be decided after Holm's adjustment: "
        "the smallest p possible is 0.20, above α = 0.05."
    )


def test_tables_too_small_one_by_one_can_still_differ_in_number() -> None:
    clear = Curves([[0.1], [0.2], [0.3], [9.1], [9.2], [9.3]], list("AAABBB"))
    assert describe(compare_many(dict.fromkeys("abcdef", clear))) == (
        "In which of 6 tables the curves differ cannot be decided after the "
        "Benjamini-Hochberg adjustment: the smallest p possible is 0.10, above α = 0.05. With "
        "95% confidence the curves differ in at least 4 of 6 tables, if the tables are "
        "independent."
    )


def test_a_table_that_stands_out_alone_needs_more_runs() -> None:
    tables = {str(seed): some_curves(seed, (5, 5)) for seed in range(8)}
    assert describe(compare_many(tables)).startswith(
        "With these runs the smallest adjusted p possible is 0.0079 (0.063 for a table that "
        "stands out alone). After the Benjamini-Hochberg adjustment no difference was "
        "detected in any of 8 tables"
    )


def test_only_results_are_described() -> None:
    with pytest.raises(OptionError) as refused:
        describe(some_curves(0))  # type: ignore[arg-type]
    assert str(refused.value) == ("There is nothing to say about a Curves: give a result.")
