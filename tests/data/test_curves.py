"""Curves: parts, subsets, equality, and what they cannot hold."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from curvewise import Curves, CurvesError, OptionError, compare
from tests.data.tables import COLUMNS, long_frame
from tests.simulation import some_curves

SCORES = np.arange(12.0).reshape(4, 3)
LABELS = ["A", "A", "B", "B"]


def test_parts_are_named_and_counted() -> None:
    curves = Curves(SCORES, LABELS, steps=[10, 20, 30])
    assert curves.algorithms == ("A", "B")
    assert (curves.n_runs, curves.n_steps, curves.sizes) == (4, 3, (2, 2))
    assert curves.runs.tolist() == ["0", "1", "0", "1"]
    np.testing.assert_array_equal(curves.scores[curves.labels == "B"], SCORES[2:])


def test_curves_cannot_be_changed() -> None:
    given = SCORES.copy()
    curves = Curves(given, LABELS)
    given[0, 0] = 99
    assert curves.scores[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        curves.scores[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        curves.labels[0] = "C"
    with pytest.raises(AttributeError, match="immutable"):
        curves.steps = np.arange(3)


def test_select_and_window_give_new_curves() -> None:
    curves = Curves(SCORES, LABELS, steps=[10, 20, 30], blocks=[1, 2, 1, 2])
    chosen = curves.select("B", "A")
    assert chosen.algorithms == ("B", "A")
    np.testing.assert_array_equal(chosen.scores, SCORES[[2, 3, 0, 1]])
    assert chosen.blocks is not None
    assert chosen.blocks.tolist() == ["1", "2", "1", "2"]
    inside = curves.window(15, 30)
    assert inside.steps.tolist() == [20, 30]
    np.testing.assert_array_equal(inside.scores, SCORES[:, 1:])
    assert curves.window(stop=10).n_steps == 1


def test_curves_survive_pickling() -> None:
    curves = Curves(SCORES, LABELS, steps=[10, 20, 30.5], blocks=list("abab"))
    assert pickle.loads(pickle.dumps(curves)) == curves  # noqa: S301 (our own)


def test_repr_tells_what_there_is() -> None:
    text = repr(some_curves(0, (5, 4), higher_is_better=False))
    assert text == (
        "Curves(2 algorithms × 4 to 5 runs × 6 steps of score, lower is better: 'A', 'B'; "
        "steps 0 to 5)"
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_gaps_are_named(bad: float) -> None:
    scores = SCORES.copy()
    scores[2, 1] = scores[3, 0] = bad
    with pytest.raises(
        CurvesError, match=r"2 scores .* in 2 runs; the first in run '0' of 'B' at step 20\."
    ):
        Curves(scores, LABELS, steps=[10, 20, 30])


def test_unknown_algorithms_and_windows_are_refused() -> None:
    curves = Curves(SCORES, ["dqn", "dqn", "rainbow", "rainbow"])
    with pytest.raises(CurvesError, match="'rainbw'; there are 'dqn', 'rainbow'; did you mean"):
        curves.select("rainbw")
    with pytest.raises(CurvesError, match="Name the algorithms to select"):
        curves.select()
    with pytest.raises(CurvesError, match="The window from 2 to 1 ends before it begins"):
        curves.window(2, 1)


def test_scores_in_single_precision_are_known_to_be() -> None:
    single = Curves(SCORES.astype("f4"), LABELS)
    assert single.precision == np.finfo("f4").eps
    assert single.select("A").window(0, 1).precision == single.precision
    assert Curves.from_dict({"A": SCORES.astype("f4"), "B": SCORES}, rows="runs").precision > 1e-8
    frame = long_frame(Curves(SCORES, LABELS)).with_columns(pl.col("return").cast(pl.Float32))
    assert Curves.from_frame(frame, **COLUMNS).precision == np.finfo("f4").eps


def test_from_dict_keeps_the_order_and_refuses_unequal_lengths() -> None:
    curves = Curves.from_dict({"B": SCORES, "A": SCORES[:1]}, steps=[1, 2, 3])
    assert curves.algorithms == ("B", "A")
    assert curves.sizes == (4, 1)
    with pytest.raises(CurvesError, match="'A' has 3, 'B' has 2"):
        Curves.from_dict({"A": SCORES, "B": SCORES[:, :2]}, steps=[1, 2, 3])
    with pytest.raises(CurvesError, match="not a list"):
        Curves.from_dict([SCORES])  # type: ignore[arg-type]
    with pytest.raises(CurvesError, match="same name as text"):
        Curves.from_dict({1: SCORES, "1": SCORES})  # type: ignore[dict-item]
    with pytest.raises(CurvesError, match="There are no algorithms"):
        Curves.from_dict({})
    with pytest.raises(CurvesError, match="'A': Scores must have two dimensions"):
        Curves.from_dict({"A": SCORES[0]})


def test_curves_are_equal_when_all_their_parts_are() -> None:
    curves = Curves(SCORES, LABELS, steps=[10, 20, 30])
    assert curves == Curves(SCORES, LABELS, steps=[10, 20, 30], source="elsewhere")
    assert curves != Curves(SCORES, LABELS, steps=[10, 20, 31])
    assert curves != Curves(SCORES, LABELS, steps=[10, 20, 30], higher_is_better=False)
    assert curves != SCORES.tolist()


def test_attributes_cannot_be_deleted() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        del Curves(SCORES, LABELS).source


def test_runs_are_counted_by_block_and_algorithm() -> None:
    curves = Curves(SCORES, ["A", "A", "B", "A"], blocks=["y", "x", "y", "y"])
    assert curves.block_counts.tolist() == [[2, 1], [1, 0]]
    assert not curves.has_even_blocks


def test_blocks_are_even_when_they_hold_the_algorithms_in_the_same_proportions() -> None:
    scores = np.arange(9.0)[:, None]
    blocks = ["x", "x", "y", "y", "y", "y", "x", "y", "y"]
    even = Curves(scores, list("AAAAAABBB"), blocks=blocks)
    assert even.block_counts.tolist() == [[2, 1], [4, 2]]
    assert even.has_even_blocks
    assert Curves(scores, list("AAAAAABBB")).has_even_blocks


def test_the_same_curves_can_be_in_other_blocks_or_in_none() -> None:
    curves = Curves(
        SCORES, LABELS, [1, 2, 3], blocks=list("xyxy"), higher_is_better=False, source="here"
    )
    other = curves.with_blocks(["u", "u", "v", "v"])
    assert other.blocks is not None
    assert other.blocks.tolist() == ["u", "u", "v", "v"]
    assert (other.source, other.precision) == (curves.source, curves.precision)
    assert other.with_blocks(curves.blocks) == curves
    assert curves.with_blocks(None).blocks is None


def test_curves_without_blocks_have_no_block_counts() -> None:
    with pytest.raises(CurvesError, match="no blocks"):
        _ = Curves(SCORES, LABELS).block_counts


def test_many_algorithms_and_blocks_are_shown_in_short() -> None:
    names = [f"A{number}" for number in range(8)]
    curves = Curves(np.arange(16.0).reshape(8, 2), names, blocks=["x"] * 8)
    assert repr(curves) == (
        "Curves(8 algorithms × 1 run × 2 steps of score, higher is better: 'A0', 'A1', 'A2', "
        "'A3', 'A4', 'A5' and 2 more; steps 0 to 1; 1 block)"
    )


# learning_curve of scikit-learn 1.9.1 (2026-11-18): breast cancer data, 8 shuffled stratified
# folds, test scores of a scaled SVC and of a tree of depth 1, rounded.
SIZES = [49, 139, 228, 318, 407, 497]
SVM = [
    [0.806, 0.761, 0.831, 0.817, 0.831, 0.915, 0.718, 0.831],
    [0.972, 0.944, 0.944, 0.915, 0.972, 0.944, 0.93, 0.986],
    [0.958, 0.944, 0.972, 0.944, 0.972, 0.972, 0.972, 0.986],
    [0.958, 0.958, 0.972, 0.944, 0.972, 0.986, 0.972, 0.986],
    [0.944, 0.958, 0.972, 0.972, 0.972, 0.972, 0.972, 0.986],
    [0.944, 0.958, 0.986, 0.958, 0.986, 1.0, 0.972, 0.972],
]
TREE = [
    [0.792, 0.944, 0.944, 0.887, 0.845, 0.887, 0.901, 0.887],
    [0.833, 0.887, 0.901, 0.915, 0.958, 0.887, 0.859, 0.93],
    [0.889, 0.901, 0.915, 0.915, 0.93, 0.845, 0.845, 0.93],
    [0.875, 0.901, 0.915, 0.915, 0.958, 0.873, 0.915, 0.93],
    [0.875, 0.887, 0.915, 0.915, 0.958, 0.859, 0.873, 0.93],
    [0.861, 0.887, 0.915, 0.887, 0.915, 0.859, 0.873, 0.873],
]
TRAIN = np.ones((6, 8))


def test_arrays_that_may_be_either_way_round_are_asked_about() -> None:
    arrays = {"svm": SVM, "tree": TREE}
    question = r"rows of these 6 × 8 arrays runs or steps\? Give steps=\[…\] \(6 or 8 numbers\)"
    with pytest.raises(OptionError, match=question):
        Curves.from_dict(arrays)
    by_steps = Curves.from_dict(arrays, steps=SIZES)
    assert by_steps.sizes == (8, 8)
    assert by_steps == Curves.from_dict(arrays, rows="steps", steps=SIZES)
    assert by_steps.scores[0].tolist() == [row[0] for row in SVM]
    assert Curves.from_dict(arrays, steps=range(8)).sizes == (6, 6)
    assert Curves.from_dict(arrays, rows="runs").sizes == (6, 6)
    with pytest.raises(OptionError, match="rows must be 'runs' or 'steps', not 'no'"):
        Curves.from_dict(arrays, rows="no")  # type: ignore[arg-type]
    with pytest.raises(CurvesError, match="8 columns but there are 5 steps"):
        Curves.from_dict(arrays, steps=range(5))


def test_square_arrays_are_asked_about_even_with_steps() -> None:
    square = {"A": np.eye(4), "B": np.ones((4, 4))}
    for steps in (None, range(4)):
        with pytest.raises(OptionError, match=r"4 × 4 arrays .* Give rows='runs' or"):
            Curves.from_dict(square, steps)
    assert Curves.from_dict(square, rows="runs").sizes == (4, 4)
    # One array that is not square tells for all.
    assert Curves.from_dict({**square, "C": np.ones((9, 4))}, range(4)).sizes == (4, 4, 9)
    assert Curves.from_dict({"A": [[1]], "B": [[2]]}, [0]).sizes == (1, 1)


def test_wide_arrays_are_runs_in_rows_unless_scores_say_otherwise() -> None:
    rng = np.random.default_rng(0)
    runs = {name: rng.normal(size=(5, 40)).cumsum(axis=1) for name in "AB"}
    assert Curves.from_dict(runs).sizes == (5, 5)
    folds = {name: np.linspace(0, 9, 8)[:, None] + rng.normal(size=(8, 20)) for name in "AB"}
    with pytest.raises(OptionError, match="8 × 20 arrays runs or steps"):
        Curves.from_dict(folds)
    assert Curves.from_dict(folds, steps=range(8)).sizes == (20, 20)
    # All arrays of a dict lie the same way: one that is too high is enough to ask.
    with pytest.raises(OptionError, match="5 × 40 and 30 × 40 arrays"):
        Curves.from_dict({**runs, "C": np.zeros((30, 40))})


def test_learning_curves_of_scikit_learn_have_folds_as_runs_and_blocks() -> None:
    given = {"svm": (np.array(SIZES), TRAIN, SVM), "tree": (SIZES, TRAIN, TREE, TRAIN)}
    curves = Curves.from_learning_curve(given)
    assert curves.steps.tolist() == SIZES
    assert curves.sizes == (8, 8)
    assert curves.n_blocks == 8
    assert curves.source.endswith(
        "blocks: 8 folds shared by 2 algorithms; shared=False if their splits differ"
    )
    shape = compare(curves, rng=0).interaction
    assert shape is not None
    assert shape.pvalue == pytest.approx(2 / 2**8)
    alone = Curves.from_learning_curve(given, shared=False)
    assert alone.blocks is None
    assert alone == Curves.from_dict({"svm": SVM, "tree": TREE}, SIZES)
    assert (Curves.from_learning_curve(given, which="train").scores == 1).all()
    display = SimpleNamespace(train_sizes=SIZES, train_scores=TRAIN, test_scores=SVM)
    assert curves == Curves.from_learning_curve({**given, "svm": display})
    assert not Curves.from_learning_curve(given, metric="loss").higher_is_better


def test_learning_curves_with_other_numbers_of_folds_have_no_blocks() -> None:
    five = np.array(TREE)[:, :5]
    given = {"svm": (SIZES, TRAIN, SVM), "tree": (SIZES, TRAIN, five)}
    curves = Curves.from_learning_curve(given)
    assert (curves.sizes, curves.blocks) == ((8, 5), None)
    assert "no blocks" in curves.source


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ((SIZES, TRAIN, SVM), "by name"),
        ({}, "by name"),
        ({"svm": SVM[:2]}, "returns sizes"),
        ({"svm": 5}, "returns sizes"),
        ({"a": (SIZES, TRAIN, SVM), "b": ([1, 2], TRAIN, SVM)}, "same training sizes"),
        ({"a": (SIZES, TRAIN, SVM[0])}, "two dimensions"),
        ({"a": (SIZES, TRAIN, None)}, "'a': Scores must have"),
        ({"a": (SIZES[:5], TRAIN, SVM)}, "6 columns but there are 5 steps"),
    ],
)
def test_what_is_no_learning_curve_is_refused(given: Any, match: str) -> None:
    with pytest.raises(CurvesError, match=match):
        Curves.from_learning_curve(given)
