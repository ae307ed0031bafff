from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from curvewise import Curves, CurvesError
from tests.simulation import some_curves

SCORES = np.arange(12.0).reshape(4, 3)
LABELS = ["A", "A", "B", "B"]


def long_frame(curves: Curves, **extra: Any) -> pl.DataFrame:
    n_steps = curves.n_steps
    return pl.DataFrame(
        {
            "agent": np.repeat(curves.labels, n_steps).tolist(),
            "seed": np.repeat(curves.runs, n_steps).tolist(),
            "epoch": np.tile(curves.steps, curves.n_runs),
            "return": curves.scores.ravel(),
            **extra,
        }
    )


COLUMNS: dict[str, Any] = {
    "algorithm": "agent",
    "run": "seed",
    "step": "epoch",
    "score": "return",
}


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, 2.0], ["A", "B"]), "two dimensions, but they have 1"),
        ((np.zeros((2, 2, 2)), ["A", "B"]), "two dimensions, but they have 3"),
        ((np.zeros((0, 3)), []), "no scores: the array is 0 runs × 3 steps"),
        ((SCORES, ["A", "B"]), "4 runs but 2 labels"),
        ((SCORES, "AABB"), "not the text 'AABB'"),
        ((SCORES, LABELS, [1, 2]), "3 columns but there are 2 steps"),
        ((SCORES, LABELS, [1, 3, 2]), "2 comes after 3"),
        ((SCORES, LABELS, [1, 1, 2]), "1 comes after 1"),
        ((SCORES, LABELS, ["a", "b", "c"]), "Steps must be numbers"),
        ((SCORES, LABELS, [1, 2, np.inf]), "finite"),
        (
            (SCORES, LABELS, None, ["x", "x", "x", "y"]),
            "Two runs of 'A' are both called 'x'",
        ),
        ((SCORES, LABELS, None, None, ["x"]), "4 runs but 1 blocks"),
        (([["a", "b"]], ["A"]), "Scores must be numbers"),
        (([[1, 2], [3]], ["A", "B"]), "differ in length"),
        ((SCORES * 1e200, LABELS), "overflow"),
        ((SCORES + 1j, LABELS), "Scores must be numbers, not complex128"),
        ((SCORES.astype("m8[s]"), LABELS), "not timedelta64"),
        ((np.ma.masked_less(SCORES, 1), LABELS), "1 score is missing"),
        ((SCORES, ["A", None, "B", "B"]), "The 2. of the labels is missing"),
        ((SCORES, ["A", "A", "B", np.nan]), "The 4. of the labels is missing"),
        (
            (SCORES, LABELS, np.array(["2026", "2027", "2028"], "M8[Y]")),
            "Steps must be num",
        ),
    ],
)
def test_what_cannot_be_curves_is_refused(
    arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(CurvesError, match=message):
        Curves(*arguments)


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
    with pytest.raises(
        CurvesError, match=r"No step lies in the window from 5; .* 0 to 2"
    ):
        curves.window(5)
    with pytest.raises(CurvesError, match="from 2 to 1"):
        curves.window(2, 1)
    with pytest.raises(CurvesError, match="a number; it is 'a'"):
        curves.window("a")  # type: ignore[arg-type]
    tenths = Curves(SCORES, LABELS, steps=np.array([0.1, 0.2, 0.1 + 0.2]))
    assert tenths.window(stop=0.3).n_steps == 3


def test_labels_of_any_kind_of_sequence_serve() -> None:
    assert Curves(SCORES, (label for label in LABELS)).algorithms == ("A", "B")  # type: ignore[arg-type]
    assert Curves(SCORES, pd.Series(LABELS)).algorithms == ("A", "B")


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
    with pytest.raises(CurvesError, match="same name when written out"):
        Curves.from_dict({1: SCORES, "1": SCORES})  # type: ignore[dict-item]
    with pytest.raises(CurvesError, match="'A': Scores must be runs × steps"):
        Curves.from_dict({"A": SCORES[0]})


@pytest.mark.parametrize("library", ["polars", "lazy polars", "pandas", "pyarrow"])
def test_any_frame_gives_the_same_curves(library: str) -> None:
    curves = some_curves(1, (3, 2))
    frame = long_frame(curves)
    converted: Any = {
        "polars": lambda: frame,
        "lazy polars": frame.lazy,
        "pandas": frame.to_pandas,
        "pyarrow": frame.to_arrow,
    }[library]()
    assert Curves.from_frame(converted, **COLUMNS) == curves


def test_the_order_of_rows_does_not_matter() -> None:
    curves = some_curves(2, (4, 3))
    shuffled = long_frame(curves).sample(fraction=1, shuffle=True, seed=0)
    assert Curves.from_frame(shuffled, **COLUMNS) == curves


def test_runs_come_in_natural_order_and_may_share_names() -> None:
    frame = pd.DataFrame(
        {
            "agent": ["A"] * 3 + ["B"] * 3,
            "seed": ["run 10", "run 9", "run 1"] * 2,
            "epoch": [0] * 6,
            "return": [10, 9, 1, 20, 19, 11],
        }
    )
    curves = Curves.from_frame(frame, **COLUMNS)
    assert curves.runs.tolist() == ["run 1", "run 9", "run 10"] * 2
    assert curves.scores[:, 0].tolist() == [1, 9, 10, 11, 19, 20]


def test_numbers_as_names_read_as_written() -> None:
    frame = long_frame(some_curves(0, (2, 2))).with_columns(
        pl.col("agent").replace_strict({"A": 0.5, "B": 2.0}).alias("agent"),
        pl.col("seed").cast(pl.Float64),
    )
    curves = Curves.from_frame(frame, **COLUMNS)
    assert curves.algorithms == ("0.5", "2")
    assert curves.runs.tolist() == ["0", "1", "0", "1"]


def test_blocks_are_read_once_per_run() -> None:
    curves = some_curves(0, (2, 2), blocks=["x", "y", "x", "y"])
    assert curves.blocks is not None
    frame = long_frame(curves, fold=np.repeat(curves.blocks, 6).tolist())
    assert Curves.from_frame(frame, block="fold", **COLUMNS) == curves
    with pytest.raises(CurvesError, match=r"run '0' of 'A' lies in .* Name as the block"):
        Curves.from_frame(frame, block="epoch", **COLUMNS)


def test_some_algorithms_and_steps_can_be_kept() -> None:
    curves = some_curves(0, (2, 2, 2))
    kept = Curves.from_frame(
        long_frame(curves), only=["A", "C"], start=2, stop=4, **COLUMNS
    )
    assert kept == curves.select("A", "C").window(2, 4)


def frame_without(rows: list[int]) -> pl.DataFrame:
    return (
        long_frame(some_curves(0, (2, 2), 4))
        .with_row_index()
        .filter(~pl.col("index").is_in(rows))
    )


def test_runs_that_stop_early_are_named_with_the_remedy() -> None:
    with pytest.raises(
        CurvesError,
        match=r"1 of 4 runs lack some of the 4 steps: run '0' of 'A' has 2 and none at step 2"
        r".*share the steps 0 to 1 \(start=0, stop=1; --from 0 --to 1\)",
    ):
        Curves.from_frame(frame_without([2, 3]), **COLUMNS)
    assert Curves.from_frame(frame_without([2, 3]), stop=1, **COLUMNS).n_steps == 2


def test_runs_without_common_steps_need_no_memory_for_all_of_them() -> None:
    n_runs, n_steps = 60, 2_000
    frame = pl.DataFrame(
        {
            "agent": ["A"] * (n_runs * n_steps),
            "seed": np.repeat(np.arange(n_runs), n_steps),
            # Every run has steps of its own: runs × steps is 7.2 million, the table 120,000.
            "epoch": np.arange(n_runs * n_steps) * 1_000_003,
            "return": 0.5,
        }
    )
    with pytest.raises(CurvesError, match="60 of 60 runs lack some of the 120000 steps"):
        Curves.from_frame(frame, **COLUMNS)


def test_repeated_rows_are_named() -> None:
    frame = long_frame(some_curves(0, (2, 2), 4))
    with pytest.raises(
        CurvesError,
        match=r"2 rows with a run and step .* run '0' of 'A' has 3 scores at step 0",
    ):
        Curves.from_frame(pl.concat([frame, frame[:1], frame[:1]]), **COLUMNS)
    # As many rows as cells, yet one cell twice and one not at all.
    with pytest.raises(
        CurvesError, match=r"1 row with a run and step .* run '0' of 'A' has 2 scores"
    ):
        Curves.from_frame(pl.concat([frame[:-1], frame[:1]]), **COLUMNS)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("agent", [None, "A", "B", "B"], "algorithm is missing in 1 row, .* data row 1"),
        ("seed", [0.0, float("nan"), 0.0, 1.0], "run is missing in 1 row, .* data row 2"),
        ("epoch", ["a", "1", "0", "1"], r"Steps must be numbers; .* data row 1 \('a'\)"),
        (
            "return",
            ["1", "n/a", "2", "3"],
            "1 score is missing, .* run '0' of 'A' at step 1",
        ),
        ("return", [1, None, 2, 3], "1 score is missing, .* run '0' of 'A' at step 1"),
    ],
)
def test_bad_cells_are_named(column: str, values: list[Any], message: str) -> None:
    frame = pl.DataFrame(
        {
            "agent": ["A", "A", "B", "B"],
            "seed": [0.0, 0.0, 0.0, 0.0],
            "epoch": [0, 1, 0, 1],
            "return": [1.0, 2.0, 3.0, 4.0],
        }
    ).with_columns(pl.Series(column, values))
    with pytest.raises(CurvesError, match=message):
        Curves.from_frame(frame, **COLUMNS)


def test_a_missing_column_or_a_thing_that_is_no_frame_is_refused() -> None:
    frame = long_frame(some_curves(0))
    with pytest.raises(
        CurvesError, match=r"called 'sed'; there are .* did you mean 'seed'"
    ):
        Curves.from_frame(frame, **{**COLUMNS, "run": "sed"})
    with pytest.raises(CurvesError, match="A list is not a table"):
        Curves.from_frame([1, 2], **COLUMNS)
    with pytest.raises(CurvesError, match="no rows"):
        Curves.from_frame(frame[:0], **COLUMNS)
