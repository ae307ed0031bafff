"""Curves: parts, subsets, equality, and what they cannot hold."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest

from curvewise import Curves, CurvesError
from curvewise.data.frames import WideTable
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
        "Curves(2 algorithms × 4 to 5 runs × 6 steps: 'A', 'B'; steps 0 to 5; "
        "lower is better)"
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_gaps_are_named(bad: float) -> None:
    scores = SCORES.copy()
    scores[2, 1] = scores[3, 0] = bad
    with pytest.raises(
        CurvesError,
        match=r"2 scores .* in 2 runs; the first in run '0' of 'B' at step 20\.",
    ):
        Curves(scores, LABELS, steps=[10, 20, 30])


def test_unknown_algorithms_and_windows_are_refused() -> None:
    curves = Curves(SCORES, ["dqn", "dqn", "rainbow", "rainbow"])
    with pytest.raises(
        CurvesError, match="'rainbw'; there are 'dqn', 'rainbow'; did you mean"
    ):
        curves.select("rainbw")
    with pytest.raises(CurvesError, match="Name the algorithms to select"):
        curves.select()
    with pytest.raises(CurvesError, match="The window from 2 to 1 ends before it begins"):
        curves.window(2, 1)


def test_scores_in_single_precision_are_known_to_be() -> None:
    single = Curves(SCORES.astype("f4"), LABELS)
    assert single.precision == np.finfo("f4").eps
    assert single.select("A").window(0, 1).precision == single.precision
    assert Curves.from_dict({"A": SCORES.astype("f4"), "B": SCORES}).precision > 1e-8
    frame = long_frame(Curves(SCORES, LABELS)).with_columns(
        pl.col("return").cast(pl.Float32)
    )
    assert Curves.from_frame(frame, **COLUMNS).precision == np.finfo("f4").eps


def test_from_dict_keeps_the_order_and_refuses_unequal_lengths() -> None:
    curves = Curves.from_dict({"B": SCORES, "A": SCORES[:1]}, steps=[1, 2, 3])
    assert curves.algorithms == ("B", "A")
    assert curves.sizes == (4, 1)
    with pytest.raises(CurvesError, match="'A' has 3, 'B' has 2"):
        Curves.from_dict({"A": SCORES, "B": SCORES[:, :2]})
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
        SCORES,
        LABELS,
        [1, 2, 3],
        blocks=list("xyxy"),
        higher_is_better=False,
        source="here",
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
        "Curves(8 algorithms × 1 run × 2 steps: 'A0', 'A1', 'A2', 'A3', 'A4', 'A5' and 2 "
        "more; steps 0 to 1; 1 block)"
    )


def test_a_wide_table_becomes_curves() -> None:
    table = WideTable(SCORES, LABELS, np.array([1, 2, 3]), None, ["x", "y"] * 2, 1e-7)
    curves = Curves.from_wide_table(table, higher_is_better=False, source="here")
    assert curves == Curves(
        SCORES, LABELS, [1, 2, 3], blocks=["x", "y", "x", "y"], higher_is_better=False
    )
    assert (curves.precision, curves.source) == (1e-7, "here")
