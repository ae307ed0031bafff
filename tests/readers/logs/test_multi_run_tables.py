"""Tables that hold several runs."""

from __future__ import annotations

import csv
import json
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import polars as pl
import pytest

from curvewise import CurvesError, read, scan
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import homes, points, read_all

MODULE = "tables.rows"
HEADER = "algorithm,seed,step,return,loss\n"


def everything(path: Path) -> set[tuple[str, str, str, float, float]]:
    return {
        (run.labels["algorithm"], run.labels["run"], metric, step, score)
        for run in read_all(MODULE, path).values()
        for metric in run.series
        for step, score in points(run, metric)
    }


def test_columns_of_metrics(tmp_path: Path) -> None:
    rows = "ppo,0,10,1.5,\nppo,1,10,2.5,0.1\ndqn,0,10,nan,0.2\nppo,0,20,3.5,0.3\n"
    (tmp_path / "all.csv").write_text(HEADER + rows)
    runs = read_all(MODULE, tmp_path)
    assert set(runs) == {"all.csv#ppo 0", "all.csv#ppo 1", "all.csv#dqn 0"}
    run = runs["all.csv#ppo 0"]
    assert run.labels == {"algorithm": "ppo", "run": "0"}
    assert (points(run, "return"), points(run, "loss")) == ([(10, 1.5), (20, 3.5)], [(20, 0.3)])
    only = read_all(MODULE, tmp_path, wanted=Wanted(frozenset({"loss"})))
    assert all(list(run.series) == ["loss"] for run in only.values())


def test_a_column_of_metrics_as_in_any_tidy_table(logs: Path) -> None:
    path = logs / "sacred" / "truth.csv"
    runs = read_all(MODULE, logs / "sacred")
    found = {
        (run.labels["algorithm"], run.labels["run"], metric, step, repr(score))
        for name, run in runs.items()
        if name.startswith("truth.csv")
        for metric in run.series
        for step, score in points(run, metric)
    }
    with path.open() as file:
        truth = {
            (
                row["algorithm"],
                row["run"],
                row["metric"],
                float(row["step"]),
                repr(float(row["score"])),
            )
            for row in csv.DictReader(file)
        }
    assert found == truth
    assert len(truth) > 100


LONG = [
    {"algo": "ppo", "seed": 0, "step": 0, "metric": "acc", "value": 0.5},
    {"algo": "ppo", "seed": 0, "step": 5, "metric": "acc", "value": 0.75},
    {"algo": "ppo", "seed": 0, "step": 0, "metric": "loss", "value": 2.0},
    {"algo": "dqn", "seed": 1, "step": 0, "metric": "acc", "value": 0.25},
]
POINTS = {
    ("ppo", "0", "acc", 0.0, 0.5),
    ("ppo", "0", "acc", 5.0, 0.75),
    ("ppo", "0", "loss", 0.0, 2.0),
    ("dqn", "1", "acc", 0.0, 0.25),
}


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl", "json"])
def test_the_same_table_in_every_format(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"table.{ending}"
    frame = pl.DataFrame(LONG)
    if ending == "parquet":
        # As pandas writes a column of numbers with a hole in it.
        frame.with_columns(pl.col("seed").cast(pl.Float64)).write_parquet(path)
    elif ending == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in LONG))
    elif ending == "json":
        path.write_text(json.dumps(LONG))
    else:
        frame.write_csv(path, separator="\t" if ending == "tsv" else ",")
    assert everything(tmp_path) == POINTS


@pytest.mark.parametrize(
    ("header", "row", "metrics"),
    [
        ("name,seed,step,score", "{algo},{seed},{step},1", ["score"]),
        ("algo,name,seed,step,score", "{algo},{algo}-{seed},{seed},{step},1", ["score"]),
        (
            "algo,seed,step,name,value",
            "{algo},{seed},{step},EpLen,9\n{algo},{seed},{step},EpReturn,1",
            ["EpLen", "EpReturn"],
        ),
    ],
)
def test_a_column_of_names_is_of_what_it_holds(
    tmp_path: Path, header: str, row: str, metrics: list[str]
) -> None:
    path = tmp_path / "results.csv"
    own = [(algo, seed, step) for algo in ("ppo", "sac") for seed in "01" for step in "05"]
    rows = [row.format(algo=algo, seed=seed, step=step) for algo, seed, step in own]
    path.write_text("\n".join([header, *rows, ""]))
    found = scan(path)
    assert list(found.metrics) == metrics
    assert {(run.algorithm, run.run) for run in found.runs} == {run[:2] for run in own}
    # What inspect says is what is read.
    assert read(path).algorithms == ("ppo", "sac")


def test_a_run_of_its_own_with_a_column_of_metrics(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("step,metric,value\n0,loss,2\n0,acc,0.5\n1,loss,1\n")
    (run,) = read_all(MODULE, tmp_path).values()
    assert points(run, "loss") == [(0, 2.0), (1, 1.0)]
    assert points(run, "acc") == [(0, 0.5)]
    assert run.labels == {}


def test_a_column_per_step(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("agent,run,200,0,100\nppo,1,3,1,2\nppo,2,6,,5\n")
    runs = read_all(MODULE, tmp_path)
    assert points(runs["wide.csv#ppo 1"], "score") == [(0, 1.0), (100, 2.0), (200, 3.0)]
    assert points(runs["wide.csv#ppo 2"], "score") == [(100, 5.0), (200, 6.0)]


def test_lists_in_cells(tmp_path: Path) -> None:
    rows = [
        {"agent": "ppo", "run": 1, "return": [1.0, 2.0]},
        {"agent": "ppo", "run": 2, "return": [3.0]},
    ]
    expected = {
        ("ppo", "1", "return", 0.0, 1.0),
        ("ppo", "1", "return", 1.0, 2.0),
        ("ppo", "2", "return", 0.0, 3.0),
    }
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "runs.jsonl").write_text("".join(f"{json.dumps(r)}\n" for r in rows))
    pl.DataFrame(rows).write_parquet(tmp_path / "b" / "runs.parquet")
    assert everything(tmp_path / "a") == everything(tmp_path / "b") == expected


def test_tasks_and_settings(tmp_path: Path) -> None:
    (tmp_path / "ppo.csv").write_text(
        "env_id,seed,fold,step,score,machine\nA-v1,1,7,0,1,x\nA-v1,1,7,1,2,x\nB-v1,2,7,0,3,y\n"
    )
    first, second = read_all(MODULE, tmp_path).values()
    assert first.labels == {"run": "1", "task": "A-v1"}
    assert second.labels == {"run": "2", "task": "B-v1"}
    assert first.config == {"machine": "x"}


def test_rows_without_a_name_and_cut_lines_are_said(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text(HEADER + "ppo,0,10,1,1\n,0,10,1,1\nppo,0,20,3")
    (run,) = read_all(MODULE, tmp_path).values()
    assert points(run, "return") == [(10, 1.0)]
    assert run.notes == [
        "the last line of all.csv is cut and was left out",
        "1 row of all.csv without the name of a run left out",
    ]


@pytest.mark.parametrize("ending", ["csv", "txt"])
@pytest.mark.parametrize("separator", [",", "|", " "])
def test_rows_are_read_in_any_order_and_without_a_last_newline(
    tmp_path: Path, ending: str, separator: str
) -> None:
    rows = ["ppo,0,1,1.1", "dqn,0,0,2.0", "ppo,0,0,1.0", "dqn,0,2,2.2", "ppo,0,2,1.2"]
    rows += ["ppo,0,1,1.1", "dqn,0,1,2.1"]  # the same row again says nothing new
    text = "\n".join(["algorithm,seed,step,return", *rows]).replace(",", separator)
    (tmp_path / f"all.{ending}").write_text(text)
    runs = read_all(MODULE, tmp_path)
    assert points(runs[f"all.{ending}#dqn 0"], "return") == [(0, 2.0), (1, 2.1), (2, 2.2)]
    ppo = runs[f"all.{ending}#ppo 0"]
    assert points(ppo, "return") == [(0, 1.0), (1, 1.1), (1, 1.1), (2, 1.2)]
    assert not ppo.notes
    assert {run.metrics["return"].n_points for run in scan(tmp_path).runs} == {3}


def test_a_resumed_run_of_a_table_is_told_by_the_order_of_its_rows(tmp_path: Path) -> None:
    rows = "ppo,0,0,1,\nppo,0,1,2,\nppo,0,2,3,\nppo,0,1,7,\n"
    (tmp_path / "all.csv").write_text(HEADER + rows)
    (run,) = read_all(MODULE, tmp_path).values()
    assert points(run, "return") == [(0, 1), (1, 2), (2, 3), (1, 7)]


def test_scores_of_whole_runs_are_refused(tmp_path: Path) -> None:
    (tmp_path / "final.csv").write_text("algorithm,seed,score\nppo,0,1\nppo,1,2\n")
    with pytest.raises(CurvesError, match="one row per run and no steps"):
        read_all(MODULE, tmp_path)


def test_runs_that_cannot_be_told_apart_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("algorithm,step,score\nppo,0,1\nppo,5,1\nppo,5,2\n")
    with pytest.raises(CurvesError, match="several values of 'score' for 'ppo' at step 5"):
        read_all(MODULE, tmp_path)


def test_a_damaged_parquet_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame(
        {"algorithm": ["a"] * 5_000, "seed": 1, "step": range(5_000), "r": 0.5}
    ).write_parquet(path)
    content = bytearray(path.read_bytes())
    content[100:160] = bytes(60)
    path.write_bytes(bytes(content))
    with pytest.raises(CurvesError, match=r"a.parquet cannot be read as Parquet"):
        read_all(MODULE, tmp_path)
    path.write_bytes(b"PAR1 and nothing else")
    assert homes(MODULE, tmp_path) == {}


def test_homes(tmp_path: Path) -> None:
    # A run's own log may tell its seed in a column; a table of runs stands for itself.
    (tmp_path / "progress.csv").write_text("step,seed,loss\n0,3,1\n")
    (tmp_path / "ppo").mkdir()
    (tmp_path / "ppo" / "results.csv").write_text(HEADER)
    assert set(homes(MODULE, tmp_path)) == {tmp_path, tmp_path / "ppo" / "results.csv"}


def test_tables_of_one_run_are_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "progress.csv").write_text("step,loss,value\n0,1,2\n")
    (tmp_path / "metrics.jsonl").write_text('{"step": 0, "loss": 1}\n')
    (tmp_path / "config.json").write_text('{"seed": 3, "algorithm": "ppo", "steps": 9}')
    assert homes(MODULE, tmp_path) == {}


def test_a_table_without_rows_is_a_run_without_a_point(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text(HEADER)
    (run,) = read_all(MODULE, tmp_path).values()
    assert (run.series, run.labels) == ({}, {})


def test_decimals_with_a_comma_are_refused(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("algorithm;seed;step;return\nppo;1;0;1,5\nppo;1;1;2,5\n")
    with pytest.raises(CurvesError, match=r"'1,5', .* with a point"):
        read_all(MODULE, tmp_path)


def test_what_a_record_says_of_its_run_in_an_object(tmp_path: Path) -> None:
    rows = [
        {"run": {"algo": algo, "seed": 3}, "step": step, "eval": {"return": step / 2}}
        for algo in ("ppo", "dqn")
        for step in (0, 10)
    ]
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    runs = read_all("tables.rows", tmp_path).values()
    assert [run.labels for run in runs] == [
        {"algorithm": "ppo", "run": "3"},
        {"algorithm": "dqn", "run": "3"},
    ]
