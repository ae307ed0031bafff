"""Trials of Ray Tune and RLlib."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import curvewise
from curvewise import CurvesError
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import check_truth, runs_below, settled

if TYPE_CHECKING:
    from pathlib import Path


def result(iteration: int, **others: Any) -> dict[str, Any]:
    return {
        **others,
        "timesteps_total": None,
        "done": False,
        "training_iteration": iteration,
        "trial_id": "e0b51_00002",
        "date": "2026-11-16_05-17-37",
        "timestamp": 1794806257,
        "time_total_s": 1.5 * iteration,
        "pid": 1,
        "hostname": "vm",
        "config": {"lr": 0.1, "model": {"hidden": 24}},
        "iterations_since_restore": iteration,
    }


def write(folder: Path, *results: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(one) + "\n" for one in results)
    (folder / "result.json").write_text(text, encoding="utf-8")


def test_real_files(logs: Path) -> None:
    runs = check_truth(logs / "ray-tune", "run_folders.ray_tune")
    failed = [path for path, run in runs.items() if run.status == "failed"]
    assert [runs[path].config["optimizer"] for path in failed] == ["sgd"]
    assert [runs[path].config["seed"] for path in failed] == [2]
    assert all(set(run.series) == {"accuracy", "loss", "info/lr"} for run in runs.values())


def test_real_files_of_rllib_with_and_without_results(logs: Path) -> None:
    runs = check_truth(logs / "rllib", "run_folders.ray_tune")
    for run in runs.values():
        assert run.x == "num_env_steps_sampled_lifetime"
        assert "training_iteration" in run.other_x
        assert not any(name.startswith("config/") for name in run.series)
        assert {"seed", "lr"} <= set(run.config)


def test_no_trial_is_found_twice(logs: Path) -> None:
    n_trials = len(list((logs / "ray-tune").rglob("result.json")))
    assert len(runs_below(logs / "ray-tune", "run_folders.ray_tune", "tables.logger")) == n_trials


def test_results_are_flattened_and_the_config_is_no_metric(tmp_path: Path) -> None:
    write(
        tmp_path,
        result(1, loss=0.5, eval={"acc": float("nan"), "by": {"a": 1}}),
        result(2, loss=None, eval={"acc": 0.75, "by": {"a": 2}}, late=3),
    )
    (run,) = runs_below(tmp_path, "run_folders.ray_tune").values()
    assert set(run.series) == {"loss", "eval/acc", "eval/by/a", "late"}
    assert (run.x, run.other_x) == ("training_iteration", ("time", "row"))
    np.testing.assert_equal(settled(run, "eval/acc"), {1: np.nan, 2: 0.75})
    assert settled(run, "loss") == {1: 0.5}
    assert settled(run, "late") == {2: 3}
    assert run.config == {"lr": 0.1, "model": {"hidden": 24}}
    (by_time,) = runs_below(tmp_path, "run_folders.ray_tune", wanted=Wanted(x="time")).values()
    assert by_time.series["eval/acc"].steps.tolist() == [1.5, 3.0]


@pytest.mark.parametrize(
    ("others", "x"),
    [
        ({"num_env_steps_sampled_lifetime": 400, "epoch": 1}, "num_env_steps_sampled_lifetime"),
        ({"epoch": 7}, "epoch"),
        ({"epoch": 7, "global_step": 9}, "global_step"),
        ({}, "training_iteration"),
    ],
)
def test_which_steps_count(tmp_path: Path, others: dict[str, int], x: str) -> None:
    rows = [
        result(k, loss=1.0, **{name: k * value for name, value in others.items()})
        for k in (1, 2, 3)
    ]
    write(tmp_path, *rows)
    (run,) = runs_below(tmp_path, "run_folders.ray_tune").values()
    assert run.x == x
    assert set(run.series) == {"loss"}


def test_steps_in_all_count_where_ray_knows_them(tmp_path: Path) -> None:
    write(tmp_path, *({**result(k), "timesteps_total": 50 * k, "r": k} for k in (1, 2)))
    (run,) = runs_below(tmp_path, "run_folders.ray_tune").values()
    assert settled(run, "r") == {50: 1, 100: 2}


def test_no_return_before_an_episode_has_ended(tmp_path: Path) -> None:
    returns = [float("nan"), 10.0, float("nan")]
    write(tmp_path, *(result(k, episode_reward_mean=r) for k, r in enumerate(returns, start=1)))
    (run,) = runs_below(tmp_path, "run_folders.ray_tune").values()
    np.testing.assert_equal(settled(run, "episode_reward_mean"), {2: 10.0, 3: np.nan})


def test_the_table_is_read_where_results_are_missing(tmp_path: Path) -> None:
    rows = "loss,training_iteration,time_total_s,config/lr,pid\n1,1,2.5,0.1,7\n2,2,5,0.1,7\n3,"
    (tmp_path / "progress.csv").write_text(rows, encoding="utf-8")
    (run,) = runs_below(tmp_path, "run_folders.ray_tune").values()
    assert set(run.series) == {"loss"}
    assert settled(run, "loss") == {1: 1, 2: 2}
    assert run.config == {"lr": "0.1"}
    assert run.notes == ["the last line of progress.csv is cut and was left out"]


def test_parameters_errors_and_cut_results(tmp_path: Path) -> None:
    write(tmp_path, result(1, loss=1), result(2, loss=2))
    with (tmp_path / "result.json").open("a", encoding="utf-8") as file:
        file.write('{"loss": 3, "training_it')
    (tmp_path / "params.json").write_text('{"lr": 3, "seed": 1}', encoding="utf-8")
    (tmp_path / "error.txt").write_text("RuntimeError", encoding="utf-8")
    (run,) = runs_below(tmp_path, "run_folders.ray_tune").values()
    assert (run.status, run.config) == ("failed", {"lr": 3, "seed": 1})
    assert settled(run, "loss") == {1: 1, 2: 2}
    assert run.notes == ["the last line of result.json is cut and was left out"]
    # A trial that was tried again and came to its end has not failed.
    write(tmp_path, result(1, loss=1), {**result(2, loss=2), "done": True})
    (tmp_path / "params.json").write_text('{"lr": 3', encoding="utf-8")
    (again,) = runs_below(tmp_path, "run_folders.ray_tune").values()
    assert again.status == ""
    assert again.config["lr"] == 0.1
    assert again.notes == ["params.json cannot be read as JSON"]


@pytest.mark.parametrize("content", [b"", bytes(100)])
def test_a_trial_that_reported_nothing_is_empty(tmp_path: Path, content: bytes) -> None:
    for name in ("result.json", "progress.csv"):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "params.json").write_text("{}", encoding="utf-8")
    (run,) = runs_below(tmp_path, "run_folders.ray_tune", "tables.logger").values()
    assert run.series == {}


def test_results_of_others_are_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text('{"loss": 1}\n', encoding="utf-8")
    (tmp_path / "progress.csv").write_text("step,loss\n1,2\n", encoding="utf-8")
    assert runs_below(tmp_path, "run_folders.ray_tune") == {}


def test_steps_that_are_not_there_are_refused(tmp_path: Path) -> None:
    write(tmp_path, result(1, loss=1))
    with pytest.raises(CurvesError, match=r"result.json has no steps called 'epoch'; there"):
        runs_below(tmp_path, "run_folders.ray_tune", wanted=Wanted(x="epoch"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", ["result.json", "params.json"])
def test_a_byte_order_mark_in_one_file_regroups_nothing(
    tmp_path: Path, encoding: str, name: str
) -> None:
    for algorithm in ("a2c", "ppo"):
        for seed in range(3):
            folder = tmp_path / algorithm / f"seed{seed}"
            write(folder, *(result(i, score=i + seed) for i in (1, 2, 3)))
            settings = {"seed": seed, "lr": 0.1}
            (folder / "params.json").write_text(json.dumps(settings), encoding="utf-8")
    before = curvewise.read(tmp_path)
    marked = tmp_path / "ppo" / "seed1" / name
    marked.write_text(marked.read_text(encoding="utf-8"), encoding=encoding)
    assert curvewise.read(tmp_path) == before
    assert curvewise.scan(tmp_path).skipped == ()
