"""Which logs belong to one run, and what all of them say of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.errors import CurvesError
from curvewise.readers.recognise import find_homes
from curvewise.readers.walk import UNREADABLE, Wanted, walk
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
from tests.readers.trees import a_table, jsonl, progress

if TYPE_CHECKING:
    from curvewise.readers.recognise import FoundRun, Home
    from curvewise.readers.walk import Skipped

FIXTURES = Path(__file__).parent / "logs/fixtures"


def homes_of(*paths: Path) -> list[Home]:
    return find_homes(walk(list(paths)))


def runs_of(home: Home, wanted: Wanted | None = None) -> tuple[list[FoundRun], list[str]]:
    skipped: list[Skipped] = []
    return home.read(wanted or Wanted(), skipped), [each.reason for each in skipped]


def test_several_formats_in_a_folder_are_one_run(tmp_path: Path) -> None:
    progress(tmp_path / "seed1", step=[0, 1, 2], loss=[3, 2, 1])
    write_events(tmp_path / "seed1", curve("reward", [5.0, 6.0]))
    (home,) = homes_of(tmp_path)
    assert home.path == tmp_path / "seed1"
    assert [each.name for each in home.formats] == ["tables", "TensorBoard event files"]
    (run,), skipped = runs_of(home)
    assert run.formats == ("tables", "TensorBoard event files")
    assert run.logged.series.keys() == {"loss", "reward"}
    np.testing.assert_array_equal(run.logged.series["reward"].scores, [5, 6])
    assert run.axes == {"loss": "step", "reward": "step"}
    assert skipped == []


def test_of_a_metric_in_two_logs_the_first_format_holds(tmp_path: Path) -> None:
    progress(tmp_path, step=[0, 1, 2], loss=[3, 2, 1])
    write_events(tmp_path, curve("loss", [30.0, 20.0]))
    (home,) = homes_of(tmp_path)
    (run,), _ = runs_of(home)
    np.testing.assert_array_equal(run.logged.series["loss"].scores, [3, 2, 1])


def test_files_that_no_format_knows_stay_in_their_folder(tmp_path: Path) -> None:
    progress(tmp_path / "a", step=[0, 1], loss=[3, 2])
    (tmp_path / "a/notes.txt").write_text("no log", encoding="utf-8")
    walked = walk([tmp_path])
    find_homes(walked)
    (folder,) = (folder for folder in walked.folders if folder.path.name == "a")
    assert set(folder.files) == {"notes.txt"}


def test_homes_come_in_the_order_of_folders(tmp_path: Path) -> None:
    for name in ("run10", "run2", "run1"):
        progress(tmp_path / name, step=[0, 1], loss=[3, 2])
    write_events(tmp_path / "run3", curve("loss", [30.0, 20.0]))
    places = [home.path.name for home in homes_of(tmp_path)]
    assert places == ["run1", "run2", "run3", "run10"]


def test_what_repeats_another_log_of_the_run_is_dropped() -> None:
    folder = FIXTURES / "catboost-info/logs/plain/1"
    assert list((folder / "learn").glob("events*")), "the fixture repeats its tables"
    homes = homes_of(folder)
    assert [set(home.logs) for home in homes] == [{"known_tables.catboost"}]


def test_events_beside_other_logs_are_no_repeats(tmp_path: Path) -> None:
    write_events(tmp_path / "a", curve("loss", [30.0, 20.0]))
    write_events(tmp_path / "a/b", curve("loss", [30.0, 20.0]))
    assert sum(len(home.logs["tensorboard"]) for home in homes_of(tmp_path)) == 2


def test_a_store_holds_several_runs() -> None:
    home = homes_of(FIXTURES / "optuna-sqlite/logs")[0]
    runs, _ = runs_of(home)
    assert len(runs) > 1
    assert len({run.place for run in runs}) == len(runs)


def test_a_run_that_cannot_be_read_is_a_run_without_points(tmp_path: Path) -> None:
    path = write_events(tmp_path, curve("loss", [1.0, 2.0]))
    path.write_bytes(b"\x18" + bytes(7) + b"garbage" * 9)
    (home,) = homes_of(tmp_path)
    (run,), skipped = runs_of(home)
    assert (run.logged.status, run.has_points) == (UNREADABLE, False)
    assert run.logged.notes == skipped
    assert path.name in skipped[0]


def test_a_damaged_log_beside_a_good_one_is_noted(tmp_path: Path) -> None:
    path = write_events(tmp_path, curve("loss", [1.0, 2.0]))
    path.write_bytes(b"\x18" + bytes(7) + b"garbage" * 9)
    progress(tmp_path, step=[0, 1], reward=[3, 2])
    (home,) = homes_of(tmp_path)
    for wanted in (Wanted(), Wanted(x="step")):  # a chosen axis must not hide the damage
        (run,), skipped = runs_of(home, wanted)
        assert run.logged.status == ""
        assert run.logged.series.keys() == {"reward"}
        assert len(skipped) == 1
        assert run.logged.notes == skipped


def test_a_log_without_the_wanted_steps_is_left_out_if_another_has_them(tmp_path: Path) -> None:
    progress(tmp_path, step=[0, 1], epoch=[5, 6], reward=[3, 2])
    write_events(tmp_path, curve("loss", [1.0, 2.0]))
    (home,) = homes_of(tmp_path)
    (run,), skipped = runs_of(home, Wanted(x="epoch"))
    assert skipped == []
    assert run.logged.series.keys() == {"reward"}
    np.testing.assert_array_equal(run.logged.series["reward"].steps, [5, 6])
    (lost,), skipped = runs_of(home, Wanted(x="furlongs"))
    assert not lost.has_points
    assert len(skipped) == 2
    assert all("'furlongs'" in reason for reason in skipped)


def test_what_is_claimed_only_to_be_refused_is_no_run(tmp_path: Path) -> None:
    path = a_table(
        tmp_path / "cv_results.csv",
        {
            "mean_fit_time": [0.1, 0.2],
            "param_C": [1, 2],
            "params": ["a", "b"],
            "split0_test_score": [0.5, 0.6],
            "mean_test_score": [0.5, 0.6],
            "rank_test_score": [2, 1],
        },
    )
    (home,) = homes_of(path)
    runs, skipped = runs_of(home)
    assert runs == []
    assert len(skipped) == 1


def test_an_error_of_the_system_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jsonl(tmp_path / "metrics.jsonl", [{"step": i, "loss": -i} for i in range(4)])
    (home,) = homes_of(tmp_path)

    def fail(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path / "metrics.jsonl"))

    monkeypatch.setattr("curvewise.readers.logs.tables.json_lines_runs", fail)
    runs, skipped = runs_of(home)
    assert skipped == ["metrics.jsonl cannot be read: Permission denied"]
    assert runs == []


def test_the_same_file_is_claimed_once(tmp_path: Path) -> None:
    progress(tmp_path, step=[0, 1], loss=[3, 2])
    (home,) = homes_of(tmp_path)
    claims = [claim for logs in home.logs.values() for claim in logs]
    assert len(claims) == 1
    with pytest.raises(CurvesError, match="no file or folder"):
        homes_of(tmp_path / "missing")


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
        assert points(run, "loss") == [*((k, 1.0) for k in range(5)), (3, 2), (4, 2), (5, 2)]
        assert run.series["loss"].sessions is not None
        assert run.series["loss"].sessions.tolist() == [0] * 5 + [1] * 3
        assert run.notes == []


def test_a_session_that_was_killed_before_it_wrote_anything_is_told(tmp_path: Path) -> None:
    killed = write_wandb(tmp_path, [], "abc", "20261115_120000")
    write_wandb(tmp_path, [history(5, loss=1.0), wandb_exit()], "abc")
    (run,) = found_in(tmp_path).values()
    assert points(run.logged, "loss") == [(5, 1.0)]
    (note,) = run.logged.notes
    assert note.startswith(f"the session in {killed.name} has no history")


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
