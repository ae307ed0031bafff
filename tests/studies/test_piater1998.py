from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import curvewise as cw
from studies.piater1998 import power, type_one
from studies.piater1998.study import study
from studies.sources.cross_validation import stored_curves

if TYPE_CHECKING:
    from studies.report import Study


@pytest.fixture(scope="module")
def quick() -> Study:
    return study(quick=True)


def test_the_quick_study_is_whole(quick: Study) -> None:
    assert quick.name == "piater1998"
    assert [picture.name for picture in quick.pictures] == [
        "figure-3",
        "figure-4",
        "figure-5",
        "predictions",
        "figure-6",
    ]
    for sheet in quick.sheets:
        assert {len(row) for row in sheet.rows} == {len(sheet.header)}
    assert all(claim.ours and claim.published for claim in quick.claims)


def test_verdicts(quick: Study) -> None:
    verdicts = {(claim.where, claim.claim[:30]): claim.verdict for claim in quick.claims}
    assert len(verdicts) == len(quick.claims)
    differing = {
        where for (where, _), verdict in verdicts.items() if verdict == "differs"
    }
    assert {"Figure 6, case a", "Figure 6, case b"} <= differing
    agreeing = {where for (where, _), verdict in verdicts.items() if verdict == "agrees"}
    assert {"Figure 3", "Figure 4", "Figure 5", "Figure 5, case b"} <= agreeing


def test_critical_values_are_those_of_compare() -> None:
    critical = type_one.conventional(12, 5)
    rng = np.random.default_rng(1)
    outcomes = set()
    for _ in range(30):
        scores = rng.normal(size=(12, 5)) + rng.normal(size=(12, 1))
        curves = cw.Curves(scores, np.repeat(["A", "B"], 6))
        effects = cw.compare(curves, n_shuffles=1, exact=False).effects["pooled"]
        for value, name in zip(critical, type_one.EFFECTS, strict=True):
            rejected = effects[name].pvalue_parametric < type_one.ALPHA
            assert (effects[name].statistic > value) == rejected
            outcomes.add(rejected)
    assert outcomes == {True, False}


@pytest.mark.parametrize("n_shuffles", [400, 500])
def test_both_rules_for_p_reject_alike(n_shuffles: int) -> None:
    reached = np.arange(n_shuffles + 1)
    expected = reached / n_shuffles < type_one.ALPHA
    assert (type_one.rejects(reached, n_shuffles) == expected).all()


def test_independent_steps_are_predicted_to_be_tested_rightly() -> None:
    pool = np.random.default_rng(2).normal(size=(4000, 6))
    form = type_one.predicted(pool)
    assert form.d_algorithm == pytest.approx(1, abs=0.1)
    assert form.d_interaction == pytest.approx(1, abs=0.1)
    assert form.nu == pytest.approx(5, abs=0.1)
    assert form.algorithm == pytest.approx(50, abs=8)
    assert form.interaction == pytest.approx(50, abs=8)


def test_one_learner_is_rejected_as_predicted() -> None:
    curves = stored_curves("chess_numeric")
    counts = type_one.one_learner([curves] * 20, np.random.default_rng(3)).mean(axis=0)
    assert counts[0] == pytest.approx(np.array(type_one.predicted(curves)[3:]), abs=60)
    assert counts[1] == pytest.approx(50, abs=15)


def test_two_kinds_of_curves_are_rejected_as_predicted() -> None:
    """Ten runs of 1000 splits; case c at f = 10 is where splits are least continuous."""
    curves = stored_curves("chess_numeric")
    pools = type_one.modified_pools(curves, (0, 2, 10))
    counts = type_one.shuffled_pools(
        pools, np.random.default_rng(4), n_repetitions=10, n_shuffles=1
    ).mean(axis=2)[:, :, 0]
    expected = [
        [type_one.predicted_by_kind(*np.split(pool, 2)) for pool in row] for row in pools
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


def test_fresh_folds_are_not_the_stored_ones() -> None:
    pools = type_one.fresh_pools("tictactoe", np.random.default_rng([1998, 2]), 3)
    assert (pools[0] == stored_curves("tictactoe")).all()
    assert len({pool.tobytes() for pool in pools}) == 3
    again = type_one.fresh_pools("tictactoe", np.random.default_rng([1998, 0]), 2)
    assert (again[1] == again[0]).all()  # why no stream is number 0
