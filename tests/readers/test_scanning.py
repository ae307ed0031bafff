"""scan(): runs found, named and counted; the same runs as run logs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import curvewise as cw
from curvewise.errors import CurvesError, OptionError
from curvewise.readers import Naming
from curvewise.readers.scan import Logs
from curvewise.readers.walk import LoggedRun, Series
from tests.readers.logs.writing import curve, hparams, scalar, write_events
from tests.readers.trees import a_table, jsonl, progress, study

FIXTURES = Path(__file__).parent / "logs/fixtures"


def test_runs_metrics_and_algorithms_are_listed(tmp_path: Path) -> None:
    found = cw.scan(study(tmp_path))
    assert found.algorithms == ("dqn", "ppo")
    assert found.tasks == ()
    assert [(run.algorithm, run.run, run.path) for run in found.runs][:2] == [
        ("dqn", "0", "dqn/seed0"),
        ("dqn", "1", "dqn/seed1"),
    ]
    assert set(found.metrics) == {"eval_return", "loss"}
    metric = found.metrics["loss"]
    assert (metric.n_runs, metric.n_points, metric.x) == (6, (5, 5), ("step",))
    assert (metric.first, metric.last) == (0, 400)
    assert found.skipped == ()
    assert found.place == str(tmp_path)


def test_a_run_in_several_formats_is_one_run(tmp_path: Path) -> None:
    study(tmp_path)
    write_events(tmp_path / "dqn/seed0", curve("reward", [1.0, 2.0]))
    found = cw.scan(tmp_path)
    assert len(found.runs) == 6
    assert found.runs[0].formats == ("tables", "TensorBoard event files")
    assert found.metrics["reward"].n_runs == 1


def test_runs_that_two_loggers_wrote_count_once(tmp_path: Path) -> None:
    hparams_of = {0: "optim:\n  name: adam", 1: "optim:\n  name: sgd"}
    for place in range(4):
        scores = [place, place + 1.0, place + 3.0]
        written = f"{hparams_of[place % 2]}\nseed: {place // 2}\n"
        table, events = (tmp_path / name / f"version_{place}" for name in ("csv", "tb"))
        progress(table, step=[0, 1, 2], loss=scores)
        write_events(events, [hparams(**{"optim/name": "sgd"}), *curve("loss", scores)])
        for folder in (table, events):
            (folder / "hparams.yaml").write_text(written)
    found = cw.scan(tmp_path)
    assert not found.ambiguity
    assert sorted((log.algorithm, log.run) for log in found.run_logs("loss")) == [
        ("adam", "0"),
        ("adam", "1"),
        ("sgd", "0"),
        ("sgd", "1"),
    ]


def test_every_metric_has_its_own_points(tmp_path: Path) -> None:
    progress(tmp_path / "a", step=[0, 1, 2, 3], loss=[4, 3, 2, 1], acc=[None, 5, None, 6])
    (run,) = cw.scan(tmp_path).runs
    assert run.metrics["acc"].n_points == 2
    assert (run.metrics["acc"].first, run.metrics["acc"].last) == (1, 3)
    assert (run.n_points, run.last_step) == (4, 3)


def test_notes_name_their_metric_where_not_all_have_them(tmp_path: Path) -> None:
    losses = [scalar("loss", step, -step) for step in (0, 1, 2, 3, 2, 3, 4)]
    write_events(tmp_path / "a", [*losses, *curve("acc", [1.0, 2.0])])
    (run,) = cw.scan(tmp_path).runs
    assert run.notes == ("loss: resumed at step 2; 2 records superseded",)
    (log,) = cw.scan(tmp_path).run_logs("loss")
    assert log.notes == ("resumed at step 2; 2 records superseded",)
    np.testing.assert_array_equal(log.steps, [0, 1, 2, 3, 4])


def test_records_without_a_finite_step_are_left_out_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress(tmp_path / "a", step=[0, 1], loss=[2, 1])
    logs = Logs.found([tmp_path], Naming())
    steps = np.array([0, np.nan, 2, np.inf])
    series = {"loss": Series(steps, np.arange(4.0), np.array([0, 0, 1, 1]))}
    read = "curvewise.readers.logs.tables.logger_read"
    monkeypatch.setattr(read, lambda *_: [LoggedRun(dict(series))])
    found = logs.scan()
    (run,) = found.runs
    assert run.notes == (
        "2 records without a finite step left out",
        "resumed at step 2; nothing superseded",
    )
    assert (run.metrics["loss"].n_points, run.last_step) == (2, 2)
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_run_that_cannot_be_read_is_counted(tmp_path: Path) -> None:
    for seed in range(3):
        for name in ("dqn", "ppo"):
            write_events(tmp_path / name / f"seed{seed}", curve("loss", [3.0, 2.0, 1.0]))
    path = next((tmp_path / "ppo/seed1").iterdir())
    path.write_bytes(b"\x18" + bytes(7) + b"garbage" * 9)
    found = cw.scan(tmp_path)
    statuses = {run.path: run.status for run in found.runs}
    assert statuses.pop("ppo/seed1") == "unreadable"
    assert set(statuses.values()) == {""}
    assert str(found.skipped[0].path) == f"ppo/seed1/{path.name}"
    with pytest.raises(CurvesError, match=r"0 of 3 runs of dqn and 1 of 3 of ppo end early"):
        cw.read(tmp_path)
    curves = cw.read(tmp_path, short="drop", reason="the disk broke")
    assert curves.sizes == (3, 2)
    assert curves.preparation is not None
    assert curves.preparation.counts() == "0 of 3 runs of dqn and 1 of 3 of ppo"


def test_deleted_runs_are_skipped() -> None:
    found = cw.scan(FIXTURES / "mlflow-file/logs")
    assert "deleted" not in {run.status for run in found.runs}
    (skipped,) = found.skipped
    assert skipped.reason == "the run was deleted by its owner"
    assert not skipped.path.is_absolute()
    # The same on the second reading: nothing is reported twice.
    logs = Logs.found([FIXTURES / "mlflow-file/logs"], Naming())
    logs.scan()
    logs.read()
    assert len(logs.skipped) == 1


def test_without_a_task_to_keep_runs_with_and_without_a_task_are_listed(tmp_path: Path) -> None:
    study(tmp_path / "logs", tasks=("Hopper-v4", "Walker2d-v4"))
    who = {"algorithm": ["sac"] * 3, "run": ["0"] * 3}
    a_table(tmp_path / "old.csv", {**who, "step": [0, 1, 2], "score": [1, 2, 3]})
    found = cw.scan(tmp_path)
    assert len(found.runs) == 13
    assert {run.task for run in found.runs} == {"Hopper-v4", "Walker2d-v4", None}


def test_a_table_beside_the_logs_of_the_same_runs_is_not_taken_in_silence(tmp_path: Path) -> None:
    study(tmp_path, n_runs=2)
    rows = [(a, r, s) for a in ("dqn", "ppo") for r in "01" for s in range(3)]
    algorithm, run, step = zip(*rows, strict=True)
    columns = {"algorithm": algorithm, "run": run, "step": step, "eval_return": step}
    a_table(tmp_path / "export.csv", columns)
    found = cw.scan(tmp_path)
    assert len(found.runs) == 8
    assert any(note.startswith("4 runs with the name of another") for note in found.notes)
    assert "4 runs with the name of another" in cw.read(tmp_path, short="carry").source


def test_tasks_are_kept_by_name_or_told_by_a_key(tmp_path: Path) -> None:
    study(tmp_path, tasks=("Hopper-v4", "Walker2d-v4"))
    found = cw.scan(tmp_path)
    assert found.tasks == ("Hopper-v4", "Walker2d-v4")
    kept = cw.scan(tmp_path, task="Walker2d-v4")
    assert {run.task for run in kept.runs} == {"Walker2d-v4"}
    assert len(kept.runs) == 6
    assert cw.scan(tmp_path, task="path1").tasks == found.tasks
    with pytest.raises(OptionError, match=r"No task is called 'Hoper-v4'; .*'Hopper-v4'\?"):
        cw.scan(tmp_path, task="Hoper-v4")


def test_what_the_caller_says_goes_before_what_is_inferred(tmp_path: Path) -> None:
    study(tmp_path, ("dqn", "ppo"))
    swapped = cw.scan(tmp_path, group_by="path2", run_by="path1")
    assert len(swapped.algorithms) == 3
    assert {run.run for run in swapped.runs} == {"dqn", "ppo"}
    by_pattern = cw.scan(tmp_path, group_by="{algorithm}/seed{run}")
    assert by_pattern.algorithms == ("dqn", "ppo")


def test_another_axis_can_be_chosen(tmp_path: Path) -> None:
    for seed in range(2):
        progress(tmp_path / f"a/seed{seed}", step=[0, 10], epoch=[1, 2], loss=[2, 1])
    usual = cw.scan(tmp_path)
    assert usual.metrics["loss"].last == 10
    assert "epoch" in usual.other_x
    by_epoch = cw.scan(tmp_path, x="epoch")
    assert (by_epoch.metrics["loss"].last, by_epoch.metrics["loss"].x) == (2, ("epoch",))
    with pytest.raises(CurvesError, match=r"(?s)can be read:\n.*'furlongs'.*'epoch'"):
        cw.scan(tmp_path, x="furlongs")


def test_run_logs_have_all_metrics_or_one(tmp_path: Path) -> None:
    study(tmp_path)
    (tmp_path / "dqn/seed1/progress.csv").write_text("step,loss\n0,1\n5,2\n", "utf-8")
    found = cw.scan(tmp_path)
    logs = found.run_logs()
    assert len(logs) == 11
    returns = found.run_logs("eval_return")
    assert len(returns) == 6
    (lacking,) = (log for log in returns if not log.n_points)
    assert (lacking.algorithm, lacking.run) == ("dqn", "1")
    full = next(log for log in returns if (log.algorithm, log.run) == ("ppo", "2"))
    np.testing.assert_array_equal(full.scores, 120 + np.arange(5))


def test_a_run_without_the_metric_is_named_as_the_listing_names_it(tmp_path: Path) -> None:
    study(tmp_path)
    (tmp_path / "dqn/seed1/progress.csv").write_text("step,loss\n0,1\n5,2\n", "utf-8")
    found = cw.scan(tmp_path)
    listed = {(run.algorithm, run.run) for run in found.runs}
    assert {(log.algorithm, log.run) for log in found.run_logs("eval_return")} == listed


def test_what_cannot_be_told_apart_is_listed_but_not_read(tmp_path: Path) -> None:
    for row, name in enumerate(("lr=1-wd=5", "lr=2-wd=6", "lr=3-wd=7", "lr=4-wd=5")):
        progress(tmp_path / name, step=[0, 1, 2], loss=[row, 2, 1])
    found = cw.scan(tmp_path)
    assert len(found.runs) == 4
    for read in (found.check, found.run_logs, lambda: cw.read(tmp_path)):
        with pytest.raises(CurvesError) as error:
            read()
        assert str(error.value) == found.ambiguity


@pytest.mark.parametrize("name", ["metrics.jsonl", "metrics.ndjson"])
def test_a_single_file_is_scanned(tmp_path: Path, name: str) -> None:
    path = jsonl(tmp_path / name, ({"step": i, "loss": 9 - i} for i in range(9)))
    found = cw.scan(path)
    (run,) = found.runs
    assert run.metrics["loss"].n_points == 9
    assert run.formats == ("JSON lines",)


def test_several_paths_and_patterns(tmp_path: Path) -> None:
    study(tmp_path, ("dqn", "ppo", "sac"))
    some = [tmp_path / "dqn", tmp_path / "ppo"]
    assert cw.scan(some).algorithms == ("dqn", "ppo")
    assert cw.scan(tmp_path / "*p*").runs == cw.scan([tmp_path / "ppo"]).runs
    files = sorted(tmp_path.glob("*/*/progress.csv"))
    assert cw.scan(files).algorithms == ("dqn", "ppo", "sac")


def test_where_there_is_no_log_the_message_says_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(CurvesError, match=r"holds no file\. Name the folder"):
        cw.scan(tmp_path)
    (tmp_path / "weights.pt").write_bytes(b"\x00\x01\x02")
    with pytest.raises(CurvesError, match=r"The file in .* is not a training log .*\.pt"):
        cw.scan(tmp_path)
    (tmp_path / "figure.png").write_bytes(b"\x89PNG")
    with pytest.raises(CurvesError, match=r"None of the 2 files .*\(\.p.*\.p"):
        cw.scan(tmp_path)


def test_where_nothing_can_be_read_each_reason_is_said_once(tmp_path: Path) -> None:
    for seed in range(9):
        path = write_events(tmp_path / f"seed{seed}", curve("loss", [1.0, 2.0]))
        path.write_bytes(b"\x18" + bytes(7) + b"garbage" * 9)
    with pytest.raises(CurvesError, match="can be read") as error:
        cw.scan(tmp_path)
    lines = str(error.value).splitlines()
    assert len(lines) == len(set(lines)) == 2


def test_logs_that_no_run_has_begun_are_told(tmp_path: Path) -> None:
    study = {"op_code": 0, "worker_id": "w", "study_name": "kernels", "directions": [2]}
    (tmp_path / "journal.log").write_text(json.dumps(study) + "\n")
    with pytest.raises(CurvesError, match=r"hold no run so far\. Wait until one"):
        cw.scan(tmp_path)


def test_logs_that_say_what_they_are_among_others_that_cannot_be_told(tmp_path: Path) -> None:
    (tmp_path / "returns.json").write_text('{"ppo": {"0": [1, 2]}, "dqn": {"0": [3, 4]}}')
    for path1 in ("x", "y"):
        for path2 in ("k", "l"):
            (tmp_path / path1 / path2).mkdir(parents=True)
            table = "step,score\n0,1\n1,2\n"
            (tmp_path / path1 / path2 / "progress.csv").write_text(table)
    text = cw.scan(tmp_path).ambiguity
    assert text.startswith("The logs of 2 runs say which algorithm they are of")
    assert "those of 4 others, such as x/k, do not. Read the two apart" in text
    apart = cw.scan([tmp_path / "x", tmp_path / "y"], group_by="path1")
    assert apart.algorithms == ("x", "y")


def test_logs_that_only_tell_the_time_say_that_steps_must_be_chosen(tmp_path: Path) -> None:
    for name in ("a_0", "a_1", "b_0", "b_1"):
        (tmp_path / f"{name}.csv").write_text("time,loss\n0.5,3\n1.5,2\n2.5,1\n")
    assert any("count no steps" in note for note in cw.scan(tmp_path).notes)
    assert not any("count no steps" in note for note in cw.scan(tmp_path, x="row").notes)


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.pkl", "could run code"), ("a.joblib", "could run code"), ("a.xlsx", "as CSV")],
)
def test_why_files_of_some_endings_are_not_read(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / name).write_bytes(b"\x80\x04")
    with pytest.raises(CurvesError, match=message):
        cw.scan(tmp_path)
    (tmp_path / "notes.md").write_text("none of these is a log")
    with pytest.raises(CurvesError, match="is a training log or a table"):
        cw.scan(tmp_path)


def test_a_store_that_only_its_tool_can_read_is_said(tmp_path: Path) -> None:
    (tmp_path / ".aim").mkdir()
    (tmp_path / ".aim" / "run_metadata.sqlite").write_bytes(b"x")
    for path in (tmp_path, tmp_path / ".aim"):
        with pytest.raises(CurvesError, match="Aim itself can read; export its runs to CSV"):
            cw.scan(path)
