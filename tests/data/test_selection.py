"""Which columns, algorithms and steps are read."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from curvewise import CurvesError, OptionError
from curvewise.data.tables import Columns, Selection, check_algorithms

COLUMNS = Columns("agent", "seed", "epoch", "return")


def test_columns_say_what_is_read_as_what() -> None:
    assert COLUMNS.described() == (
        "algorithm from 'agent', run from 'seed', step from 'epoch', score from 'return'"
    )
    assert Columns(block="fold").described() == "block from 'fold'"


def test_a_selection_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Selection(COLUMNS).start = 3  # type: ignore[misc]


def test_everything_is_kept_unless_something_is_named() -> None:
    for everything in (Selection(COLUMNS), Selection(COLUMNS, only=[])):
        assert everything.keeps_algorithms(["A", "B"]).all()
        assert everything.keeps_steps(np.array([0, 1])).all()


def test_algorithms_and_steps_are_marked() -> None:
    selection = Selection(COLUMNS, only=["A", "C"], start=1, stop=2)
    assert selection.keeps_algorithms(["A", "B", "C", "A"]).tolist() == [True, False] + [True] * 2
    assert selection.keeps_steps(np.arange(4)).tolist() == [False, True, True, False]
    assert Selection(COLUMNS).keeps_algorithms(["A", "B"]).all()


def test_an_algorithm_that_is_not_there_is_named() -> None:
    with pytest.raises(CurvesError, match=r"No algorithm is called 'rainbw'; .* 'rainbow'"):
        Selection(COLUMNS, only=["rainbw"]).keeps_algorithms(["dqn", "rainbow"])
    with pytest.raises(CurvesError, match="No algorithm is called 1"):
        check_algorithms([1], ["A"])  # type: ignore[list-item]


def test_no_step_left_is_refused() -> None:
    with pytest.raises(CurvesError, match="No step lies in the window from 9"):
        Selection(COLUMNS, start=9).keeps_steps(np.arange(3))


def test_duplicates_are_one_of_two() -> None:
    assert Selection(Columns(), duplicates="mean").duplicates == "mean"
    with pytest.raises(OptionError, match="duplicates must be 'mean' or 'last'"):
        Selection(Columns(), duplicates="first")  # type: ignore[arg-type]
