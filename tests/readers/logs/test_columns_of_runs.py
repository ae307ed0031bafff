"""Tables with a column per run."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import homes, points, read_all

MODULE = "tables.columns"


def test_each_column_is_a_run(tmp_path: Path) -> None:
    (tmp_path / "returns.csv").write_text(
        "step,ppo_seed0,ppo_seed1,double_q seed 1\n0,1,2,\n10,nan,3,4\n20,5"
    )
    runs = read_all(MODULE, tmp_path)
    assert {name: dict(run.labels) for name, run in runs.items()} == {
        "returns.csv#ppo_seed0": {"algorithm": "ppo", "run": "0"},
        "returns.csv#ppo_seed1": {"algorithm": "ppo", "run": "1"},
        "returns.csv#double_q seed 1": {"algorithm": "double_q", "run": "1"},
    }
    assert points(runs["returns.csv#ppo_seed1"], "return") == [(0, 2.0), (10, 3.0)]
    assert points(runs["returns.csv#double_q seed 1"], "return") == [(10, 4.0)]
    assert runs["returns.csv#ppo_seed0"].series["return"].steps.tolist() == [0, 10]
    assert runs["returns.csv#ppo_seed0"].notes == [
        "the last line of returns.csv is cut and was left out"
    ]
    other = read_all(MODULE, tmp_path, wanted=Wanted(frozenset({"loss"})))
    assert [run.series for run in other.values()] == [{}, {}, {}]


def test_runs_of_an_algorithm_that_the_file_names(tmp_path: Path) -> None:
    (tmp_path / "ppo.csv").write_text("epoch,run_1,run_2\n0,1,2\n")
    runs = read_all(MODULE, tmp_path)
    assert [dict(run.labels) for run in runs.values()] == [{"run": "1"}, {"run": "2"}]


def test_tables_with_other_columns_are_not_claimed(tmp_path: Path) -> None:
    headers = ["step,loss,ppo_seed0,ppo_seed1", "step,layer_1,layer_2", "ppo_seed0,ppo_seed1"]
    headers += ["step,ppo_seed0", "step,loss_fold1,loss_fold2", "step,score"]
    for number, header in enumerate(headers):
        (tmp_path / f"{number}.csv").write_text(f"{header}\n")
    assert homes(MODULE, tmp_path) == {}


def test_numbers_beside_steps_are_runs(tmp_path: Path) -> None:
    (tmp_path / "ppo.csv").write_text("step,1,2\n0,5,6\n")
    runs = read_all(MODULE, tmp_path)
    assert [run.labels for run in runs.values()] == [{"run": "1"}, {"run": "2"}]
