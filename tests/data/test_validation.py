"""What Curves are built from: put into its final form, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from curvewise import Curves, CurvesError
from curvewise.data.curves import increasing_steps, names_of, precision_of, score_matrix
from curvewise.data.tables import numbered

SCORES = np.arange(12.0).reshape(4, 3)
LABELS = ["A", "A", "B", "B"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, 2.0], ["A", "B"]), "two dimensions, runs × steps, not 1"),
        ((np.zeros((2, 2, 2)), ["A", "B"]), "two dimensions, runs × steps, not 3"),
        ((np.zeros((0, 3)), []), "no scores: the array is 0 runs × 3 steps"),
        ((SCORES, ["A", "B"]), "4 runs but 2 labels"),
        ((SCORES, "AABB"), "not the text 'AABB'"),
        ((SCORES, LABELS, [1, 2]), "3 columns but there are 2 steps"),
        ((SCORES, LABELS, [1, 3, 2]), "2 comes after 3"),
        ((SCORES, LABELS, [1, 1, 2]), "1 comes after 1"),
        ((SCORES, LABELS, ["a", "b", "c"]), "Steps must be numbers"),
        ((SCORES, LABELS, [1, 2, np.inf]), "finite"),
        ((SCORES, LABELS, None, ["x", "x", "x", "y"]), "Two runs of 'A' are both called 'x'"),
        (
            (SCORES, LABELS, None, None, ["x"]),
            "There are 4 runs but 1 block; give every run a block.",
        ),
        (([["a", "b"]], ["A"]), "Scores must be numbers"),
        (([[1, 2], [3]], ["A", "B"]), "differ in length"),
        ((SCORES * 1e200, LABELS), "overflow"),
        ((SCORES + 1j, LABELS), "Scores must be numbers, not complex128"),
        ((SCORES.astype("m8[s]"), LABELS), "not timedelta64"),
        ((np.ma.masked_less(SCORES, 1), LABELS), "1 score is missing"),
        (
            (SCORES, ["A", None, "B", "B"]),
            "Label 2 is missing. Give every run a label, or drop the run.",
        ),
        ((SCORES, ["A", "A", "B", np.nan]), "Label 4 is missing"),
        ((SCORES, LABELS, None, [1, 2, None, 4]), "Name 3 is missing. Give every run a"),
        ((SCORES, LABELS, np.array(["2026", "2027", "2028"], "M8[Y]")), "Steps must be num"),
    ],
)
def test_what_cannot_be_curves_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(CurvesError, match=message):
        Curves(*arguments)


def test_labels_of_any_kind_of_sequence_serve() -> None:
    assert Curves(SCORES, (label for label in LABELS)).algorithms == ("A", "B")  # type: ignore[arg-type]
    pd = pytest.importorskip("pandas")
    assert Curves(SCORES, pd.Series(LABELS)).algorithms == ("A", "B")


def test_scores_are_copied_in_double_precision() -> None:
    given = SCORES.astype("f4")
    matrix = score_matrix(given)
    given[0, 0] = 99
    assert matrix.dtype == np.float64
    np.testing.assert_array_equal(matrix, SCORES)
    text: Any = [["1", "2.5"]]
    np.testing.assert_array_equal(score_matrix(text), [[1, 2.5]])
    masked = np.ma.masked_equal(np.array([[1, 2]]), 2)
    np.testing.assert_array_equal(score_matrix(masked), [[1, np.nan]])


def test_names_are_text() -> None:
    names = names_of((1, "b", 2.5), "runs", 3)
    assert names.tolist() == ["1", "b", "2.5"]
    assert numbered(names_of(list("ABA"), "labels", 3)).tolist() == ["0", "0", "1"]
    with pytest.raises(CurvesError, match="There are 2 runs but 1 label"):
        names_of(7, "labels", 2)


def test_steps_are_counted_when_there_are_none() -> None:
    assert increasing_steps(None, 3).tolist() == [0, 1, 2]
    assert increasing_steps([1.0, 2.0], 2).dtype == np.int64
    assert increasing_steps([0.5, 2.0], 2).tolist() == [0.5, 2.0]
    with pytest.raises(CurvesError, match="The scores have 1 column but there are 2 steps"):
        increasing_steps([1, 2], 1)


def test_precision_is_that_of_the_type() -> None:
    assert precision_of(SCORES.astype("f4")) == np.finfo("f4").eps
    assert precision_of([[1, 2]]) == np.finfo("f8").eps
