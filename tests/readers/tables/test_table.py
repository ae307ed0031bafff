"""Long form, wide form, and rows that hold whole curves."""

from __future__ import annotations

from datetime import date
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import polars as pl
import pytest

from curvewise import CurvesError, read
from curvewise.readers import table_formats as delimited
from tests.data.tables import long_frame, wide_frame, write
from tests.simulation import some_curves

CURVES = some_curves(0, (3, 2), 4)


def test_rows_in_any_order_give_equal_curves(tmp_path: Path) -> None:
    frame = long_frame(CURVES).sample(fraction=1, shuffle=True, seed=3)
    assert read(write(frame, tmp_path / "a.csv")) == CURVES
    with_names = wide_frame(CURVES).sample(fraction=1, shuffle=True, seed=3)
    found = read(write(with_names, tmp_path / "b.csv"))
    assert sorted(map(tuple, found.scores.tolist())) == sorted(map(tuple, CURVES.scores.tolist()))


def test_wide_columns_come_in_order_of_their_steps(tmp_path: Path) -> None:
    frame = wide_frame(CURVES).select("3", "method", "1", "trial", "0", "2")
    assert read(write(frame, tmp_path / "a.csv")) == CURVES
    assert read(tmp_path / "a.csv", only=["B"], start=1, stop=2) == CURVES.select("B").window(1, 2)


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_rows_that_hold_whole_curves(tmp_path: Path, name: str) -> None:
    frame = pl.DataFrame(
        {
            "model": CURVES.labels.tolist(),
            "seed": [int(run) for run in CURVES.runs],
            "scores": CURVES.scores.tolist(),
        }
    )
    assert read(write(frame, tmp_path / name)) == CURVES
    steps = frame.with_columns(pl.Series("steps", [[0, 1, 2, 3]] * 5))
    assert read(write(steps, tmp_path / name)) == CURVES
    assert read(write(frame.drop("seed"), tmp_path / name)).sizes == (3, 2)


def test_columns_that_are_no_steps_are_told(tmp_path: Path) -> None:
    frame = wide_frame(CURVES).rename({"3": "3k"})
    found = read(write(frame, tmp_path / "a.csv"))
    assert found.source.startswith("a.csv: wide form, 3 steps, algorithm from 'method'")
    assert found.source.endswith("; not used: '3k'")


def test_dates_are_no_scores(tmp_path: Path) -> None:
    frame = wide_frame(CURVES).with_columns(pl.lit(date(2026, 1, 1)).alias("2"))
    with pytest.raises(CurvesError, match=r"Scores must be numbers; column '2' has datetime"):
        read(write(frame, tmp_path / "a.parquet"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "algorithm,run,step,score\n", "a header but no rows"),
        ("a.csv", "x,y\n1,2\n", r"Which column is the algorithm\? .* there are 'x', 'y'"),
        ("a.csv", "algorithm,step,score\nA,1,2\n", "no column left that could be the run"),
        ("a.csv", "algorithm,run,step\nA,1,2\n", "no column left that could be the score"),
        ("a.csv", "algorithm,run,score\nA,1,2\n", "no column left that could be the step"),
        ("a.csv", "agent,method,run,step,score\n", "could each be the algorithm"),
        ("a.csv", "algorithm,0,0.0\nA,1,2\n", "Two columns are both step 0"),
        ("a.csv", f"algorithm,0,{2**53 + 1}\nA,1,2\n", "Steps as large as 9.007e"),
        (
            "a.csv",
            "algorithm,0,1\n,1,2\n",
            "algorithm is missing in 1 row, .* data row 1 .* Fill it in, or drop these rows",
        ),
        ("a.csv", "\xff\xfe\x00a\x00,", "not text in UTF-8"),
        (
            "a.jsonl",
            '{"agent": "A", "step": 5, "score": [1, 2, 3]}\n',
            "'score' holds a list in each row, but 'step' a single value",
        ),
        (
            "a.jsonl",
            '{"agent": "A", "score": [1]}\n{"agent": "A", "score": []}\n',
            "Data row 2 has 0 values in 'score'",
        ),
        (
            "a.jsonl",
            '{"agent": "A", "steps": [1, 2], "score": [1]}\n',
            "Data row 1 has 1 value in 'score' and 2 values in 'steps'; each run needs",
        ),
        ("a.parquet", "nonsense", r"cannot be read as Parquet: .*\. Write the file again"),
        ("a.csv.gz", "nonsense", r"cannot be read as CSV: .*\. Write the file again"),
    ],
)
def test_tables_that_lack_something_are_refused(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(CurvesError, match=message):
        read(path)


def test_a_file_that_fails_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Path) -> None:
        raise OSError(5, "Input/output error")

    path = write(long_frame(CURVES), tmp_path / "a.csv")
    monkeypatch.setattr(delimited, "_header", fail)
    with pytest.raises(CurvesError, match=r"a\.csv cannot be read: Input/output error"):
        read(path)
