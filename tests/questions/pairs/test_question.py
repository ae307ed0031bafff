from __future__ import annotations

import pickle
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves, CurvesError, OptionError, best, compare
from curvewise.inference.caveats import (
    DifferentSpread,
    InfiniteF,
    OfMembers,
    PooledErrorMisleads,
    SingleRun,
    SingleStep,
    TooFewRuns,
    TooFewShuffles,
)
from curvewise.kernels.contrasts import MAX_MEMBERS
from curvewise.kernels.pvalues import bonferroni, holm
from curvewise.questions.pairs import ask as question
from curvewise.questions.pairs.ask import compare_pairs
from curvewise.questions.pairs.result import LeftOut, TooManyPairs
from curvewise.shuffling.visit import FIRST_LOOK, Limits
from tests.questions.resuming import check_refuses, check_resumes, digits, progress_of
from tests.simulation import some_curves

if TYPE_CHECKING:
    from pathlib import Path

EFFECTS = ("overall", "algorithm", "interaction")


def spread_out(sizes: tuple[int, ...], gap: float, seed: int = 0) -> Curves:
    """Curves of algorithms that lie a gap apart."""
    curves = some_curves(seed, sizes)
    return Curves(curves.scores + gap * curves.codes[:, None], curves.labels)


@pytest.mark.parametrize("adjust", [None, "closed", "holm", "bonferroni", "max-t"])
def test_each_pair_is_compared_on_its_own_curves(adjust: Any) -> None:
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
            assert effect.pvalue_adjusted is not None
            assert effect.pvalue_adjusted >= effect.pvalue
            assert effect.statistic == getattr(alone, name).statistic
        assert pair.difference == alone.difference.value
        assert pair.interval == alone.difference.interval
        assert pair.hedges_g == alone.difference.hedges_g
        assert pair.probability_of_superiority == alone.difference.probability_of_superiority
        assert pair.confidence == 0.9
        assert pair.exact
        assert pair.n_relabellings == alone.n_relabellings
    assert pairs[0].n_runs == (5, 6)
    assert pairs[:2] == pairs.pairs[:2]


@pytest.mark.parametrize(("adjust", "adjuster"), [("holm", holm), ("bonferroni", bonferroni)])
def test_each_effect_is_adjusted_by_itself(adjust: Any, adjuster: object) -> None:
    pairs = compare_pairs(some_curves(2, (6, 6, 6, 6)), adjust=adjust)
    for name in EFFECTS:
        effects = [pair.effect(name) for pair in pairs]
        alone = np.array([effect.pvalue for effect in effects if effect])
        adjusted = [effect.pvalue_adjusted for effect in effects if effect]
        np.testing.assert_allclose(adjusted, adjuster(alone))  # type: ignore[operator, arg-type]


def test_shuffled_pairs_share_their_shuffles_and_repeat() -> None:
    curves = some_curves(3, (12, 12, 12))
    options: dict[str, Any] = {"exact": False, "n_shuffles": 999}
    found, again, other = (compare_pairs(curves, rng=seed, **options) for seed in (1, 1, 2))
    assert found.to_dict() == again.to_dict()
    assert found.to_dict() != other.to_dict()
    assert found.seed == 1
    assert compare_pairs(curves, n_jobs=2, rng=1, **options).to_dict() == found.to_dict()


def test_many_pairs_get_the_shuffles_that_their_adjustment_needs() -> None:
    curves = some_curves(0, (4, 4, 4))

    def n_shuffles(**options: Any) -> set[int]:
        pairs = compare_pairs(curves, exact=False, rng=0, **options)
        return {pair.n_shuffles for pair in pairs}

    assert n_shuffles() == n_shuffles(adjust="holm") == {9_999}
    assert n_shuffles(alpha=0.001, adjust="holm") == {60_000}
    assert n_shuffles(alpha=0.001) == {9_999}
    assert n_shuffles(alpha=0.001, adjust="max-t") == {9_999}
    assert n_shuffles(alpha=0.001, adjust="holm", n_shuffles=99) == {99}


def test_many_pairs_keep_little(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = some_curves(0, (8, 8, 8))
    whole = compare_pairs(curves)[0].algorithm
    monkeypatch.setattr("curvewise.questions.pairs.ask.MAX_PAIRS_WITH_NULLS", 2)
    thin = compare_pairs(curves)[0].algorithm
    assert len(whole.null_distribution) == 6_435
    assert len(thin.null_distribution) == 1_000
    assert thin.pvalue == whole.pvalue
    assert thin.critical_value == whole.critical_value
    quantiles = np.quantile(whole.null_distribution, [0.5, 0.9])
    np.testing.assert_allclose(
        np.quantile(thin.null_distribution, [0.5, 0.9]), quantiles, rtol=0.05
    )
    assert callable(thin.null)
    copied = pickle.loads(pickle.dumps(compare_pairs(curves)))[0].algorithm  # noqa: S301
    np.testing.assert_array_equal(copied.null_distribution, thin.null_distribution)


@pytest.mark.parametrize("most", [4, pytest.param(8, marks=pytest.mark.slow)])
def test_how_p_is_adjusted_by_default(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_MEMBERS == 8
    monkeypatch.setattr(question, "MAX_MEMBERS", most)

    def chosen(n: int, **options: Any) -> str:
        scores = some_curves(0, (2 * n,)).scores
        curves = Curves(scores, np.repeat([f"A{i}" for i in range(n)], 2))
        return compare_pairs(curves, n_shuffles=19, rng=0, **options).adjust

    assert chosen(2) == chosen(most) == "closed"
    assert chosen(most + 1) == "max-t"
    assert chosen(3, error="pooled") == chosen(most + 1, error="pooled") == "holm"


def test_closed_testing_is_refused_where_it_has_no_form() -> None:
    curves = Curves(some_curves(0, (18,)).scores, np.repeat(list("ABCDEFGHI"), 2))
    with pytest.raises(OptionError) as refused:
        compare_pairs(curves, adjust="closed")
    assert refused.value.option == "adjust"
    assert str(refused.value) == (
        "Closed testing goes through all partitions of the algorithms: of 9 algorithms there "
        'are too many, 8 are the most. Use adjust="max-t".'
    )
    with pytest.raises(OptionError) as refused:
        compare_pairs(some_curves(0, (3, 3)), adjust="closed", error="pooled")
    assert refused.value.option == "adjust"
    assert str(refused.value) == (
        "Closed testing compares sums of squares, each with its own error term, and has no form "
        'for pooled errors. Use adjust="holm", or error="split".'
    )


def test_options_that_mean_nothing_are_refused() -> None:
    curves = some_curves(0, (5, 5, 5))
    with pytest.raises(OptionError, match=r"adjust must be .* or 'max-t', not 'tukey'"):
        compare_pairs(curves, adjust="tukey")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="error must be 'split' or 'pooled', not 'both'"):
        compare_pairs(curves, error="both")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"compare_pairs\(\) takes Curves"):
        compare_pairs(None)  # type: ignore[arg-type]
    with pytest.raises(CurvesError, match="at least two algorithms"):
        compare_pairs(some_curves(0, (5,)))
    with pytest.raises(CurvesError, match="Every algorithm has a single run"):
        compare_pairs(some_curves(0, (1, 1, 1)))
    with pytest.raises(OptionError, match="n_shuffles must be a positive integer"):
        compare_pairs(curves, n_shuffles=0)


def test_six_algorithms_of_five_runs_cannot_be_told_apart_by_holm() -> None:
    curves = spread_out((5,) * 6, 50)
    pairs = compare_pairs(curves, adjust="holm")
    assert not pairs.significant()
    assert pairs.caveats == (TooManyPairs(15, 15 / 126, 0.05, True, 6, "closed"),)
    assert len(compare_pairs(curves, adjust="max-t", rng=0).significant()) == 15
    closed = compare_pairs(curves, rng=0)
    assert closed.caveats == ()
    assert [pair.algorithm.pvalue_adjusted for pair in closed] == [1 / 126] * 15
    enough = compare_pairs(spread_out((6,) * 6, 50), adjust="holm")
    assert len(enough.significant()) == 15
    assert not any(isinstance(caveat, TooManyPairs) for caveat in enough.caveats)


def test_too_few_shuffles_are_told_once() -> None:
    options: dict[str, Any] = {"adjust": "holm", "exact": False}
    few = compare_pairs(spread_out((9,) * 3, 50), n_shuffles=50, **options)
    assert few.caveats == (TooManyPairs(3, 3 / 51, 0.05, False, 5, "closed"),)
    assert few.warnings[0].endswith("Use at least n_shuffles=59.")
    # Ten shuffles are too few for every pair alone: that is not said three times more.
    fewer = compare_pairs(spread_out((9,) * 3, 50), n_shuffles=10, **options)
    assert fewer.caveats == (TooManyPairs(3, 3 / 11, 0.05, False, 5, "closed"),)


@pytest.mark.parametrize("exact", [None, False])
@pytest.mark.parametrize("adjust", ["closed", "max-t"])
def test_too_few_shuffles_of_all_algorithms_are_told(adjust: Any, exact: bool | None) -> None:
    """Also where the pairs themselves are exact."""
    curves = spread_out((5, 5, 5, 5), 50)
    options: dict[str, Any] = {"adjust": adjust, "exact": exact, "rng": 0}
    pairs = compare_pairs(curves, n_shuffles=9, **options)
    assert not pairs.significant()
    assert pairs.caveats == (TooFewShuffles(9, 0.05),)
    enough = compare_pairs(curves, n_shuffles=99, **options)
    assert enough.caveats == ()
    assert len(enough.significant()) == 6


def test_where_all_partitions_are_visited_whole_shuffles_do_not_matter() -> None:
    few = compare_pairs(spread_out((4, 4, 4), 50), n_shuffles=1)
    assert few.caveats == ()
    assert [pair.algorithm.pvalue_adjusted for pair in few] == [1 / 35] * 3


@pytest.mark.parametrize(
    ("blocks", "n_enough"), [(None, 5), ([0, 0, 1, 1] * 3, None), (list("xyxy") * 3, None)]
)
def test_how_many_runs_would_do_is_told_where_that_is_known(
    blocks: list[Any] | None, n_enough: int | None
) -> None:
    scores = some_curves(0, (4, 4, 4)).scores
    curves = Curves(scores, np.repeat(list("ABC"), 4), blocks=blocks)
    (caveat, *_) = compare_pairs(curves, adjust="holm").caveats
    assert isinstance(caveat, TooManyPairs)
    assert caveat.by_runs
    assert caveat.n_enough == n_enough


def test_what_could_decide_instead_is_told_where_there_is_such_an_adjustment() -> None:
    def instead(n: int, n_runs: int, **options: Any) -> str | None:
        scores = some_curves(0, (n * n_runs,)).scores
        curves = Curves(scores, np.repeat([f"A{i}" for i in range(n)], n_runs))
        (caveat, *_) = compare_pairs(curves, adjust="holm", **options).caveats
        assert isinstance(caveat, TooManyPairs)
        return caveat.instead

    assert instead(3, 4) == "closed"
    assert instead(9, 4) == instead(3, 4, error="pooled") == "max-t"
    assert instead(3, 3) is None


@pytest.mark.parametrize("adjust", ["closed", "max-t"])
def test_a_pair_of_too_few_runs_is_told_whatever_the_others_have(adjust: Any) -> None:
    """No adjusted p is below that of the pair alone."""
    few = compare_pairs(spread_out((3, 3, 3), 50), adjust=adjust, rng=0)
    assert few.caveats == (TooFewRuns((3, 3), 1 / 10, 0.05, 4),)
    some = compare_pairs(spread_out((3, 3, 5), 50), adjust=adjust, rng=0)
    assert some.caveats == (OfMembers(("A and B",), TooFewRuns((3, 3), 0.1, 0.05, 4)),)
    assert len(some.significant()) == 2


def test_pairs_that_cannot_be_compared_are_left_out_by_reason() -> None:
    labels = ["A", "A", "A", "B", "B", "B", "C", "D"]
    scores = some_curves(0, (8,)).scores
    pairs = compare_pairs(Curves(scores, labels))
    assert len(pairs) == 5
    (left_out,) = (caveat for caveat in pairs.caveats if isinstance(caveat, LeftOut))
    assert left_out.pairs == ("C and D",)
    assert left_out.sentence().startswith(
        "Left out: C and D. Every algorithm has a single run, so nothing tells"
    )
    with pytest.raises(OptionError, match="'C' and 'D' were not compared"):
        pairs.pair("C", "D")

    blocks = [0, 0, 0, 0, 1, 1, 1, 1]
    apart = Curves(scores, list("AABBCCDD"), blocks=blocks)
    pairs = compare_pairs(apart)
    assert [(pair.a, pair.b) for pair in pairs] == [("A", "B"), ("C", "D")]
    left = [caveat for caveat in pairs.caveats if isinstance(caveat, LeftOut)]
    assert [caveat.pairs for caveat in left] == [
        ("A and C",),
        ("A and D",),
        ("B and C",),
        ("B and D",),
    ]
    assert all("No block holds both" in caveat.reason for caveat in left)
    with pytest.raises(CurvesError, match="No block holds both"):
        compare_pairs(apart, adjust="max-t")

    same = np.vstack([np.tile(scores[0], (9, 1)), scores[1:4]])
    pairs = compare_pairs(Curves(same, list("AAABBBCCCDDD")))
    (left_out,) = (caveat for caveat in pairs.caveats if isinstance(caveat, LeftOut))
    assert left_out.pairs == ("A and B", "A and C", "B and C")
    assert left_out.reason.startswith("All runs have the same curve")


def test_where_no_pair_can_be_compared_the_reason_is_told() -> None:
    """Blocks of two runs: enough for three algorithms together, not for any two."""
    labels, blocks = list("ABBCAC"), [0, 0, 1, 1, 2, 2]
    curves = Curves(some_curves(0, (6,)).scores, labels, blocks=blocks)
    assert compare(curves).n_relabellings > 1
    with pytest.raises(CurvesError) as refused:
        compare_pairs(curves)
    assert str(refused.value) == (
        "No two algorithms can be compared; A and B: 4 runs in 3 blocks leave nothing to "
        "tell 2 algorithms from chance. Use larger or more blocks."
    )
    # What is wrong with all of them is told of all of them.
    apart = Curves(curves.scores, list("AAABBB"), blocks=[0, 0, 0, 1, 1, 1])
    with pytest.raises(CurvesError, match=r"^No block holds both"):
        compare_pairs(apart)


def test_caveats_of_pairs_are_passed_on_with_their_pairs() -> None:
    """By kind, wherever they stand: too few runs come first, and are not repeated."""
    scores = some_curves(0, (8,)).scores
    single = compare_pairs(Curves(scores, list("AAABBBCD")))
    assert OfMembers(("A and C", "B and C"), SingleRun("C")) in single.caveats
    assert OfMembers(("A and D", "B and D"), SingleRun("D")) in single.caveats
    holm = compare_pairs(Curves(scores, list("AAABBBCD")), adjust="holm")
    kinds = [caveat.kind for caveat in holm.caveats]
    assert kinds == ["too many pairs", "left out", "single run", "single run"]

    step = compare_pairs(some_curves(0, (3, 3, 3), n_steps=1))
    assert step.caveats[1:] == (OfMembers(("A and B", "A and C", "B and C"), SingleStep()),)
    assert step.warnings[1] == (
        "A and B; A and C; B and C: There is a single step, so curves have no shape: only "
        "height is compared."
    )


def test_every_other_kind_of_caveat_is_passed_on() -> None:
    # Runs of A and B are equal, so that F of their pair is infinite.
    flat = np.repeat([0.1, 0.2, 0.3], 5)[:, None] * np.ones(4)
    flat[10:] += np.random.default_rng(0).normal(size=(5, 4))
    found = compare_pairs(Curves(flat, np.repeat(list("ABC"), 5)))
    assert OfMembers(("A and B",), InfiniteF("algorithm")) in found.caveats

    rng = np.random.default_rng(1)
    wide = rng.normal(size=(24, 3)) * np.repeat([9.0, 0.5], [8, 16])[:, None]
    found = compare_pairs(Curves(wide, np.repeat(list("AB"), [8, 16])), n_shuffles=99)
    # Spread is told once for all algorithms, not again for each pair.
    (told,) = found.caveats
    assert isinstance(told, DifferentSpread)

    # A strong difference in shape, which with pooled errors can pass for one in height.
    ramp = (0.8 + np.linspace(-3, 3, 6)) * np.repeat([0, 1], 6)[:, None]
    steep = Curves(some_curves(4, (6, 6)).scores + ramp, np.repeat(list("AB"), 6))
    found = compare_pairs(steep, error="pooled")
    misleading = [c for c in found.caveats if isinstance(c, OfMembers)]
    assert [caveat.members for caveat in misleading] == [("A and B",)] * 2
    for caveat in misleading:
        assert isinstance(caveat.caveat, PooledErrorMisleads)
        assert caveat.kind == "pooled error misleads"
        assert caveat.caveat in compare(steep, error="pooled").caveats


CURVES = some_curves(3, (7, 7, 7))
GIVEN: dict[str, Any] = {"n_shuffles": 4_999, "exact": False, "rng": 3}


def ask(adjust: str, **options: Any) -> Any:
    return partial(compare_pairs, CURVES, adjust=adjust, **{**GIVEN, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize("adjust", ["closed", "holm", "max-t"])
def test_interrupted_work_goes_on_with_the_same_digits(
    adjust: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_resumes(ask(adjust), tmp_path / "work", monkeypatch)


@pytest.mark.parametrize("adjust", ["closed", "holm", "max-t"])
def test_the_checkpoint_of_other_pairs_is_refused(adjust: Any, tmp_path: Path) -> None:
    scores, labels = CURVES.scores, CURVES.labels
    few: dict[str, Any] = {**GIVEN, "n_shuffles": 99}

    def on(curves: Curves) -> Any:
        return partial(compare_pairs, curves, adjust=adjust, **few)

    other = "bonferroni" if adjust == "max-t" else "max-t"
    check_refuses(
        ask(adjust, n_shuffles=99),
        {
            "scores": on(Curves(scores + np.eye(21, 6), labels)),
            "labels": on(Curves(scores, labels[::-1])),
            "names": on(Curves(scores, [name.lower() for name in labels])),
            "order of the algorithms": on(CURVES.select("B", "A", "C")),
            "blocks": on(Curves(scores, labels, blocks=list(range(7)) * 3)),
            "precision": on(Curves(scores, labels, precision=1e-3)),
            "adjust": ask(other, n_shuffles=99),
            "error": ask(other, n_shuffles=99, error="pooled"),
            "alpha": ask(adjust, n_shuffles=99, alpha=0.1),
            "n_shuffles": ask(adjust, n_shuffles=98),
            "exact": ask(adjust, n_shuffles=99, exact=None),
            "rng": ask(adjust, n_shuffles=99, rng=4),
            "question": partial(best, CURVES, **few),
        },
        tmp_path / "work",
    )


def test_without_a_seed_the_first_one_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "work"
    first = ask("max-t", rng=None)(checkpoint=path)
    assert digits(ask("max-t", rng=None)(checkpoint=path)) == digits(first)
    assert digits(ask("max-t", rng=None)()) != digits(first)


@pytest.mark.parametrize("adjust", ["closed", "holm", "max-t"])
def test_jobs_change_no_digit(adjust: str) -> None:
    assert digits(ask(adjust, n_jobs=2)()) == digits(ask(adjust)())


def test_progress_is_reported_by_pair_and_then_of_all_algorithms() -> None:
    by_pair = [(1, 3), (2, 3), (3, 3)]
    assert progress_of(ask("holm")) == [by_pair]
    # The one partition beyond the pairs has five batches.
    assert progress_of(ask("closed")) == [by_pair, [(n, 5) for n in range(1, 6)]]
    # Max-t shuffles residuals, then curves: five batches in chunks of four, twice.
    assert progress_of(ask("max-t")) == [by_pair, [(4, 5), (5, 5)], [(4, 5), (5, 5)]]


@pytest.mark.parametrize("adjust", ["closed", "holm", "max-t"])
def test_auto_stops_where_the_verdict_is_settled(adjust: Any) -> None:
    curves = spread_out((8, 8, 8), 20)
    options: dict[str, Any] = {"adjust": adjust, "exact": False, "rng": 3}
    auto = compare_pairs(curves, n_shuffles="auto", **options)
    assert {pair.n_shuffles for pair in auto} == {FIRST_LOOK}
    assert digits(auto) == digits(compare_pairs(curves, n_shuffles=FIRST_LOOK, **options))


def test_auto_settles_p_at_the_level_of_the_family_too() -> None:
    """The smallest p is held against alpha / 3 by Holm, so it must be settled there."""
    curves = some_curves(3, (12, 12))
    options: dict[str, Any] = {"exact": False, "rng": 3}
    by_holm: dict[str, Any] = {**options, "adjust": "holm"}
    again = np.vstack([curves.scores, curves.scores[:12]])
    three = Curves(again, np.repeat(list("ABC"), 12))
    p = compare_pairs(three, n_shuffles=2**15, **by_holm)[0].algorithm.pvalue
    # An alpha that is far from p, and near it when divided by three.
    options["alpha"] = by_holm["alpha"] = alpha = 3.15 * p
    found = compare_pairs(three, n_shuffles="auto", **by_holm)
    alone = compare(curves, n_shuffles="auto", **options)
    assert alone.n_shuffles == FIRST_LOOK < found[0].n_shuffles
    assert found[0].algorithm.pvalue < alpha / 3


@pytest.mark.parametrize("rule", ["auto", "precise"])
def test_max_t_goes_on_to_its_limit(rule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    curves, options = some_curves(4, (4, 4, 4)), {"adjust": "max-t", "rng": 3}
    alpha = 0.05
    if rule == "auto":
        # The clearest pair has its p at alpha, which no number of shuffles settles.
        found = compare_pairs(curves, n_shuffles=2**15, **options)  # type: ignore[arg-type]
        alpha = min(pair.algorithm.pvalue_adjusted or 1.0 for pair in found)
    else:
        curves = spread_out((4, 4, 4), 1e6)
    monkeypatch.setattr("curvewise.questions.pairs.method.LIMITS", Limits(shuffles=2**15))
    ruled = compare_pairs(curves, alpha=alpha, n_shuffles=rule, **options)  # type: ignore[arg-type]
    most = compare_pairs(curves, alpha=alpha, n_shuffles=2**15, **options)  # type: ignore[arg-type]
    fewer = compare_pairs(curves, alpha=alpha, n_shuffles=FIRST_LOOK, **options)  # type: ignore[arg-type]
    assert digits(ruled) == digits(most) != digits(fewer)
