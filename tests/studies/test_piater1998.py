from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import curvewise as cw
from studies.piater1998 import power, type_one
from studies.piater1998.closed_form import ALPHA, critical_f, predict, predict_by_kind
from studies.piater1998.counting import EFFECTS
from studies.piater1998.curve_pools import cross_validations
from studies.piater1998.study import study
from studies.sources.cross_validation import stored_curves
from studies.sources.modifications import CASES, modified

if TYPE_CHECKING:
    from studies.report import Study


@pytest.fixture(scope="module")
def quick() -> Study:
    return study(quick=True)


@pytest.mark.slow
def test_the_quick_study_is_whole(quick: Study) -> None:
    assert quick.name == "piater1998"
    assert [picture.name for picture in quick.pictures] == [
        "figure-3",
        "figure-4",
        "figure-5",
        "predictions",
        "figure-6",
    ]
    for table in quick.tables:
        assert {len(row) for row in table.rows} == {len(table.header)}
    assert all(claim.ours and claim.published for claim in quick.claims)


@pytest.mark.slow
def test_verdicts(quick: Study) -> None:
    verdicts = {(claim.where, claim.claim[:30]): claim.verdict for claim in quick.claims}
    assert len(verdicts) == len(quick.claims)
    differing = {where for (where, _), verdict in verdicts.items() if verdict == "differs"}
    assert {"Figure 6, case a", "Figure 6, case b"} <= differing
    agreeing = {where for (where, _), verdict in verdicts.items() if verdict == "agrees"}
    assert {"Figure 3", "Figure 4", "Figure 5", "Figure 5, case b"} <= agreeing


def test_critical_values_are_those_of_compare() -> None:
    critical = critical_f(12, 5)
    rng = np.random.default_rng(1)
    outcomes = set()
    for _ in range(30):
        scores = rng.normal(size=(12, 5)) + rng.normal(size=(12, 1))
        curves = cw.Curves(scores, np.repeat(["A", "B"], 6))
        effects = cw.compare(curves, n_shuffles=1, exact=False).effects["pooled"]
        for value, name in zip(critical, EFFECTS, strict=True):
            rejected = effects[name].pvalue_parametric < ALPHA
            assert (effects[name].statistic > value) == rejected
            outcomes.add(rejected)
    assert outcomes == {True, False}


@pytest.mark.parametrize("n_shuffles", [400, 500])
def test_both_rules_for_p_reject_alike(n_shuffles: int) -> None:
    reached = np.arange(n_shuffles + 1)
    expected = reached / n_shuffles < ALPHA
    assert (type_one.rejects(reached, n_shuffles) == expected).all()


def test_independent_steps_are_predicted_to_be_tested_rightly() -> None:
    pool = np.random.default_rng(2).normal(size=(4000, 6))
    form = predict(pool)
    assert form.d_algorithm == pytest.approx(1, abs=0.1)
    assert form.d_interaction == pytest.approx(1, abs=0.1)
    assert form.nu == pytest.approx(5, abs=0.1)
    assert form.algorithm == pytest.approx(50, abs=8)
    assert form.interaction == pytest.approx(50, abs=8)


def test_one_learner_is_rejected_as_predicted() -> None:
    curves = stored_curves("chess_numeric")
    counts = type_one.one_learner(np.array([curves] * 20), np.random.default_rng(3)).mean(axis=0)
    assert counts[0] == pytest.approx(np.array(predict(curves)[3:]), abs=60)
    assert counts[1] == pytest.approx(50, abs=15)


def test_two_kinds_of_curves_are_rejected_as_predicted() -> None:
    """Ten runs of 1000 splits; case c at f = 10 is where splits are least continuous."""
    curves = stored_curves("chess_numeric")
    factors = (0, 2, 10)
    counts = type_one.with_modified(
        curves, factors, np.random.default_rng(4), n_repetitions=10, n_shuffles=1
    ).mean(axis=2)[:, :, 0]
    expected = [
        [predict_by_kind(curves, changed) for changed in modified(curves, case, factors)]
        for case in CASES
    ]
    assert counts == pytest.approx(np.array(expected), abs=20)


def test_disjoint_draws_share_no_run() -> None:
    first, second = power._draws(20, np.random.default_rng(5), disjoint=True)
    assert sorted([*first, *second]) == list(range(20))


def test_a_pure_difference_of_height_is_no_interaction_by_the_split_error() -> None:
    curves = stored_curves("chess_numeric")
    shares = power.power(curves, (10,), np.random.default_rng(6), n_draws=60)[0, 0]
    assert shares[power.TESTS.index("shuffle"), 1] > 0.2
    assert shares[power.TESTS.index("shuffle, split error"), 1] < 0.15


@pytest.mark.slow
def test_the_first_cross_validation_of_1998_is_the_stored_one() -> None:
    made = cross_validations("tictactoe", 1998, range(3))
    assert (made[0] == stored_curves("tictactoe")).all()
    assert len({curves.tobytes() for curves in made}) == 3
    assert (cross_validations("tictactoe", 1998, [2])[0] == made[2]).all()
