"""Long tables of any library become runs × steps, or the rows that do not fit are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from curvewise import Curves, CurvesError
from curvewise.data.frames import natural_order
from curvewise.text import naming_flags
from tests.data.tables import COLUMNS, long_frame
from tests.simulation import some_curves


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
    with pytest.raises(CurvesError, match=r"run '0' of 'A' is in .* Choose as the block"):
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
        match=r"Some of the 4 steps are missing in 1 of 4 runs: run '0' of 'A' has 2 and none "
        r"at step 2.* all runs have steps 0 to 1\. Keep these with start=0 and stop=1, or",
    ):
        Curves.from_frame(frame_without([2, 3]), **COLUMNS)
    assert Curves.from_frame(frame_without([2, 3]), stop=1, **COLUMNS).n_steps == 2
    with (
        naming_flags(),
        pytest.raises(CurvesError, match="Keep these with --from 0 and --to 1, or drop"),
    ):
        Curves.from_frame(frame_without([2, 3]), **COLUMNS)


def test_several_incomplete_runs_are_named() -> None:
    with pytest.raises(
        CurvesError,
        match=r"in 3 of 4 runs: .*; also incomplete: run '1' of 'A', run '0' of 'B'\. .* "
        "drop the incomplete runs, or bring all runs to common steps first",
    ):
        Curves.from_frame(frame_without([1, 6, 11]), **COLUMNS)


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
    with pytest.raises(
        CurvesError, match="Some of the 120000 steps are missing in 60 of 60 runs"
    ):
        Curves.from_frame(frame, **COLUMNS)


def test_repeated_rows_are_named() -> None:
    frame = long_frame(some_curves(0, (2, 2), 4))
    with pytest.raises(
        CurvesError,
        match=r"2 rows repeat a run and step: run '0' of 'A' has 3 scores at step 0",
    ):
        Curves.from_frame(pl.concat([frame, frame[:1], frame[:1]]), **COLUMNS)
    # As many rows as cells, yet one cell twice and one not at all.
    with pytest.raises(
        CurvesError, match=r"1 row repeats a run and step: run '0' of 'A' has 2 scores"
    ):
        Curves.from_frame(pl.concat([frame[:-1], frame[:1]]), **COLUMNS)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("agent", [None, "A", "B", "B"], "algorithm is missing in 1 row, .* data row 1"),
        ("seed", [0.0, float("nan"), 0.0, 1.0], "run is missing in 1 row, .* data row 2"),
        (
            "epoch",
            ["a", "1", "0", "1"],
            r"Steps must be numbers; .* data row 1 \('a'\)\. .* fix or drop these rows",
        ),
        (
            "epoch",
            [0, 1, 0, 2**53],
            "Steps as large as 9.*e\\+15 are too large to be exact",
        ),
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


def test_names_are_sorted_as_people_do() -> None:
    assert natural_order(["b10", "b9", "10", "9", "b"]) == ["9", "10", "b", "b9", "b10"]
