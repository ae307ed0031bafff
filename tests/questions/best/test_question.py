from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves, CurvesError, OptionError, compare, compare_pairs
from curvewise.inference.caveats import DifferentSpread, SingleRun, TooFewRuns, TooFewShuffles
from curvewise.questions.best.ask import best
from curvewise.questions.best.result import KeptUncompared, TooFewToRuleOut
from curvewise.questions.contrast.ask import contrast
from curvewise.shuffling.visit import FIRST_LOOK, Limits
from tests.questions.resuming import check_refuses, check_resumes, digits, progress_of
from tests.simulation import some_curves

if TYPE_CHECKING:
    from pathlib import Path


def stairs(sizes: tuple[int, ...], levels: list[float], seed: int = 0) -> Curves:
    """Curves of algorithms at given heights."""
    curves = some_curves(seed, sizes)
    return Curves(curves.scores + np.array(levels)[curves.codes][:, None], curves.labels)


@pytest.mark.parametrize("adjust", ["closed", "bonferroni", "max-t"])
def test_the_leader_first_then_those_not_told_from_it(adjust: Any) -> None:
    found = best(stairs((7, 7, 7, 7), [0, 20, 19.8, 5]), adjust=adjust, rng=0)
    assert found.leader == found.contenders[0]
    assert set(found.contenders) == {"B", "C"}
    assert found.worse == ("D", "A")
    assert [row.name for row in found.rows] == [*found.contenders, *found.worse]
    means = [row.mean for row in found.rows]
    assert means == sorted(means, reverse=True)


@pytest.mark.parametrize("adjust", ["closed", "bonferroni", "max-t"])
def test_lower_may_be_better(adjust: Any) -> None:
    curves = stairs((6, 6, 6), [0, 3, 6])
    turned = Curves(-curves.scores, curves.labels, higher_is_better=False)
    found, other = (best(each, adjust=adjust, rng=0) for each in (curves, turned))
    assert found.contenders == other.contenders == ("C",)
    for one, two in zip(found.rows[1:], other.rows[1:], strict=True):
        assert one.name == two.name
        assert one.pvalue == two.pvalue
        assert one.difference is not None
        assert two.difference == pytest.approx(-one.difference)
        assert one.interval is not None
        assert two.interval is not None
        # The order of runs is turned round, so that other shuffles are drawn.
        near = 1e-9 if adjust == "bonferroni" else 0.05
        assert two.interval.low == pytest.approx(-one.interval.high, abs=near)
        if adjust == "bonferroni":
            assert one.pvalue_adjusted == two.pvalue_adjusted


def test_every_p_is_that_of_the_pair_times_the_others() -> None:
    curves = stairs((5, 6, 4), [0, 1, 0.5])
    found = best(curves, adjust="bonferroni")
    for row in found.rows[1:]:
        alone = contrast(
            curves, {found.leader: 1, row.name: -1}, alternative="greater", alpha=0.025
        )
        assert row.pvalue == alone.pvalue
        assert row.pvalue_adjusted == min(1, 2 * alone.pvalue)
        assert row.difference == -alone.value
        assert row.interval == (-alone.interval.high, -alone.interval.low)
        assert row.interval.low == -math.inf
    assert found.rows[0].pvalue is None
    assert found.rows[0].difference == 0


@pytest.mark.parametrize("adjust", ["closed", "bonferroni", "max-t"])
def test_the_interval_excludes_zero_exactly_when_told_worse(adjust: Any) -> None:
    for seed in range(15):
        found = best(stairs((5, 5, 6), [0, 1, 1.5], seed), adjust=adjust, rng=0)
        for row in found.rows[1:]:
            assert row.interval is not None
            assert row.contends == (row.interval.high >= 0)


@pytest.mark.parametrize("adjust", [None, "closed", "bonferroni", "max-t"])
@pytest.mark.parametrize("sizes", [(5, 5), (3, 7), (24, 23)])
def test_of_two_algorithms_no_more_is_said_than_by_comparing_them(
    sizes: tuple[int, int], adjust: Any
) -> None:
    curves = stairs(sizes, [0, 1], 2)
    found, compared = best(curves, adjust=adjust, rng=3), compare(curves, rng=3)
    (pair,) = compare_pairs(curves, rng=3)
    row = found.rows[1]
    assert found.adjust == "closed"
    assert row.pvalue == row.pvalue_adjusted
    if sizes != (24, 23):
        assert row.pvalue == compared.algorithm.pvalue == pair.algorithm.pvalue_adjusted
    else:
        assert row.pvalue == pytest.approx(compared.algorithm.pvalue, abs=0.02)
    assert row.contends == (row.interval is not None and row.interval.high >= 0)
    assert best(stairs((3, 3), [0, 40])).worse == ()
    assert best(stairs((5, 5), [0, 4])).worse == ("A",)


@pytest.mark.parametrize("seed", range(8))
def test_what_pairs_tell_apart_from_the_leader_is_ruled_out(seed: int) -> None:
    curves = stairs((5, 5, 5, 5), [0, 0.8, 1.2, 1.6], seed)
    found = best(curves, rng=seed, n_shuffles=999)
    pairs = compare_pairs(curves, rng=seed, n_shuffles=999)
    for row in found.rows[1:]:
        pair = pairs.pair(found.leader, row.name)
        assert row.pvalue == pair.algorithm.pvalue
        assert row.pvalue_adjusted is not None
        assert row.pvalue_adjusted >= row.pvalue
        if pair.algorithm.significant:
            assert not row.contends


def test_how_p_is_adjusted_by_default() -> None:
    scores = some_curves(0, (18,)).scores
    nine = Curves(scores, np.repeat(list("ABCDEFGHI"), 2))
    assert best(nine, n_shuffles=19, rng=0).adjust == "max-t"
    eight = Curves(scores[:16], np.repeat(list("ABCDEFGH"), 2))
    assert best(eight, n_shuffles=19, rng=0).adjust == "closed"
    with pytest.raises(OptionError) as refused:
        best(nine, adjust="closed")
    assert str(refused.value) == (
        "Closed testing goes through all sets of up to 8 algorithms, and there are 9. Use "
        'adjust="max-t".'
    )
    assert refused.value.option == "adjust"


def test_the_leader_is_found_within_blocks() -> None:
    """A is better in every block, but ran mostly in the hard one."""
    rng = np.random.default_rng(0)
    labels = list("AAAAB" + "ABBBB")
    blocks = [0] * 5 + [1] * 5
    scores = rng.normal(size=(10, 3)) * 0.1
    scores += 10 * np.array(blocks)[:, None] + (np.array(labels) == "A")[:, None]
    curves = Curves(scores, labels, blocks=blocks)
    assert curves.select("A").scores.mean() < curves.select("B").scores.mean()
    found = best(curves, adjust="max-t", rng=0)
    assert found.leader == "A"
    assert found.rows[1].difference == pytest.approx(-1, abs=0.2)
    assert best(curves).leader == "A"


def test_equal_algorithms_all_contend() -> None:
    scores = np.tile([[0.1, 0.2], [0.3, 0.1], [0.2, 0.2]], (3, 1))
    for adjust in ("bonferroni", "max-t"):
        found = best(Curves(scores, np.repeat(list("ABC"), 3)), adjust=adjust, rng=0)
        assert found.contenders == ("A", "B", "C")
    apart = Curves(np.repeat([0.1, 0.2, 0.3], 5)[:, None] * np.ones(2), np.repeat(list("ABC"), 5))
    found = best(apart, adjust="max-t", rng=0)
    assert found.contenders == ("C",)
    assert not any(math.isnan(x) for row in found.rows[1:] for x in (row.interval or ()))


def test_the_same_rng_gives_the_same_digits() -> None:
    curves = stairs((5, 5, 5), [0, 1, 1])
    found, again, other = (best(curves, adjust="max-t", rng=seed) for seed in (1, 1, 2))
    assert found.to_dict() == again.to_dict()
    assert found.seed == 1
    assert found.to_dict() != other.to_dict()


def test_what_means_nothing_is_refused() -> None:
    curves = some_curves(0, (5, 5, 5))
    with pytest.raises(
        OptionError, match="adjust must be 'closed', 'bonferroni' or 'max-t', not 'holm'"
    ):
        best(curves, adjust="holm")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"best\(\) takes Curves, not a int"):
        best(3)  # type: ignore[arg-type]
    with pytest.raises(CurvesError, match="at least two algorithms"):
        best(some_curves(0, (5,)))
    with pytest.raises(CurvesError, match="Every algorithm has a single run"):
        best(some_curves(0, (1, 1)))


def test_what_cannot_be_compared_is_kept() -> None:
    rng = np.random.default_rng(0)
    blocks = [0] * 8 + [1] * 8
    scores = rng.normal(size=(16, 2)) * 0.1
    labels = np.repeat(list("ABBC"), 4)
    scores += 10 * (labels == "A")[:, None] + 5 * (labels == "B")[:, None]
    curves = Curves(scores, labels, blocks=blocks)
    found = best(curves)
    assert found.leader == "A"
    assert "C" in found.contenders
    last = found.rows[-1]
    assert (last.difference, last.interval, last.pvalue_adjusted) == (None, None, None)
    kept = found.caveats[-1]
    assert isinstance(kept, KeptUncompared)
    assert (kept.algorithm, kept.leader) == ("C", "A")
    assert found.warnings[-1].startswith(
        "C is kept, since it cannot be compared with A: No block holds both"
    )
    # No pair is told apart that cannot be compared alone, however p is adjusted.
    assert best(curves, adjust="max-t", rng=0).worse == ("B",)


def test_too_few_runs_are_told() -> None:
    curves = stairs((3,) * 4, [0, 9, 18, 99])
    (caveat,) = best(curves).caveats
    assert caveat == TooFewToRuleOut(("C", "B", "A"), 0.1, 0.05, 1, True, 4)
    found = best(curves, adjust="bonferroni")
    assert found.worse == ()
    (caveat,) = found.caveats
    assert caveat == TooFewToRuleOut(("C", "B", "A"), 3 * 0.05, 0.05, 3, True, 4)
    assert found.smallest_pvalue == pytest.approx(0.15)
    by_max = best(curves, adjust="max-t", rng=0)
    assert by_max.worse == ()
    assert by_max.caveats == best(curves).caveats
    # The leader has few runs, so none of the others can be ruled out.
    (caveat,) = best(stairs((6, 6, 2), [0, 9, 18]), adjust="bonferroni").caveats
    assert caveat == TooFewToRuleOut(("B", "A"), 2 / 28, 0.05, 2, True, 4)


def test_some_may_have_too_few_runs_where_others_have_enough() -> None:
    found = best(stairs((1, 9, 9), [0, 9, 18]), rng=0)
    caveat, single = found.caveats
    assert single == SingleRun("A")
    assert caveat == TooFewToRuleOut(("A",), 0.1, 0.05, 1, True, None)
    assert found.worse == ("B",)
    assert found.contenders == ("C", "A")


def test_too_few_shuffles_are_told() -> None:
    curves = stairs((8,) * 3, [0, 9, 18])
    assert TooFewShuffles(9, 0.05) in best(curves, n_shuffles=9).caveats
    sampled = best(curves, adjust="bonferroni", exact=False, n_shuffles=20)
    (caveat,) = (c for c in sampled.caveats if isinstance(c, TooFewToRuleOut))
    assert not caveat.by_runs
    assert caveat.sentence().endswith("Use at least n_shuffles=39.")


@pytest.mark.parametrize("exact", [None, False])
def test_what_max_t_cannot_find_is_told(exact: bool | None) -> None:
    options: dict[str, Any] = {"adjust": "max-t", "exact": exact, "rng": 0}
    shuffled = best(stairs((4, 4, 4), [0, 90, 180]), n_shuffles=9, **options)
    assert shuffled.caveats[0] == TooFewShuffles(9, 0.05)
    assert shuffled.worse == ()
    few = best(stairs((2, 2, 2), [0, 90, 180]), **options)
    assert few.caveats[0] == TooFewRuns((2, 2, 2), 1 / 15, 0.05, 3)
    enough = best(stairs((4, 4, 4), [0, 90, 180]), n_shuffles="auto", **options)
    assert enough.caveats == ()
    assert enough.worse == ("B", "A")


def test_different_spread_is_told() -> None:
    curves = some_curves(0, (9, 9, 9))
    scores = np.where((curves.codes == 2)[:, None], 50 * curves.scores, curves.scores)
    (caveat,) = best(Curves(scores, curves.labels)).caveats
    assert isinstance(caveat, DifferentSpread)
    assert caveat.wide == "C"


CURVES = stairs((7, 7, 7), [0, 0.5, 0.8])
GIVEN: dict[str, Any] = {"n_shuffles": 4_999, "exact": False, "rng": 3}


def ask(adjust: str, **options: Any) -> Any:
    return partial(best, CURVES, adjust=adjust, **{**GIVEN, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize("adjust", ["closed", "bonferroni", "max-t"])
def test_interrupted_work_goes_on_with_the_same_digits(
    adjust: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_resumes(ask(adjust), tmp_path / "work", monkeypatch)


@pytest.mark.parametrize("adjust", ["closed", "bonferroni", "max-t"])
def test_the_checkpoint_of_another_question_is_refused(adjust: Any, tmp_path: Path) -> None:
    scores, labels = CURVES.scores, CURVES.labels
    few: dict[str, Any] = {**GIVEN, "n_shuffles": 99}

    def on(curves: Curves) -> Any:
        return partial(best, curves, adjust=adjust, **few)

    other = "bonferroni" if adjust == "max-t" else "max-t"
    check_refuses(
        ask(adjust, n_shuffles=99),
        {
            "scores": on(Curves(scores + np.eye(21, 6), labels)),
            "labels": on(Curves(scores, labels[::-1])),
            "blocks": on(Curves(scores, labels, blocks=list(range(7)) * 3)),
            "precision": on(Curves(scores, labels, precision=1e-3)),
            # Another algorithm leads then.
            "lower is better": on(Curves(scores, labels, higher_is_better=False)),
            "adjust": ask(other, n_shuffles=99),
            "alpha": ask(adjust, n_shuffles=99, alpha=0.1),
            "n_shuffles": ask(adjust, n_shuffles=98),
            "exact": ask(adjust, n_shuffles=99, exact=None),
            "rng": ask(adjust, n_shuffles=99, rng=4),
            "question": partial(compare_pairs, CURVES, **few),
        },
        tmp_path / "work",
    )


@pytest.mark.parametrize("adjust", ["closed", "bonferroni", "max-t"])
def test_jobs_change_no_digit(adjust: str) -> None:
    assert digits(ask(adjust, n_jobs=2)()) == digits(ask(adjust)())


def test_progress_is_reported_by_algorithm_and_then_of_max_t() -> None:
    by_algorithm = [(1, 2), (2, 2)]
    assert progress_of(ask("bonferroni")) == [by_algorithm]
    assert progress_of(ask("closed")) == [by_algorithm, [(n, 5) for n in range(1, 6)]]
    assert progress_of(ask("max-t")) == [by_algorithm, [(4, 5), (5, 5)], [(4, 5), (5, 5)]]


@pytest.mark.parametrize("adjust", ["closed", "bonferroni", "max-t"])
def test_auto_stops_where_the_verdict_is_settled(adjust: Any) -> None:
    curves = stairs((8, 8, 8), [0, 20, 40])
    options: dict[str, Any] = {"adjust": adjust, "exact": False, "rng": 3}
    auto = best(curves, n_shuffles="auto", **options)
    assert digits(auto) == digits(best(curves, n_shuffles=FIRST_LOOK, **options))
    assert auto.worse == ("B", "A")


def test_auto_settles_p_at_the_level_it_is_held_against() -> None:
    """P times two is held against alpha, so p must be settled at half of it."""
    curves = stairs((12, 12, 12), [0, 0, 0.4], 3)
    options: dict[str, Any] = {"adjust": "bonferroni", "exact": False, "rng": 3}
    p = best(curves, n_shuffles=2**16, **options).rows[1].pvalue
    assert p is not None
    found = best(curves, alpha=2.1 * p, n_shuffles="auto", **options)
    first = best(curves, alpha=2.1 * p, n_shuffles=FIRST_LOOK, **options)
    assert found.rows[1].pvalue != first.rows[1].pvalue
    assert not found.rows[1].contends


@pytest.mark.parametrize("rule", ["auto", "precise"])
def test_max_t_goes_on_to_its_limit(rule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    curves, options = stairs((12, 12, 12), [0, 0, 1e6]), {"adjust": "max-t", "rng": 3}
    alpha = 0.05
    if rule == "auto":
        curves = CURVES
        found = best(curves, n_shuffles=2**15, **options)  # type: ignore[arg-type]
        alpha = min(row.pvalue_adjusted or 1.0 for row in found.rows)
    monkeypatch.setattr("curvewise.questions.pairs.method.LIMITS", Limits(shuffles=2**15))
    ruled = best(curves, alpha=alpha, n_shuffles=rule, **options)  # type: ignore[arg-type]
    most = best(curves, alpha=alpha, n_shuffles=2**15, **options)  # type: ignore[arg-type]
    fewer = best(curves, alpha=alpha, n_shuffles=FIRST_LOOK, **options)  # type: ignore[arg-type]
    adjusted = [[row.pvalue_adjusted for row in each.rows] for each in (ruled, most, fewer)]
    assert adjusted[0] == adjusted[1] != adjusted[2]


@pytest.mark.parametrize("center", ["trimmed", "ranks"])
def test_typical_runs_lead_and_are_tested(center: Any) -> None:
    curves = stairs((9, 9, 9), [0.0, 1.0, 3.0])
    scores = curves.scores.copy()
    scores[-1] -= 200
    failed = Curves(scores, curves.labels)
    assert best(failed).leader != "C"
    found = best(failed, center=center)
    assert found.leader == "C"
    assert found.center == found.to_dict()["center"] == center
    assert "A" in found.worse
    for row in found.rows[1:]:
        test = contrast(
            failed, {"C": 1, row.name: -1}, center=center, alternative="greater", alpha=0.025
        )
        assert row.pvalue == test.pvalue
        assert row.difference == pytest.approx(-test.value)
        assert row.interval is not None
        assert (row.interval.high < 0) == (not row.contends)


def test_typical_runs_are_not_for_max_t() -> None:
    curves = stairs((5, 5, 5), [0.0, 1.0, 3.0])
    with pytest.raises(OptionError, match='adjust="max-t" is for means'):
        best(curves, adjust="max-t", center="ranks")
    with pytest.raises(CurvesError, match="at least 5 runs"):
        best(stairs((5, 4, 5), [0.0, 1.0, 3.0]), center="trimmed")
