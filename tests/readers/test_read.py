from __future__ import annotations

import gzip
import json
import os
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from curvewise import Curves, CurvesError, read
from tests.simulation import some_curves
from tests.test_curves import long_frame

CURVES = some_curves(0, (3, 2), 4)


def wide_frame(curves: Curves, prefix: str = "") -> pl.DataFrame:
    return pl.DataFrame(
        {
            "method": curves.labels.tolist(),
            "trial": curves.runs.tolist(),
            **{
                f"{prefix}{step}": curves.scores[:, h]
                for h, step in enumerate(curves.steps)
            },
        }
    )


def write(frame: pl.DataFrame, path: Path) -> Path:
    name = path.name.removesuffix(".gz")
    writers: dict[str, Any] = {
        ".csv": frame.write_csv,
        ".tsv": lambda p: frame.write_csv(p, separator="\t"),
        ".jsonl": frame.write_ndjson,
        ".ndjson": frame.write_ndjson,
        ".parquet": frame.write_parquet,
        ".pq": frame.write_parquet,
    }
    plain = path.with_name(name)
    writers[plain.suffix](plain)
    if name != path.name:
        path.write_bytes(gzip.compress(plain.read_bytes()))
    return path


@pytest.mark.parametrize(
    "name",
    ["a.csv", "a.tsv", "a.jsonl", "a.ndjson", "a.parquet", "a.pq", "a.csv.gz", "A.CSV"],
)
def test_long_tables_of_every_kind(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write(long_frame(CURVES), tmp_path / name.lower()).rename(path)
    found = read(path)
    assert found == CURVES
    assert found.source == (
        f"{name}: algorithm from 'agent', run from 'seed', step from 'epoch', "
        "score from 'return'"
    )


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet"])
@pytest.mark.parametrize("prefix", ["", "step_", "Epoch ", "t="])
def test_wide_tables_of_every_kind(tmp_path: Path, name: str, prefix: str) -> None:
    found = read(write(wide_frame(CURVES, prefix), tmp_path / name))
    assert found == CURVES
    assert "wide form" in found.source


def test_wide_columns_come_in_order_of_their_steps(tmp_path: Path) -> None:
    frame = wide_frame(CURVES).select("3", "method", "1", "trial", "0", "2")
    assert read(write(frame, tmp_path / "a.csv")) == CURVES
    assert read(tmp_path / "a.csv", only=["B"], start=1, stop=2) == CURVES.select(
        "B"
    ).window(1, 2)


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


def test_rows_in_any_order_give_equal_curves(tmp_path: Path) -> None:
    frame = long_frame(CURVES).sample(fraction=1, shuffle=True, seed=3)
    assert read(write(frame, tmp_path / "a.csv")) == CURVES
    with_names = wide_frame(CURVES).sample(fraction=1, shuffle=True, seed=3)
    found = read(write(with_names, tmp_path / "b.csv"))
    assert sorted(map(tuple, found.scores.tolist())) == sorted(
        map(tuple, CURVES.scores.tolist())
    )


def test_arrays(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    a, b = CURVES.scores[:3], CURVES.scores[3:]
    np.savez(path, A=a, B=b, steps=[5, 6, 7, 8])
    found = read(path, stop=7)
    assert found.steps.tolist() == [5, 6, 7]
    assert found.sizes == (3, 2)
    assert read(path, only=["B"]).algorithms == ("B",)
    with pytest.raises(CurvesError, match="no columns to name"):
        read(path, run="seed")


def test_named_columns_go_before_recognised_ones(tmp_path: Path) -> None:
    frame = long_frame(CURVES).with_columns(pl.col("return").alias("loss") * 2)
    path = write(frame, tmp_path / "a.csv")
    found = read(path, score="loss", higher_is_better=False)
    np.testing.assert_allclose(found.scores, 2 * CURVES.scores)
    assert not found.higher_is_better


def test_usual_names_are_recognised_in_any_case_and_with_spaces(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        " Agent ; SEED;Step;Reward\n a;1;0;1\n a;2;0;2\nb;1;0;3\nb;2;0;5\n",
        encoding="utf-8",
    )
    found = read(path)
    assert found.scores[:, 0].tolist() == [1, 2, 3, 5]


def test_whole_numbers_that_turn_decimal_are_read(tmp_path: Path) -> None:
    """Types guessed from the first rows would fail here: row 2001 is the first decimal."""
    rows = [f"A,{run},{step},{step}" for run in range(2) for step in range(2_000)]
    rows += [f"B,x{run},{step},{step + 0.5}" for run in range(2) for step in range(2_000)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["algorithm,run,step,score", *rows]), encoding="utf-8")
    assert read(path).runs.tolist() == ["0", "1", "x0", "x1"]


def test_names_of_all_kinds_survive(tmp_path: Path) -> None:
    names = [
        "a,b",
        'say "hi"',
        "ünïcode 日本",
        "<script>alert(1)</script>",
        "\x1b[31mred",
    ]
    curves = Curves(np.arange(20.0).reshape(10, 2), np.repeat(names, 2))
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        assert set(read(write(long_frame(curves), tmp_path / name)).algorithms) == set(
            names
        )


def test_blocks(tmp_path: Path) -> None:
    curves = some_curves(0, (2, 2), blocks=["0", "1", "0", "1"])
    path = write(long_frame(curves), tmp_path / "a.csv")
    assert read(path, block="seed") == curves
    wide = write(wide_frame(curves), tmp_path / "b.csv")
    assert read(wide, block="trial") == curves


# --- what is refused -----------------------------------------------------------------

HEADER = "algorithm,run,step,score\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "a.csv' is empty"),
        ("a.csv", "\n\n", r"Which column is the algorithm\?"),
        ("a.csv", HEADER, "a header and no rows"),
        ("a.csv", "x,y\n1,2\n", r"Which column is the algorithm\? .* there are 'x', 'y'"),
        ("a.csv", "algorithm,step,score\nA,1,2\n", r"Which column is the run\?"),
        ("a.csv", "algorithm,run,step\nA,1,2\n", r"Which column is the score\?"),
        ("a.csv", "algorithm,run,score\nA,1,2\n", r"Which column is the step\?"),
        (
            "a.csv",
            "agent,method,run,step,score\n",
            "'agent' and 'method' could each be the alg",
        ),
        (
            "a.csv",
            HEADER + "A,1,0,1\nA,1,1,1,9\n",
            "Line 3 has 5 fields and the header 4",
        ),
        (
            "a.csv",
            HEADER + "A,1,0,1\nA,1,1,oops\n",
            "Line 3 of a.csv has 'oops' in column 'score', .*run '1', step '1'",
        ),
        ("a.csv", HEADER + "A,1,0,1\nA,1,1,inf\n", "run '1' of 'A' at step 1"),
        ("a.csv", HEADER + "A,1,0,1\nA,1,1,\n", "run '1' of 'A' at step 1"),
        (
            "a.csv",
            HEADER + "A,1,0,1\nA,1,x,1\n",
            "Line 3 of a.csv has 'x' in column 'step'",
        ),
        ("a.csv", HEADER + ",1,0,1\n", "algorithm is missing in 1 row"),
        (
            "a.csv",
            HEADER + "A,1,0,1\nA,1,0,1\n",
            "1 row with a run and step already given",
        ),
        (
            "a.csv",
            HEADER + "A,1,0,1\nA,1,1,1\nA,2,0,1\n",
            "1 of 2 runs lack .* '2' of 'A'",
        ),
        ("a.csv", "algorithm,0,0.0\nA,1,2\n", "Two columns stand for step 0"),
        ("a.csv", "algorithm,0,1\nA,1,x\n", "has 'x' in column '1'"),
        (
            "a.csv",
            "algorithm,0,1\n,1,2\n",
            "'algorithm' is empty in 1 row, .* data row 1",
        ),
        ("a.csv", "\xff\xfe\x00a\x00,", "not text in UTF-8"),
        ("a.tsv", "algorithm,run,step,score\n", r"Which column is the algorithm\?"),
        ("a.csv", HEADER + 'A,1,0,1\nA,1,1,"0,5"\n', "Write decimals with a point"),
        ("a.csv", HEADER + "A,1,0,1\nA,1,1 ,5\n", "Remove the spaces around numbers"),
        ("a.csv", HEADER + 'A,"1,0,1\nA,1,1,2\n', "cannot be read"),
        ("a.csv", "algorithm,run,step,score,score\nA,1,0,1,2\n", "2 columns .* 'score'"),
        ("a.csv", HEADER + "A,1,0,1\nB\xe4r,1,0,2\n", "not text in UTF-8"),
        ("a.csv", HEADER + "A,1,1e17,1\n", "Steps as large as 1e"),
        ("a.jsonl", '{"agent": "A", "run": 1, "step": 0, "score": NaN}\n', "at step 0"),
        (
            "a.jsonl",
            '{"agent": "A", "step": 5, "score": [1, 2, 3]}\n',
            "holds a list in each row and 'step' a single value",
        ),
        (
            "a.jsonl",
            '{"agent": "A", "score": [1]}\n{"agent": "A", "score": []}\n',
            "Data row 2 has 0 in 'score'",
        ),
        (
            "a.jsonl",
            '{"agent": "A", "steps": [1, 2], "score": [1]}\n',
            "Data row 1 has 1 in 'score' and 2 in 'steps'",
        ),
        ("a.jsonl", "[1, 2]\n", "Line 1 of a.jsonl is not a JSON object"),
        ("a.jsonl", '{"a": 1}\n{"a": \n', "Line 2 of a.jsonl is not JSON"),
        ("a.jsonl", "\n", "a.jsonl is empty: it needs"),
        ("a.parquet", "nonsense", "cannot be read as Parquet"),
        ("a.npz", "nonsense", "not an NPZ archive"),
        ("a.xlsx", "nonsense", "must end in one of .csv"),
        ("a.csv.gz", "nonsense", "cannot be read as CSV"),
    ],
)
def test_bad_files_are_refused_with_a_reason(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(CurvesError, match=message):
        read(path)


def test_a_wrong_column_name_gets_a_hint(tmp_path: Path) -> None:
    path = write(long_frame(CURVES), tmp_path / "a.csv")
    with pytest.raises(CurvesError, match=r"called 'retrun'; .* did you mean 'return'"):
        read(path, score="retrun")


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(CurvesError, match="There is no file"):
        read(tmp_path / "a.csv")
    for folder in (tmp_path / "folder.csv", tmp_path / "folder"):
        folder.mkdir()
        with pytest.raises(CurvesError, match="is a directory"):
            read(folder)


def test_a_file_that_may_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(long_frame(CURVES), tmp_path / "a.csv")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    # Not by changing its mode: who runs tests as root may read everything.
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(CurvesError, match="cannot be read: Permission denied"):
        read(path)


def test_archives_that_could_run_code_are_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, A=np.array([{"x": 1}], dtype=object))
    with pytest.raises(CurvesError, match="could run code"):
        read(path)
    np.savez(path, A=np.arange(3.0))
    with pytest.raises(CurvesError, match="'A': Scores must be runs × steps"):
        read(path)
    np.savez(path, steps=np.arange(3.0))
    with pytest.raises(CurvesError, match="holds no curves"):
        read(path)


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez_compressed(path, A=np.random.default_rng(0).normal(size=(5, 500)))
    content = bytearray(path.read_bytes())
    content[2_000:2_100] = bytes(100)
    path.write_bytes(bytes(content))
    with pytest.raises(CurvesError, match="is damaged and cannot be read"):
        read(path)


def test_blank_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(HEADER + "A,1,0,1\n\nA,2,0,3\n\n\n", encoding="utf-8")
    assert read(path).scores[:, 0].tolist() == [1, 3]


def test_file_names_are_not_patterns(tmp_path: Path) -> None:
    for suffix in (".csv", ".jsonl", ".parquet"):
        write(long_frame(CURVES.select("A")), tmp_path / f"a1{suffix}")
        write(long_frame(CURVES), tmp_path / f"a[1]{suffix}")
        assert read(tmp_path / f"a[1]{suffix}") == CURVES


def test_columns_that_are_no_steps_are_told(tmp_path: Path) -> None:
    frame = wide_frame(CURVES).rename({"3": "3k"})
    found = read(write(frame, tmp_path / "a.csv"))
    assert found.source.startswith("a.csv: wide form, 3 steps, algorithm from 'method'")
    assert found.source.endswith("; not used: '3k'")


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(CurvesError, match="is not a regular file"):
        read(tmp_path / "a.csv")


def test_dates_are_no_scores(tmp_path: Path) -> None:
    frame = wide_frame(CURVES).with_columns(pl.lit(date(2026, 1, 1)).alias("2"))
    with pytest.raises(CurvesError, match=r"5 scores are missing, .* at step 2"):
        read(write(frame, tmp_path / "a.parquet"))
    np.savez(tmp_path / "a.npz", A=np.array([["2026-01-01"]], dtype="M8[D]"))
    with pytest.raises(CurvesError, match="Scores must be numbers, not datetime64"):
        read(tmp_path / "a.npz")


def test_arrays_of_fixed_length_hold_whole_curves(tmp_path: Path) -> None:
    frame = pl.DataFrame({"model": CURVES.labels.tolist(), "seed": CURVES.runs.tolist()})
    scores = pl.Series("score", CURVES.scores, dtype=pl.Array(pl.Float64, 4))
    frame.with_columns(scores).write_parquet(tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == CURVES


def test_keys_that_appear_late_are_still_there(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [{"agent": "A", "seed": "x", "step": step, "score": step} for step in range(3)]
    rows.append({"agent": "A", "seed": "x", "step": 3})
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with pytest.raises(CurvesError, match=r"1 score is missing, .* at step 3"):
        read(path)
