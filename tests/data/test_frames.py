"""Long tables of any library become runs × steps, or the rows that do not fit are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from curvewise import Curves, CurvesError, OptionError
from curvewise.data.tables import natural_order
from curvewise.text import naming_flags
from tests.data.tables import COLUMNS, as_frame_of, long_frame
from tests.simulation import some_curves


@pytest.mark.parametrize("library", ["polars", "lazy", "pandas", "pyarrow"])
def test_any_frame_gives_the_same_curves(library: str) -> None:
    curves = some_curves(1, (3, 2))
    frame = long_frame(curves)
    assert Curves.from_frame(as_frame_of(library, frame), **COLUMNS) == curves


def test_the_order_of_rows_does_not_matter() -> None:
    curves = some_curves(2, (4, 3))
    shuffled = long_frame(curves).sample(fraction=1, shuffle=True, seed=0)
    assert Curves.from_frame(shuffled, **COLUMNS) == curves


def test_runs_come_in_natural_order_and_may_share_names() -> None:
    pd = pytest.importorskip("pandas")
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
    kept = Curves.from_frame(long_frame(curves), only=["A", "C"], start=2, stop=4, **COLUMNS)
    assert kept == curves.select("A", "C").window(2, 4)


def frame_without(rows: list[int]) -> pl.DataFrame:
    return (
        long_frame(some_curves(0, (2, 2), 4)).with_row_index().filter(~pl.col("index").is_in(rows))
    )


def test_runs_that_stop_early_are_named_with_the_remedies() -> None:
    with pytest.raises(CurvesError, match=r"A: run '0' ends at step 1\. .*\n  short=\"prefix\""):
        Curves.from_frame(frame_without([2, 3]), **COLUMNS)
    assert Curves.from_frame(frame_without([2, 3]), stop=1, **COLUMNS).n_steps == 2
    cut = Curves.from_frame(frame_without([2, 3]), short="prefix", **COLUMNS)
    assert cut.steps.tolist() == [0, 1]
    with naming_flags(), pytest.raises(CurvesError, match="--short worst: "):
        Curves.from_frame(frame_without([2, 3]), **COLUMNS)


def test_runs_with_holes_are_aligned() -> None:
    found = Curves.from_frame(frame_without([1, 6]), **COLUMNS)
    whole = some_curves(0, (2, 2), 4)
    assert found.preparation is not None
    assert found.preparation.n_interpolated == 2
    assert found.preparation.n_scores_interpolated == 2
    for run, step in ((0, 1), (1, 2)):
        between = (whole.scores[run, step - 1] + whole.scores[run, step + 1]) / 2
        np.testing.assert_allclose(found.scores[run, step], between)
    is_logged = np.ones((4, 4), dtype=np.bool_)
    is_logged[[0, 1], [1, 2]] = False
    assert (found.scores[is_logged] == whole.scores[is_logged]).all()


def test_a_window_may_end_between_the_steps_of_a_run() -> None:
    """Points beyond it tell that the run goes on."""
    frame = pl.DataFrame(
        {
            "agent": ["A"] * 7 + ["B"] * 4,
            "seed": [0] * 11,
            "epoch": [0, 3, 6, 9, 12, 15, 30, 0, 10, 20, 30],
            "return": [0.0, 3, 6, 9, 12, 15, 30, 0, 10, 20, 30],
        }
    )
    found = Curves.from_frame(frame, stop=20, **COLUMNS)
    assert found.steps.tolist() == [0, 10, 20]
    assert found.scores.tolist() == [[0, 10, 20], [0, 10, 20]]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_rows_without_a_score_count_as_nothing(library: str) -> None:
    """Those of another metric; neither as repeats nor as gaps."""
    frame = long_frame(some_curves(0, (2, 2), 4))
    nothing = frame.with_columns(pl.lit(None, pl.Float64).alias("return"))
    both = pl.concat([frame, nothing, nothing.with_columns(pl.col("epoch") + 9)])
    found = Curves.from_frame(as_frame_of(library, both), **COLUMNS)
    assert found == Curves.from_frame(frame, **COLUMNS)
    assert found.preparation is None


def test_a_run_without_any_score_is_an_empty_run() -> None:
    frame = long_frame(some_curves(0, (2, 2), 4))
    lost = pl.when((pl.col("agent") == "B") & (pl.col("seed") == "1")).then(None)
    frame = frame.with_columns(lost.otherwise(pl.col("return")).alias("return"))
    with pytest.raises(CurvesError, match="B: run '1' is empty"):
        Curves.from_frame(frame, **COLUMNS)
    found = Curves.from_frame(frame, short="worst", **COLUMNS)
    assert (found.scores[3] == found.scores[:3].min()).all()


def test_nan_that_was_written_is_divergence() -> None:
    curves = some_curves(0, (2, 2), 10)
    frame = long_frame(curves).with_columns(
        pl.when(pl.int_range(pl.len()).is_in([8, 9]))
        .then(float("nan"))
        .otherwise(pl.col("return"))
        .alias("return")
    )
    with pytest.raises(CurvesError, match="A: run '0' diverges at step 8"):
        Curves.from_frame(frame, **COLUMNS)
    found = Curves.from_frame(frame, short="drop", reason="overheated", **COLUMNS)
    assert found.n_runs == 3


def test_steps_can_be_asked_for_of_complete_tables() -> None:
    curves = some_curves(0, (2, 2), 7)
    found = Curves.from_frame(long_frame(curves), n_steps=3, **COLUMNS)
    np.testing.assert_allclose(found.scores, curves.scores[:, [0, 3, 6]])
    binned = Curves.from_frame(long_frame(curves), align="bins", n_steps=2, **COLUMNS)
    np.testing.assert_allclose(binned.scores[:, 0], curves.scores[:, :3].mean(axis=1))


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
        CurvesError, match=r"Run '59' of 'A' begins at step .* no range of steps is common"
    ):
        Curves.from_frame(frame, **COLUMNS)


def test_repeated_rows_are_named() -> None:
    frame = long_frame(some_curves(0, (2, 2), 4))
    more = frame[:1].with_columns(pl.col("return") + 1)
    with pytest.raises(
        CurvesError,
        match=r"2 rows repeat a run and step: run '0' of 'A' has 3 scores at step 0\. .*"
        r'duplicates="mean".*duplicates="last"',
    ):
        Curves.from_frame(pl.concat([frame, more, frame[:1]]), **COLUMNS)
    # As many rows as cells, yet one cell twice and one not at all.
    with pytest.raises(
        CurvesError, match=r"1 row repeats a run and step: run '0' of 'A' has 2 scores"
    ):
        Curves.from_frame(pl.concat([frame[:-1], more]), **COLUMNS)
    # Outside the window they do not matter.
    assert Curves.from_frame(pl.concat([frame, more]), start=1, **COLUMNS).n_steps == 3


def test_repeated_rows_by_request() -> None:
    curves = some_curves(0, (2, 2), 4)
    frame = long_frame(curves)
    more = frame[:1].with_columns(pl.col("return") + 1)
    both = pl.concat([frame, more])
    assert Curves.from_frame(pl.concat([frame, frame]), **COLUMNS) == curves
    for duplicates, added in (("mean", 0.5), ("last", 1)):
        found = Curves.from_frame(both, duplicates=duplicates, **COLUMNS)  # type: ignore[arg-type]
        assert found.scores[0, 0] == pytest.approx(curves.scores[0, 0] + added)
        assert found.preparation is not None
        assert found.preparation.notes[0].startswith("run '0' of 'A': 1 ")
    with pytest.raises(OptionError, match="duplicates must be 'mean' or 'last'"):
        Curves.from_frame(both, duplicates="first", **COLUMNS)  # type: ignore[arg-type]


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
        ("epoch", [0, 1, 0, 2**53], "Steps as large as 9.*e\\+15 are too large to be exact"),
        ("return", ["1", "n/a", "2", "3"], "A: run '0' ends at step 0"),
        ("return", ["1", "oops", "2", "3"], "column 'return' has 'oops' in data row 2"),
        ("return", ["1", "nan", "2", "3"], "A: run '0' diverges at step 1"),
        ("return", [1, None, 2, 3], "A: run '0' ends at step 0"),
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
    with pytest.raises(CurvesError, match=r"called 'sed'; there are .* did you mean 'seed'"):
        Curves.from_frame(frame, **{**COLUMNS, "run": "sed"})
    with pytest.raises(CurvesError, match="A list is not a table"):
        Curves.from_frame([1, 2], **COLUMNS)
    with pytest.raises(CurvesError, match="no rows"):
        Curves.from_frame(frame[:0], **COLUMNS)


def test_names_are_sorted_as_people_do() -> None:
    assert natural_order(["b10", "b9", "10", "9", "b"]) == ["9", "10", "b", "b9", "b10"]


def test_runs_that_stand_together_are_read_as_if_they_were_scattered() -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "algorithm": np.repeat(["b10", "b9", "a"], 8),
            "run": np.tile(np.repeat([10, 9], 4), 3),
            "step": np.tile([0, 5, 7, 9], 6),
            "score": rng.normal(size=24),
            "block": np.tile(np.repeat(["y", "x"], 4), 3),
        }
    )
    columns: dict[str, Any] = {name: name for name in frame.columns}
    found = Curves.from_frame(frame, **columns)
    assert found == Curves.from_frame(frame.sample(fraction=1, shuffle=True, seed=1), **columns)
    assert found.algorithms == ("a", "b9", "b10")
    assert found.runs.tolist() == ["9", "10"] * 3
    only = Curves.from_frame(frame, **columns, only=["b10", "a"])
    assert only == found.select("a", "b10")
    with pytest.raises(CurvesError, match="belongs to one block"):
        Curves.from_frame(frame.with_columns(block=pl.int_range(24) // 2), **columns)


def test_scores_of_a_frame_can_change_without_the_curves() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"algorithm": list("AABB"), "run": 0, "step": [0, 1] * 2, "score": [1.0, 2, 3, 4]}
    )
    found = Curves.from_frame(frame, algorithm="algorithm", run="run", step="step", score="score")
    frame.loc[:, "score"] = 0.0
    assert found.scores.tolist() == [[1, 2], [3, 4]]
