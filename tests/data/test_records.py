"""Which records of a log hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvewise import CurvesError
from curvewise.data.points import one_score_per_step

NAN = float("nan")


def test_records_in_order_are_left_alone() -> None:
    found = one_score_per_step([0, 5, 10], [1.0, NAN, 3.0])
    assert found.steps.tolist() == [0, 5, 10]
    np.testing.assert_array_equal(found.scores, [1.0, NAN, 3.0])
    assert (found.n_superseded, found.n_averaged, found.resumed_at) == (0, 0, ())
    assert found.notes == ()


@pytest.mark.parametrize("duplicates", [None, "mean", "last"])
def test_nothing_stays_nothing(duplicates: str | None) -> None:
    assert len(one_score_per_step([], [], duplicates=duplicates).steps) == 0  # type: ignore[arg-type]
    assert len(one_score_per_step([], [], []).steps) == 0


def test_a_resumed_run_holds_from_its_first_step_on() -> None:
    found = one_score_per_step([0, 10, 20, 30, 20, 30, 40], [0, 1, 2, 3, 12, 13, 14])
    assert found.steps.tolist() == [0, 10, 20, 30, 40]
    assert found.scores.tolist() == [0, 1, 12, 13, 14]
    assert (found.n_superseded, found.resumed_at) == (2, (20.0,))
    assert found.notes == ("resumed at step 20; 2 records superseded",)


def test_what_a_resumed_run_did_not_reach_again_is_void() -> None:
    found = one_score_per_step([0, 10, 20, 30, 15], [0, 1, 2, 3, 9])
    assert found.steps.tolist() == [0, 10, 15]
    assert found.n_superseded == 2


def test_a_run_resumed_twice() -> None:
    found = one_score_per_step([0, 1, 2, 3, 2, 3, 4, 1, 2], [0, 1, 2, 3, 12, 13, 14, 21, 22])
    assert found.steps.tolist() == [0, 1, 2]
    assert found.scores.tolist() == [0, 21, 22]
    assert found.resumed_at == (2.0, 1.0)
    assert found.notes == ("resumed at steps 2 and 1; 6 records superseded",)


def test_a_new_session_at_the_same_step_supersedes_it() -> None:
    found = one_score_per_step([0, 1, 1, 2], [0, 1, 5, 2], sessions=[0, 0, 1, 1])
    assert found.scores.tolist() == [0, 5, 2]
    assert found.n_averaged == 0
    # Within one session they are two observations.
    assert one_score_per_step([0, 1, 1, 2], [0, 1, 5, 2]).scores.tolist() == [0, 3, 2]


def test_a_session_that_goes_on_supersedes_nothing() -> None:
    found = one_score_per_step([0, 1, 2, 3], [0, 1, 2, 3], sessions=[7, 7, 9, 9])
    assert found.steps.tolist() == [0, 1, 2, 3]
    assert found.notes == ()


def test_several_observations_of_a_step_are_averaged() -> None:
    found = one_score_per_step([1, 1, 1, 2, 3, 3], [1.0, 2.0, 6.0, 0.0, 4.0, 4.0])
    assert found.scores.tolist() == [3.0, 0.0, 4.0]
    assert found.n_averaged == 1  # the same record twice is one record
    assert found.notes == ("1 step logged several times: their mean",)


def test_nan_is_a_value() -> None:
    found = one_score_per_step([1, 1, 2, 2], [NAN, NAN, NAN, 1.0])
    assert np.isnan(found.scores).all()
    assert found.n_averaged == 1
    infinite = one_score_per_step([1, 1], [np.inf, -np.inf])
    assert np.isnan(infinite.scores).all()


def test_a_table_without_order_is_sorted() -> None:
    order = np.random.default_rng(0).permutation(50)
    found = one_score_per_step(order, 2.0 * order)
    assert found.steps.tolist() == list(range(50))
    assert found.scores.tolist() == [2.0 * step for step in range(50)]
    assert found.notes == ()
    assert one_score_per_step([3, 2, 1], [3, 2, 1]).scores.tolist() == [1, 2, 3]


def test_one_step_back_is_a_resumed_run_even_between_steps() -> None:
    found = one_score_per_step([0, 10, 20, 30, 40, 25, 35, 45], np.arange(8))
    assert found.steps.tolist() == [0, 10, 20, 25, 35, 45]


def test_duplicates_by_request() -> None:
    steps, scores = [0, 1, 2, 1, 2, 3], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    mean = one_score_per_step(steps, scores, duplicates="mean")
    assert mean.scores.tolist() == [0, 2, 3, 5]
    assert mean.n_averaged == 2
    last = one_score_per_step(steps, scores, duplicates="last")
    assert last.scores.tolist() == [0, 3, 4, 5]
    assert last.notes == ("2 records superseded by later ones at the same step",)


def test_steps_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(CurvesError, match="not finite"):
        one_score_per_step([0, NAN], [1, 2])


def slowly(steps: list[int], scores: list[int], sessions: list[int]) -> dict[int, float]:
    """The rule, record by record."""
    held: dict[int, list[int]] = {}
    before: tuple[int, int] | None = None
    for step, score, session in zip(steps, scores, sessions, strict=True):
        if before is not None and (session != before[1] or step < before[0]):
            held = {own: values for own, values in held.items() if own < step}
        held.setdefault(step, []).append(score)
        before = step, session
    return {step: float(np.mean(values)) for step, values in sorted(held.items())}


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.booleans()), max_size=25))
def test_the_rule_record_by_record(records: list[tuple[int, int, bool]]) -> None:
    steps = [step for step, _, _ in records]
    scores = [score for _, score, _ in records]
    sessions = np.cumsum([new for _, _, new in records]).tolist()
    found = one_score_per_step(steps, scores, sessions)
    wanted = slowly(steps, scores, sessions)
    assert found.steps.tolist() == list(wanted)
    assert found.scores.tolist() == pytest.approx(list(wanted.values()))


def test_a_million_records_of_a_resumed_run() -> None:
    half = np.arange(500_000.0)
    steps = np.concatenate([half, half + 250_000])
    found = one_score_per_step(steps, steps)
    assert found.n_superseded == 250_000
