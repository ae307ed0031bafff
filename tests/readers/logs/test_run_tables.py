"""Tables that loggers write for each run."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

import curvewise
from curvewise import CurvesError
from curvewise.readers.walk import SINGLE, Wanted
from tests.readers.logs.reading import check_truth, runs_below, settled

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.readers.walk import LoggedRun


def write(root: Path, **texts: str) -> None:
    """Write files; in their names __ is a folder and the last _ a dot."""
    for name, text in texts.items():
        *folders, last = name.split("__")
        stem, _, ending = last.rpartition("_")
        write_as(root, "/".join([*folders, f"{stem}.{ending}"]), text)


def write_as(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)


def only(root: Path, wanted: Wanted | None = None) -> LoggedRun:
    (run,) = runs_below(root, "tables.logger", wanted=wanted).values()
    return run


@pytest.mark.parametrize(
    ("name", "x"),
    [
        ("spinup", "TotalEnvInteracts"),
        ("dowel", "TotalEnvSteps"),
        ("rlpyt", "Diagnostics/CumSteps"),
        ("acme", "steps"),
        ("lightning-csv", "step"),
        ("keras-csv", "epoch"),
        ("wallclock", "time"),
    ],
)
def test_real_files(logs: Path, name: str, x: str) -> None:
    runs = check_truth(logs / name, "tables.logger")
    assert {run.x for run in runs.values()} == {x}


def test_real_files_are_episodes_where_they_are(logs: Path) -> None:
    acme = runs_below(logs / "acme", "tables.logger")
    assert all(run.series["episode_return"].of_episodes for run in acme.values())
    keras = runs_below(logs / "keras-csv", "tables.logger")
    assert not any(run.series["loss"].of_episodes for run in keras.values())


SPINUP = "Epoch\tAverageEpRet\tTotalEnvInteracts\tTime\n0\t-3\t100\t0.5\n1\t2.5\t204\t0.75\n"
KERAS = "epoch;accuracy;loss;val_loss\n0;0.5;2.0;3.0\n1;NA;nan;2.5\n"
ULTRALYTICS = (
    "                  epoch,         train/box_loss,   metrics/mAP50(B),  lr/pg0\n"
    "                      0,                 1.0429,            0.16123,  0.0033\n"
    "                      1,                 0.9923,             0.3412,  0.0066\n"
)
FASTAI = "epoch,train_loss,valid_loss,accuracy,time\n0,1.5,1.25,0.5,00:05\n1,1,0.9,0.6,00:05\n"
TIMM = "epoch,train_loss,eval_loss,eval_top1,eval_top5\n0,6.9,6.8,1.5,5.5\n1,6,5.9,3,9\n"
TIANSHOU = "env_step,rew,rew_std,time\n0,9.5,1.5,0.5\n1000,20.0,2.5,7.25\n"
WANDB = ",_step,_runtime,_timestamp,loss\n0,0,1.5,1794806257.5,2.0\n1,5,3,1794806259,1.5\n"
TENSORBOARD = "Wall time,Step,Value\n1794806257.5,100,2.0\n1794806259.5,200,1.5\n"
RLKIT = "Epoch,exploration/num steps total,evaluation/Returns Mean\n0,2000,5\n1,3000,7\n"
DEEPQ = "% time spent exploring,episodes,mean 100 episode reward,steps\n9,10,1.5,99\n8,20,2,250\n"
STARTER = "update,frames,FPS,duration,return_mean\n1,2048,900,2,0.0\n2,4096,901,4,0.25\n"
HOME_MADE = "Iteration | reward\n0|1.5\n10|2.5\n"


@pytest.mark.parametrize(
    ("name", "text", "x", "metric", "records"),
    [
        ("progress.txt", SPINUP, "TotalEnvInteracts", "AverageEpRet", {100: -3, 204: 2.5}),
        ("training.log", KERAS, "epoch", "val_loss", {0: 3.0, 1: 2.5}),
        ("training.log", KERAS, "epoch", "accuracy", {0: 0.5}),
        ("run7.csv", KERAS, "epoch", "loss", {0: 2.0, 1: np.nan}),
        ("results.csv", ULTRALYTICS, "epoch", "metrics/mAP50(B)", {0: 0.16123, 1: 0.3412}),
        ("history.csv", FASTAI, "epoch", "accuracy", {0: 0.5, 1: 0.6}),
        ("summary.csv", TIMM, "epoch", "eval_top1", {0: 1.5, 1: 3}),
        ("test_reward.csv", TIANSHOU, "env_step", "rew", {0: 9.5, 1000: 20}),
        ("history_of_run.csv.gz", WANDB, "_step", "loss", {0: 2.0, 5: 1.5}),
        ("run-ppo-tag-loss.csv", TENSORBOARD, "Step", "Value", {100: 2, 200: 1.5}),
        (
            *("progress.csv", RLKIT, "exploration/num steps total"),
            *("evaluation/Returns Mean", {2000: 5, 3000: 7}),
        ),
        ("progress.csv", DEEPQ, "steps", "mean 100 episode reward", {99: 1.5, 250: 2}),
        ("log.csv", STARTER, "frames", "return_mean", {2048: 0, 4096: 0.25}),
        ("mine.txt", HOME_MADE, "Iteration", "reward", {0: 1.5, 10: 2.5}),
    ],
)
def test_loggers(
    tmp_path: Path, name: str, text: str, x: str, metric: str, records: dict[float, float]
) -> None:
    write_as(tmp_path, f"ppo/{name}", text)
    run = only(tmp_path)
    assert run.x == x
    np.testing.assert_equal(settled(run, metric), records)
    (wanted,) = runs_below(tmp_path, "tables.logger", wanted=Wanted(frozenset({metric}))).values()
    assert set(wanted.series) == {metric}
    np.testing.assert_equal(settled(wanted, metric), records)


def test_axes_that_can_be_asked_for(tmp_path: Path) -> None:
    write(tmp_path, progress_txt=SPINUP)
    assert only(tmp_path).other_x == ("Epoch", "time", "row")
    by_epoch = only(tmp_path, Wanted(x="epoch"))
    assert settled(by_epoch, "AverageEpRet") == {0: -3, 1: 2.5}
    by_time = only(tmp_path, Wanted(x="time"))
    assert settled(by_time, "AverageEpRet") == {0.5: -3, 0.75: 2.5}
    with pytest.raises(CurvesError, match=r"progress.txt has no steps called 'frames'"):
        only(tmp_path, Wanted(x="frames"))


def test_precision_of_loggers_that_keep_single_numbers(tmp_path: Path) -> None:
    write(tmp_path, progress_txt=SPINUP)
    assert only(tmp_path).series["AverageEpRet"].precision == SINGLE


def test_who_stands_for_a_run(tmp_path: Path) -> None:
    table = "step,loss\n1,2\n2,1\n"
    for name in (
        *("a/seed0/progress.csv", "a/seed1/metrics.csv", "a/seed2/log.csv.gz"),
        *("b/adam_0.csv", "b/adam_1.csv", "c/seed0.csv", "d/1/mine.csv", "d/2/mine.csv"),
        *("e/progress.csv", "e/other.csv", "f/config_a.csv", "f/config_b.csv"),
    ):
        write_as(tmp_path, name, table)
    assert set(runs_below(tmp_path, "tables.logger")) == {
        *("a/seed0", "a/seed1", "a/seed2"),
        *("b/adam_0.csv", "b/adam_1.csv", "c/seed0.csv", "d/1", "d/2"),
        *("e", "e/other.csv", "f/config_a.csv", "f/config_b.csv"),
    }


def test_training_and_evaluation_are_one_run(tmp_path: Path) -> None:
    train, evaluation = "step,loss\n1,2\n2,1\n", "step,episode_reward\n2,9\n4,8\n"
    write(
        tmp_path,
        drq__0__train_csv=train,
        drq__0__eval_csv=evaluation,
        sac__0__train__metrics_csv=train,
        sac__0__eval__metrics_csv=evaluation,
        td3__0__progress_csv=train,
        td3__0__test__progress_csv=evaluation,
    )
    runs = runs_below(tmp_path, "tables.logger")
    assert set(runs) == {"drq/0", "sac/0", "td3/0"}
    for place in ("drq/0", "sac/0"):
        assert settled(runs[place], "train/loss") == {1: 2, 2: 1}
        assert settled(runs[place], "eval/episode_reward") == {2: 9, 4: 8}
    assert set(runs["td3/0"].series) == {"loss", "test/episode_reward"}


def test_tables_of_different_columns_in_each_folder_are_one_run(tmp_path: Path) -> None:
    for seed in (0, 1):
        write_as(tmp_path, f"ppo/{seed}/losses.csv", "step,loss\n1,2\n2,1\n")
        write_as(tmp_path, f"ppo/{seed}/returns.csv", "step,return\n1,5\n2,6\n")
        write_as(tmp_path, f"a2c/{seed}/progress.csv", CSV)
        write_as(tmp_path, f"a2c/{seed}/extra.csv", "step,entropy\n1,5\n2,6\n")
    for algorithm in ("dqn", "qr"):
        write_as(tmp_path, f"{algorithm}/small.csv", "step,loss\n1,2\n2,1\n")
        write_as(tmp_path, f"{algorithm}/large.csv", "step,loss\n1,2\n2,1\n")
    runs = runs_below(tmp_path, "tables.logger")
    assert set(runs) == {
        *("ppo/0", "ppo/1", "a2c/0", "a2c/1"),
        *("dqn/small.csv", "dqn/large.csv", "qr/small.csv", "qr/large.csv"),
    }
    assert set(runs["ppo/1"].series) == {"losses/loss", "returns/return"}
    assert set(runs["a2c/0"].series) == {"rollout/ep_rew_mean", "extra/entropy"}


def test_parts_with_other_steps_say_so(tmp_path: Path) -> None:
    write(tmp_path, train_csv="step,loss\n1,2\n2,1\n", eval_csv="epoch,loss\n1,2\n2,1\n")
    run = only(tmp_path)
    assert set(run.series) == {"train/loss", "eval/loss"}
    axes = {metric: series.x or run.x for metric, series in run.series.items()}
    assert axes == {"train/loss": "step", "eval/loss": "epoch"}


def test_acme_names_its_tables_where_there_are_several(tmp_path: Path) -> None:
    rows = "episode_length,episode_return,episodes,steps\n5,1.5,1,5\n2,2.5,2,7\n"
    more = "actor_steps,episode_return,evaluator_steps\n5,3.5,100\n7,4.5,200\n"
    write(
        tmp_path,
        one__logs__train_loop__logs_csv=rows,
        two__logs__train_loop__logs_csv=rows,
        two__logs__evaluator__logs_csv=more,
    )
    runs = runs_below(tmp_path, "tables.logger")
    assert set(runs) == {"one", "two"}
    assert settled(runs["one"], "episode_return") == {5: 1.5, 7: 2.5}
    assert settled(runs["two"], "train_loop/episode_return") == {5: 1.5, 7: 2.5}
    assert settled(runs["two"], "evaluator/episode_return") == {5: 3.5, 7: 4.5}


CSV = "time/total_timesteps,rollout/ep_rew_mean\n256,17.5\n512,22.5\n"
JSON = (
    '{"rollout/ep_rew_mean": 17.5, "time/total_timesteps": 256}\n'
    '{"rollout/ep_rew_mean": 22.5, "time/total_timesteps": 512}\n'
)
MORE = '{"rollout/ep_rew_mean": 30.5, "time/total_timesteps": 768}\n'


@pytest.mark.parametrize(
    ("table", "copy", "steps"),
    [
        (CSV, JSON, [256, 512]),
        (CSV, JSON + MORE, [256, 512, 768]),
        (CSV + "768,30.5\n", JSON + MORE[:30], [256, 512, 768]),
        (None, JSON, [256, 512]),
        ("", JSON, [256, 512]),
        (CSV, "", [256, 512]),
        ("", "", []),
    ],
)
def test_a_table_and_its_copy_are_one_run(
    tmp_path: Path, table: str | None, copy: str, steps: list[int]
) -> None:
    if table is not None:
        write(tmp_path, progress_csv=table)
    write(tmp_path, progress_json=copy)
    run = only(tmp_path)
    assert list(settled(run, "rollout/ep_rew_mean")) == steps
    assert run.x == ("time/total_timesteps" if steps else "row")


def test_a_cut_last_line_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, progress_csv=CSV + "768,3")
    run = only(tmp_path)
    assert list(settled(run, "rollout/ep_rew_mean")) == [256, 512]
    assert run.notes == ["the last line of progress.csv is cut and was left out"]


def test_a_header_written_again_is_a_session(tmp_path: Path) -> None:
    write(tmp_path, log_csv="step,loss\n1,9\n2,8\nstep,loss\n2,7\n3,6\n")
    series = only(tmp_path).series["loss"]
    assert series.steps.tolist() == [1, 2, 2, 3]
    assert series.sessions is not None
    assert series.sessions.tolist() == [0, 0, 1, 1]


def test_epochs_again_after_a_resume_stay_in_the_order_written(tmp_path: Path) -> None:
    write(tmp_path, a_csv="epoch,loss\n0,9\n1,8\n2,7\n1,6\n2,5\n3,4\n")
    assert only(tmp_path).series["loss"].steps.tolist() == [0, 1, 2, 1, 2, 3]


def test_a_log_of_as_many_rows_as_a_sample_has_is_noted(tmp_path: Path) -> None:
    rows = "".join(f"{k},{k},{1794806257 + k},0.5\n" for k in range(500))
    write(tmp_path, a_csv="_step,_runtime,_timestamp,loss\n" + rows)
    (note,) = only(tmp_path).notes
    assert note == (
        "a.csv has 500 rows, as many as Weights & Biases keeps of a longer log: it may be a sample"
    )
    write(tmp_path, a_csv="_step,_runtime,_timestamp,loss\n" + rows[: rows.rindex("499,4")])
    assert only(tmp_path).notes == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("iris.csv", "sepal_length,sepal_width,species\n5.1,3.5,setosa\n"),
        ("train.csv", "index,age,fare\n0,22,7.25\n"),
        ("results.csv", "method,accuracy\nppo,0.5\ndqn,0.6\n"),
        ("config.csv", "step,loss\n1,2\n"),
        ("numbers.csv", "1,2\n2,3\n"),
        ("notes.txt", "We ran step one, then step two.\nIt was good, really.\n"),
        ("debug.log", "2026-11-16 06:24:02,100 INFO epoch 1, loss 0.5\n"),
        ("requirements.txt", "numpy,step\n"),
        ("page.csv", "<html>,step\n1,2\n"),
        ("binary.csv", "step,loss\n\0\0\0\n"),
        ("data.json", '{"step": 1}\n'),
        ("empty.csv", ""),
        ("comments.csv", "# nothing\n"),
    ],
)
def test_what_is_no_log_is_not_claimed(tmp_path: Path, name: str, text: str) -> None:
    write_as(tmp_path, name, text)
    assert runs_below(tmp_path, "tables.logger") == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("progress.csv", ""),
        ("progress.txt", ""),
        ("progress.json", ""),
        ("metrics.csv", "epoch,step,loss\n"),
        ("metrics.csv", "epoch,step,lo"),
    ],
)
def test_a_run_without_a_row_is_empty(tmp_path: Path, name: str, text: str) -> None:
    write_as(tmp_path, name, text)
    assert only(tmp_path).series == {}


def test_scores_without_steps_are_counted_by_row(tmp_path: Path) -> None:
    write(tmp_path, a_csv="train_loss,val_loss\n2,3\n1,2\n", b_csv="loss\n5\n4\n")
    runs = runs_below(tmp_path, "tables.logger")
    assert {run.x for run in runs.values()} == {"row"}
    assert settled(runs["b.csv"], "loss") == {0: 5, 1: 4}
    assert runs["a.csv"].notes == ["a.csv has no column of steps: its rows are counted"]


def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "progress.csv.gz"
    path.write_bytes(b"no gzip at all")
    with pytest.raises(CurvesError, match=r"progress.csv.gz cannot be read.*: Not a gzipped"):
        only(tmp_path)


def test_latin_text_in_names_and_strange_file_names(tmp_path: Path) -> None:
    path = tmp_path / "a\nb"
    path.mkdir()
    data = "epoch,précision\n1,0.5\n".encode("latin-1")
    (path / "metrics.csv").write_bytes(data)
    run = only(tmp_path)
    assert [series.scores.tolist() for series in run.series.values()] == [[0.5]]


def test_decimals_with_a_comma_are_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("step;loss\n0;0,5\n10;0,25\n")
    with pytest.raises(CurvesError, match=r"'loss' of a.csv has '0,5', .* with a point"):
        runs_below(tmp_path, "tables.logger")


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        ("step,score,fps", "0,50%,9\n1,60%,9\n", "'score' of a.csv has '50%'"),
        ("step,score,fps", "0,5.5 s,9\n1,6 s,9\n", "'score' of a.csv has '5.5 s'"),
        ("step,score,fps", "0,(1+2j),9\n1,2j,9\n", r"'score' of a.csv has '\(1\+2j\)'"),
        ("step;score;fps", "0;0,5;9\n1;0,6;9\n", "'score' of a.csv has '0,5'"),
        ("step,score", '500,1\n"1,000",2\n', "'step' of a.csv has '1,000'"),
        ("step,score", "500,1\n1'000,2\n", "'step' of a.csv has \"1'000\""),
        ("step,score", "500,1\n1 000,2\n", "'step' of a.csv has '1 000'"),
        ("step,score", "500,1\n1_000,2\n", "'step' of a.csv has '1_000'"),
        ("step,score", "500,1\n1.000,2\n1.500,3\n", "'step' of a.csv: .* Write 1000"),
        ("step,score", "1,900\n2,1.000\n3,1.100\n", "'score' of a.csv: .* Write 1000"),
    ],
)
def test_numbers_that_are_written_otherwise_are_refused(
    tmp_path: Path, header: str, rows: str, message: str
) -> None:
    (tmp_path / "a.csv").write_text(f"{header}\n{rows}", encoding="utf-8")
    with pytest.raises(CurvesError, match=message):
        curvewise.read(tmp_path)


def test_columns_of_no_score_may_have_units(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("step,score,memory\n0,1,3.2GB\n1,2,3.4GB\n")
    assert curvewise.read(tmp_path).scores.tolist() == [[1, 2]]
