from __future__ import annotations

import math
from pathlib import Path

import pytest

from curvewise.errors import CurvesError
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import assert_as_recorded, homes, points, read_all, read_one

START = 1_700_000_000_000


def write_run(
    store: Path,
    run_id: str = "5f3a",
    *,
    metrics: dict[str, str],
    params: dict[str, str] | None = None,
    tags: dict[str, str] | None = None,
    status: int = 3,
    stage: str = "active",
) -> Path:
    """A run as MLflow's file store writes it."""
    experiment = store / "17"
    experiment.mkdir(parents=True, exist_ok=True)
    (experiment / "meta.yaml").write_text(
        "artifact_location: file:///mlruns/17\nexperiment_id: '17'\n"
        "lifecycle_stage: active\nname: cartpole\n"
    )
    run = experiment / run_id
    run.mkdir()
    (run / "meta.yaml").write_text(
        f"artifact_uri: file:///mlruns/17/{run_id}/artifacts\nend_time: {START + 9000}\n"
        f"entry_point_name: ''\nexperiment_id: '17'\nlifecycle_stage: {stage}\n"
        f"run_id: {run_id}\nrun_name: bold-fox-1\nrun_uuid: {run_id}\nsource_name: ''\n"
        f"source_type: 4\nstart_time: {START}\nstatus: {status}\ntags: []\nuser_id: me\n"
    )
    kinds = {"metrics": metrics, "params": params or {}, "tags": tags or {}}
    for kind, files in kinds.items():
        (run / kind).mkdir()
        for name, text in files.items():
            path = run / kind / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
    return run


def lines(*records: tuple[int, float, int]) -> str:
    return "".join(f"{START + time} {value} {step}\n" for time, value, step in records)


def test_real_logs_are_read_as_recorded(logs: Path) -> None:
    runs = read_all("stores.mlflow_files", logs / "mlflow-file")
    assert_as_recorded(logs / "mlflow-file", runs)
    assert sorted(run.status for run in runs.values() if run.status) == ["deleted", "failed"]
    failed = next(run for run in runs.values() if run.status == "failed")
    assert failed.config["optimizer"] == "adam"
    assert failed.config["experiment"] == "digits-optimizers"
    assert failed.config["run_name"] == "adam-3"


def test_a_slash_in_a_name_is_a_folder(tmp_path: Path) -> None:
    write_run(
        tmp_path / "mlruns",
        metrics={"eval/return": lines((5, 1.5, 0), (6, 2.5, 10)), "loss": lines((7, 3, 4))},
        params={"algo": "ppo", "net/width": "64", "data.gz": "x"},
        tags={"mlflow.runName": "ppo-0", "mlflow.user": "me", "team": "red"},
        status=5,
    )
    run = read_one("stores.mlflow_files", tmp_path)
    assert points(run, "eval/return") == [(0, 1.5), (10, 2.5)]
    assert points(run, "loss") == [(4, 3)]
    assert run.status == "killed"
    assert run.config == {
        "algo": "ppo",
        "net/width": "64",
        "data.gz": "x",
        "team": "red",
        "run_name": "ppo-0",
        "experiment": "cartpole",
    }
    assert (run.x, run.other_x, run.notes) == ("step", ("time", "record"), [])


def test_only_what_is_wanted_is_read(tmp_path: Path) -> None:
    write_run(tmp_path, metrics={"a": lines((1, 1, 1)), "b": lines((1, 2, 1))})
    run = read_one("stores.mlflow_files", tmp_path, Wanted(frozenset({"b"})))
    assert list(run.series) == ["b"]


def test_time_is_in_seconds_since_the_run_began(tmp_path: Path) -> None:
    write_run(tmp_path, metrics={"a": lines((500, 1, 3), (2500, 2, 4))})
    run = read_one("stores.mlflow_files", tmp_path, Wanted(x="time"))
    assert points(run, "a") == [(0.5, 1), (2.5, 2)]
    assert (run.x, run.other_x) == ("time", ("step", "record"))


def test_an_axis_that_is_not_there_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path, metrics={"a": lines((500, 1, 3), (2500, 2, 4))})
    with pytest.raises(CurvesError, match=r"no 'epoch' to count steps in: there are 'step'"):
        read_one("stores.mlflow_files", tmp_path, Wanted(x="epoch"))


def test_records_without_steps_are_numbered_in_order_of_time(tmp_path: Path) -> None:
    write_run(tmp_path, metrics={"acc": lines((9, 0.3, 0), (1, 0.1, 0), (5, 0.2, 0))})
    run = read_one("stores.mlflow_files", tmp_path)
    assert points(run, "acc") == [(0, 0.1), (1, 0.2), (2, 0.3)]
    assert (run.x, run.other_x) == ("record", ("time",))
    assert run.notes == ["acc: logged without steps; the records are numbered in order of time"]


def test_one_metric_without_steps_does_not_take_them_from_others(tmp_path: Path) -> None:
    metrics = {"acc": lines((1, 0.1, 0), (5, 0.2, 0)), "loss": lines((1, 9, 0), (2, 8, 50))}
    write_run(tmp_path, metrics=metrics)
    run = read_one("stores.mlflow_files", tmp_path)
    assert run.x == "step"
    assert points(run, "acc") == [(0, 0.1), (1, 0.2)]
    assert points(run, "loss") == [(0, 9), (50, 8)]
    assert any(note.startswith("acc: logged without steps") for note in run.notes)


def test_a_single_record_at_step_0_has_a_step(tmp_path: Path) -> None:
    write_run(tmp_path, metrics={"final": lines((1, 0.1, 0))})
    run = read_one("stores.mlflow_files", tmp_path)
    assert (run.x, run.notes) == ("step", [])


def test_diverged_scores_are_scores(tmp_path: Path) -> None:
    text = f"{START} 1.0 0\n{START} nan 1\n{START} inf 2\n{START} -inf 3\n"
    write_run(tmp_path, metrics={"loss": text})
    scores = read_one("stores.mlflow_files", tmp_path).series["loss"].scores
    assert math.isnan(scores[1])
    assert scores[2:].tolist() == [math.inf, -math.inf]


def test_a_cut_last_line_is_left_out_though_it_parses(tmp_path: Path) -> None:
    write_run(tmp_path, metrics={"val/loss": lines((1, 0.25, 0)) + f"{START} 0.5 1"})
    run = read_one("stores.mlflow_files", tmp_path)
    assert points(run, "val/loss") == [(0, 0.25)]
    assert run.notes == ["the last line of metrics/val/loss is cut and was left out"]


def test_a_damaged_line_is_left_out_and_named(tmp_path: Path) -> None:
    text = f"{START} 0.25 0\n\0\0\0\0\n\n{START} 0.125 2\n{START} 0.5 nan\n"
    write_run(tmp_path, metrics={"loss": text})
    run = read_one("stores.mlflow_files", tmp_path)
    assert points(run, "loss") == [(0, 0.25), (2, 0.125)]
    assert run.notes == [
        f"line {place} of metrics/loss is damaged and was left out" for place in (2, 5)
    ]


def test_a_metric_whose_file_is_empty_is_not_there(tmp_path: Path) -> None:
    run = write_run(tmp_path, metrics={"loss": "", "acc": lines((1, 1, 1))})
    (run / "meta.yaml").write_text("run_id: x\nexperiment_id: y\n")
    for wanted in (Wanted(), Wanted(x="time"), Wanted(frozenset({"loss"}), "time")):
        assert "loss" not in read_one("stores.mlflow_files", tmp_path, wanted).series


def test_lines_of_other_versions(tmp_path: Path) -> None:
    """Before 1.0 there was no step; later a data set may follow it."""
    metrics = {"old": f"{START} 0.5\n", "new": f"{START} 0.25 7 train d1b2\n"}
    write_run(tmp_path, metrics=metrics)
    run = read_one("stores.mlflow_files", tmp_path)
    assert points(run, "old") == [(0, 0.5)]
    assert points(run, "new") == [(7, 0.25)]


def test_deleted_and_empty_runs_are_listed(tmp_path: Path) -> None:
    write_run(tmp_path, "a", metrics={"x": lines((1, 1, 1))}, stage="deleted")
    write_run(tmp_path, "b", metrics={}, params={"lr": "1"}, status=1)
    runs = read_all("stores.mlflow_files", tmp_path, wanted=Wanted(x="time"))
    assert (runs["17/a"].status, runs["17/a"].series) == ("deleted", {})
    assert (runs["17/b"].status, runs["17/b"].series) == ("running", {})


def test_a_lost_meta_yaml_is_said_and_the_metrics_are_used(tmp_path: Path) -> None:
    run = write_run(tmp_path, metrics={"x": lines((1, 1, 1))}, tags={"mlflow.runName": "r"})
    (run / "meta.yaml").write_bytes(b"")
    read = read_one("stores.mlflow_files", tmp_path)
    assert points(read, "x") == [(1, 1)]
    assert read.notes == ["meta.yaml is damaged: how the run ended is not known"]


def test_registered_models_are_no_runs(tmp_path: Path) -> None:
    """A model version names its run; a logged model names its experiment."""
    for place, text in {
        "models/net/version-1": "name: net\nrun_id: 5f3a\nversion: 1\n",
        "17/models/m-1": "experiment_id: '17'\nmodel_id: m-1\nsource_run_id: 5f3a\n",
    }.items():
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "meta.yaml").write_text(text)
        (tmp_path / place / "tags").mkdir()
        (tmp_path / place / "tags" / "mlflow.user").write_text("me")
    assert homes("stores.mlflow_files", tmp_path) == {}


def test_artifacts_of_a_run_are_no_other_runs(tmp_path: Path) -> None:
    run = write_run(tmp_path, metrics={"x": lines((1, 1, 1))})
    copy = run / "artifacts" / "logs" / "progress.csv"
    copy.parent.mkdir(parents=True)
    copy.write_text("step,x\n1,1\n")
    ((claim,),) = homes("stores.mlflow_files", tmp_path).values()
    assert copy in {file.path for file in claim.files}
    assert list(read_one("stores.mlflow_files", tmp_path).series) == ["x"]


def test_one_run_folder_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_run(tmp_path, metrics={"x": lines((1, 1, 1))})
    monkeypatch.chdir(run)
    (read,) = read_all("stores.mlflow_files", Path()).values()
    assert read.config["experiment"] == "cartpole"


def test_a_run_that_only_holds_others_together_is_told(tmp_path: Path) -> None:
    best = {"best": lines((9, 3, 0))}
    tags = {"mlflow.parentRunId": "sweep", "mlflow.runName": "fold-1"}
    own = {"mlflow.runName": "resnet"}
    write_run(tmp_path, "sweep", metrics=best, params={"lr": "1", "k": "5"}, tags=own)
    curve = {"acc": lines((1, 1, 1), (2, 2, 2))}
    write_run(tmp_path, "child", metrics=curve, params={"lr": "2"}, tags=tags)
    write_run(tmp_path, "alone", metrics=best)
    runs = read_all("stores.mlflow_files", tmp_path)
    assert {name: run.status for name, run in runs.items()} == {
        "17/sweep": "parent",
        "17/child": "",
        "17/alone": "",
    }
    assert runs["17/child"].config == {
        "run_name": "fold-1",
        "parent": "resnet",
        "experiment": "cartpole",
        "lr": "2",
        "k": "5",
    }


def test_a_run_with_a_curve_is_a_run_though_others_are_nested_in_it(tmp_path: Path) -> None:
    curve = {"acc": lines((1, 1, 1), (2, 2, 2))}
    write_run(tmp_path, "outer", metrics=curve)
    write_run(tmp_path, "inner", metrics=curve, tags={"mlflow.parentRunId": "outer"})
    runs = read_all("stores.mlflow_files", tmp_path)
    assert [run.status for run in runs.values()] == ["", ""]
