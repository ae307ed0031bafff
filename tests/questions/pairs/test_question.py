from __future__ import annotations

import json
import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, CurvesError, OptionError, compare
from curvewise.kernels.adjustments import bonferroni, holm
from curvewise.questions.pairs.letters import letters
from curvewise.questions.pairs.question import compare_pairs
from tests.simulation import some_curves

EFFECTS = ("overall", "algorithm", "interaction")


def spread_out(sizes: tuple[int, ...], gap: float, seed: int = 0) -> Curves:
    """Curves of algorithms that lie a gap apart."""
    curves = some_curves(seed, sizes)
    return Curves(curves.scores + gap * curves.codes[:, None], curves.labels)


@pytest.mark.parametrize("adjust", ["holm", "bonferroni", "max-t"])
def test_each_pair_is_compared_on_its_own_curves(adjust: str) -> None:
    curves = some_curves(1, (5, 6, 4))
    pairs = compare_pairs(curves, adjust=adjust, alpha=0.1, rng=0)
    assert [(pair.a, pair.b) for pair in pairs] == list(combinations("ABC", 2))
    for pair in pairs:
        alone = compare(curves.select(pair.a, pair.b), alpha=0.1)
        assert alone.difference is not None
        for name in EFFECTS:
            effect = pair.effect(name)
            assert effect is not None
            assert effect.pvalue == getattr(alone, name).pvalue
            assert effect.statistic == getattr(alone, name).statistic
        assert pair.difference == alone.difference.value
        assert pair.interval == alone.difference.interval
        assert pair.hedges_g == alone.difference.hedges_g
        assert (
            pair.probability_of_superiority == alone.difference.probability_of_superiority
        )
        assert pair.confidence == 0.9
        assert pair.exact
        assert pair.n_relabellings == alone.n_relabellings
    assert pairs[0].n_runs == (5, 6)
    assert pairs[:2] == pairs.pairs[:2]


@pytest.mark.parametrize(
    ("adjust", "adjuster"), [("holm", holm), ("bonferroni", bonferroni)]
)
def test_each_effect_is_adjusted_by_itself(adjust: str, adjuster: object) -> None:
    pairs = compare_pairs(some_curves(2, (6, 6, 6, 6)), adjust=adjust)
    for name in EFFECTS:
        effects = [pair.effect(name) for pair in pairs]
        alone = np.array([effect.pvalue for effect in effects if effect])
        adjusted = [effect.pvalue_adjusted for effect in effects if effect]
        np.testing.assert_allclose(adjusted, adjuster(alone))  # type: ignore[operator, arg-type]


def test_shuffled_pairs_share_their_shuffles_and_repeat() -> None:
    curves = some_curves(3, (12, 12, 12))
    options: dict[str, Any] = {"exact": False, "n_shuffles": 999}
    found, again, other = (
        compare_pairs(curves, rng=seed, **options) for seed in (1, 1, 2)
    )
    assert found.to_dict() == again.to_dict()
    assert found.to_dict() != other.to_dict()
    assert found.seed == 1
    assert compare_pairs(curves, n_jobs=2, rng=1, **options).to_dict() == found.to_dict()


def test_many_pairs_get_the_shuffles_that_their_adjustment_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def counted(curves: Curves, **options: int) -> object:
        asked.append(options["n_shuffles"])
        return compare(curves, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("curvewise.questions.pairs.question.compare", counted)
    compare_pairs(some_curves(0, (4, 4, 4)))
    assert set(asked) == {9_999}
    asked.clear()
    compare_pairs(some_curves(0, (4, 4, 4)), alpha=0.001)
    assert set(asked) == {60_000}
    asked.clear()
    compare_pairs(some_curves(0, (4, 4, 4)), alpha=0.001, adjust="max-t")
    assert set(asked) == {9_999}


def test_lookup_in_either_order() -> None:
    pairs = compare_pairs(some_curves(0, (5, 5, 5)))
    assert pairs.pair("A", "C") is pairs[1]
    other = pairs.pair("C", "A")
    assert (other.a, other.difference) == ("C", -pairs[1].difference)
    assert other.interval == (-pairs[1].interval.high, -pairs[1].interval.low)
    assert other.probability_of_superiority == 1 - pairs[1].probability_of_superiority
    assert len(pairs) == 3
    with pytest.raises(
        OptionError, match=r"No algorithm is called 'a'.*did you mean 'A'"
    ):
        pairs.pair("a", "B")
    with pytest.raises(OptionError, match="'A' and 'A' were not compared"):
        pairs.pair("A", "A")
    with pytest.raises(OptionError, match="No effect is called 'height'"):
        pairs.significant("height")


def test_letters_are_shared_by_those_not_told_apart() -> None:
    assert letters(["A", "B"], []) == {"A": "a", "B": "a"}
    assert letters(list("ABC"), [("A", "B"), ("B", "C"), ("A", "C")]) == {
        "A": "a",
        "B": "b",
        "C": "c",
    }
    pairs = compare_pairs(spread_out((8, 8, 8), 20))
    assert pairs.letters == {"A": "a", "B": "b", "C": "c"}


@pytest.mark.parametrize("seed", range(20))
def test_letters_say_all_and_no_more(seed: int) -> None:
    """Two share a letter exactly if they are not told apart; no letter is superfluous."""
    rng = np.random.default_rng(seed)
    names = [str(i) for i in range(8)]
    every = list(combinations(names, 2))
    apart = {pair for pair in every if rng.random() < 0.5}
    shown = letters(names, sorted(apart, key=lambda _: rng.random()))
    for a, b in every:
        assert bool(set(shown[a]) & set(shown[b])) == ((a, b) not in apart)
    groups = [
        {name for name in names if letter in shown[name]}
        for letter in sorted(set("".join(shown.values())))
    ]
    assert not any(one < other for one in groups for other in groups)


def test_six_algorithms_of_five_runs_cannot_be_told_apart_by_holm() -> None:
    curves = spread_out((5,) * 6, 50)
    pairs = compare_pairs(curves)
    assert not pairs.significant()
    assert (
        "smallest p possible is 0.119 after adjustment for 15 pairs" in pairs.warnings[0]
    )
    assert (
        'Use 6 runs of each algorithm, or adjust="max-t" (--adjust max-t).'
        in pairs.warnings[0]
    )
    assert len(compare_pairs(curves, adjust="max-t", rng=0).significant()) == 15
    assert len(compare_pairs(spread_out((6,) * 6, 50)).significant()) == 15
    few = compare_pairs(spread_out((9,) * 3, 50), exact=False, n_shuffles=50)
    assert "Use at least 59 shuffles" in few.warnings[0]


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


def test_what_cannot_be_compared_is_left_out_and_named() -> None:
    labels = ["A", "A", "A", "B", "B", "B", "C", "D"]
    scores = some_curves(0, (8,)).scores
    pairs = compare_pairs(Curves(scores, labels))
    assert len(pairs) == 5
    left = [text for text in pairs.warnings if text.startswith("Left out")]
    assert len(left) == 1
    assert left[0].startswith("Left out: C and D. Every algorithm has a single run")
    with pytest.raises(OptionError, match="'C' and 'D' were not compared"):
        pairs.pair("C", "D")
    assert any("C has a single run" in text for text in pairs.warnings)

    blocks = [0, 0, 0, 0, 1, 1, 1, 1]
    apart = Curves(scores, list("AABBCCDD"), blocks=blocks)
    pairs = compare_pairs(apart)
    assert [(pair.a, pair.b) for pair in pairs] == [("A", "B"), ("C", "D")]
    assert "Left out: A and C. No block holds both" in " ".join(pairs.warnings)
    with pytest.raises(CurvesError, match="No block holds both"):
        compare_pairs(apart, adjust="max-t")

    same = np.vstack([np.tile(scores[0], (6, 1)), scores[1:4]])
    pairs = compare_pairs(Curves(same, list("AAABBBCCC")))
    assert any(
        text.startswith("Left out: A and B. All runs have the same curve")
        for text in pairs.warnings
    )


def test_max_t_of_two_is_never_below_their_own_p() -> None:
    """Where all algorithms are two, shuffling them is exact."""
    for seed in range(5):
        pairs = compare_pairs(some_curves(seed, (4, 4)), adjust="max-t", rng=0)
        for name in EFFECTS:
            effect = pairs[0].effect(name)
            assert effect is not None
            assert effect.pvalue_adjusted is not None
            assert effect.pvalue_adjusted > effect.pvalue - 0.02
    few = compare_pairs(some_curves(0, (2, 2, 2)), adjust="max-t", rng=0)
    assert "smallest p possible is 0.0667" in few.warnings[0]


def test_without_error_max_t_is_not_nan() -> None:
    curves = Curves(
        np.repeat([0.1, 0.2, 0.3], 5)[:, None] * np.ones(4), np.repeat(list("ABC"), 5)
    )
    pairs = compare_pairs(curves, adjust="max-t", rng=0, n_shuffles=99)
    for pair in pairs:
        assert pair.algorithm.pvalue_adjusted is not None
        assert not math.isnan(pair.algorithm.pvalue_adjusted)
        assert pair.algorithm.significant


def test_options_that_mean_nothing_are_refused() -> None:
    curves = some_curves(0, (5, 5, 5))
    with pytest.raises(OptionError, match="No adjustment is called 'tukey'"):
        compare_pairs(curves, adjust="tukey")
    with pytest.raises(OptionError, match="No error term is called"):
        compare_pairs(curves, error="both")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"compare_pairs\(\) takes Curves"):
        compare_pairs(None)  # type: ignore[arg-type]
    with pytest.raises(CurvesError, match="at least two algorithms"):
        compare_pairs(some_curves(0, (5,)))
    with pytest.raises(CurvesError, match="Every algorithm has a single run"):
        compare_pairs(some_curves(0, (1, 1, 1)))
    with pytest.raises(OptionError, match="n_shuffles must be a whole number"):
        compare_pairs(curves, n_shuffles=0)


def test_many_pairs_keep_little(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = some_curves(0, (8, 8, 8))
    whole = compare_pairs(curves)[0].algorithm
    monkeypatch.setattr("curvewise.questions.pairs.question.MANY_PAIRS", 2)
    thin = compare_pairs(curves)[0].algorithm
    assert len(whole.null_distribution) == 6_435
    assert len(thin.null_distribution) == 1_000
    assert thin.pvalue == whole.pvalue
    assert thin.critical_value == whole.critical_value
    quantiles = np.quantile(whole.null_distribution, [0.5, 0.9])
    np.testing.assert_allclose(
        np.quantile(thin.null_distribution, [0.5, 0.9]), quantiles, rtol=0.05
    )


def test_results_are_shown() -> None:
    pairs = compare_pairs(spread_out((5, 5, 5), 3), adjust="max-t", rng=0)
    shown = json.loads(json.dumps(pairs.to_dict()))
    assert shown["question"] == "compare_pairs"
    assert shown["pairs"][0]["algorithm"]["pvalue_adjusted"] <= 0.05
    assert shown["letters"] == dict(pairs.letters)
    assert "share a letter" in str(pairs)
    assert "approximate" in str(pairs)
    assert "<table>" in pairs._repr_html_()
    single = compare_pairs(some_curves(0, (3, 3), n_steps=1))
    assert json.dumps(single.to_dict())
    assert "Warning: With these runs" in str(single)
    assert "single step" in pairs_text(single.warnings)


def pairs_text(warnings: tuple[str, ...]) -> str:
    return " ".join(warnings)
