"""Homes: which logs are of one run, whoever wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.readers.finding import find_homes
from curvewise.readers.folders import walk
from curvewise.readers.logged import Wanted
from tests.readers.logs.reading import points
from tests.readers.logs.writing import (
    curve,
    history,
    scalar,
    wandb_exit,
    wandb_run,
    write_events,
    write_wandb,
)

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.readers.finding import FoundRun
    from curvewise.readers.folders import Skipped


def found_in(*paths: Path | str) -> dict[str, FoundRun]:
    """The runs below paths, by the name of their home."""
    runs = [run for home in find_homes(walk(paths)) for run in home.read(Wanted(), [])]
    found = {run.home.path.name: run for run in runs}
    assert len(found) == len(runs)
    return found


def test_a_run_that_a_tracker_resumed_in_another_folder_is_one(tmp_path: Path) -> None:
    first = [history(step, loss=1.0) for step in range(5)]
    second = [history(step, loss=2.0) for step in range(3, 6)]
    # The later one first: order is that of time.
    write_wandb(tmp_path, [*second, wandb_exit()], "abc", "20261116_045338")
    write_wandb(tmp_path, first, "abc", "20261115_120000")
    write_wandb(tmp_path, [*first, wandb_exit()], "other", "20261115_120000")
    # Named one by one, as a pattern does, they are one run as well.
    for paths in ([tmp_path], [f"{tmp_path}/wandb/*"]):
        runs = found_in(*paths)
        assert list(runs) == [
            "offline-run-20261115_120000-abc",
            "offline-run-20261115_120000-other",
        ]
        run = runs["offline-run-20261115_120000-abc"].logged
        assert points(run, "loss") == [
            *((k, 1.0) for k in range(5)),
            (3, 2),
            (4, 2),
            (5, 2),
        ]
        assert run.series["loss"].sessions is not None
        assert run.series["loss"].sessions.tolist() == [0] * 5 + [1] * 3
        assert run.notes == []


def test_the_same_id_in_another_folder_is_another_run(tmp_path: Path) -> None:
    for task in ("a", "b"):
        write_wandb(tmp_path / task, [history(0, loss=1.0)], "seed1")
    homes = find_homes(walk([tmp_path]))
    assert [home.path.parent.parent.name for home in homes] == ["a", "b"]


def test_event_files_of_a_tracked_run_go_first(tmp_path: Path) -> None:
    # As CleanRL does with --track: the run has the name of the folder of its event files.
    for name, run_id in (("env__ppo__1__17", "aa"), ("env__ppo__2__17", "bb")):
        write_events(tmp_path / "runs" / name, curve("charts/return", [1, 2]))
        rows = [history(k, **{"charts/return": 9.0, "global_step": k}) for k in range(2)]
        write_wandb(tmp_path, [wandb_run(name, lr=0.1), *rows, wandb_exit()], run_id)
    runs = found_in(tmp_path)
    assert list(runs) == ["env__ppo__1__17", "env__ppo__2__17"]
    run = runs["env__ppo__1__17"]
    assert points(run.logged, "charts/return") == [(0, 1), (1, 2)]
    assert points(run.logged, "global_step") == [(0, 0), (1, 1)]
    assert run.logged.config["lr"] == 0.1
    assert run.formats == ("TensorBoard event files", "Weights & Biases run files")


def test_event_files_below_the_id_of_a_tracked_run(tmp_path: Path) -> None:
    # As W&B's guide for stable-baselines3 says: tensorboard_log=f"runs/{run.id}".
    write_events(tmp_path / "runs" / "ab12cd34" / "PPO_1", curve("loss", [1, 2]))
    write_wandb(tmp_path, [wandb_run("calm-lake-3"), history(0, loss=1.0)])
    assert list(found_in(tmp_path)) == ["PPO_1"]


def test_a_name_that_several_tracked_runs_have_tells_nothing(tmp_path: Path) -> None:
    write_events(tmp_path / "runs" / "ppo", curve("loss", [1, 2]))
    for run_id in ("aa", "bb"):
        write_wandb(tmp_path, [wandb_run("ppo"), history(0, loss=1.0)], run_id)
    assert len(found_in(tmp_path)) == 3


def test_logs_in_the_folder_of_a_tracked_run_are_of_it(tmp_path: Path) -> None:
    folder = write_wandb(tmp_path, [history(k, loss=1.0) for k in range(3)])
    write_events(folder / "files", curve("loss", [7, 7]))
    (folder / "files" / "progress.csv").write_text("step,test_return\n0,5\n1,6\n")
    (run,) = found_in(tmp_path).values()
    assert points(run.logged, "loss") == [(0, 1), (1, 1), (2, 1)]
    assert points(run.logged, "test_return") == [(0, 5), (1, 6)]


def test_a_tracked_run_whose_file_is_empty_is_listed(tmp_path: Path) -> None:
    folder = tmp_path / "wandb" / "run-20261116_045337-ab"
    folder.mkdir(parents=True)
    (folder / "run-ab.wandb").touch()
    (run,) = found_in(tmp_path).values()
    assert not run.has_points


def test_a_metric_can_be_the_steps(tmp_path: Path) -> None:
    # As Lightning logs the epoch: a tag beside the others.
    events = [scalar("epoch", step, step // 2) for step in range(4)]
    events += [scalar("loss", step, 0.5 * step) for step in (0, 1, 3, 9)]
    write_events(tmp_path / "a", events)
    (home,) = find_homes(walk([tmp_path]))
    for metrics in (None, frozenset({"loss"})):
        skipped: list[Skipped] = []
        (run,) = home.read(Wanted(metrics, x="epoch"), skipped)
        assert points(run.logged, "loss") == [(0, 0), (0, 0.5), (1, 1.5)]
        assert list(run.logged.series) == ["loss"]
        assert (run.logged.x, run.logged.other_x) == ("epoch", ("step", "time"))
        assert run.logged.notes == ["1 record at steps without 'epoch' left out"]
        assert skipped == []


def test_steps_that_no_log_of_a_run_has_are_refused(tmp_path: Path) -> None:
    write_events(tmp_path / "a", curve("loss", [1, 2]))
    (home,) = find_homes(walk([tmp_path]))
    skipped: list[Skipped] = []
    (run,) = home.read(Wanted(x="epoch"), skipped)
    assert not run.has_points
    assert "no 'epoch' to count steps in" in skipped[0].reason
