"""Monitor files of Stable-Baselines3 and OpenAI baselines."""

from __future__ import annotations

import csv
import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import CurvesError
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import check_truth, runs_below, settled

if TYPE_CHECKING:
    from pathlib import Path

HEADER = '#{{"t_start": {start}, "env_id": "CartPole-v1"}}\nr,l,t\n'


def write(path: Path, rows: str, start: float = 100.0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = HEADER.format(start=start) + rows
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def test_real_files_of_one_environment(logs: Path) -> None:
    check_truth(logs / "sb3", "known_tables.monitor", "known_tables.evaluations", "tables.logger")
    check_truth(logs / "baselines", "known_tables.monitor", "tables.logger")


def test_real_files_of_three_environments(logs: Path) -> None:
    runs = runs_below(logs / "sb3-monitor", "known_tables.monitor")
    with (logs / "sb3-monitor/truth.csv").open(encoding="utf-8") as file:
        truth: dict[str, dict[float, float]] = {}
        for row in csv.DictReader(file):
            place = f"CartPole-v1/{row['algorithm']}/{row['run']}"
            truth.setdefault(place, {})[float(row["step"])] = float(row["score"])
    assert set(runs) == set(truth)
    for place, expected in truth.items():
        found = settled(runs[place], "r")
        if place.endswith("a2c/3"):
            # Two episodes of 19 and 67 steps ended within milliseconds of each other after
            # the resume: their order is not in the files.
            assert found.items() - expected.items() == {(1031, 67), (1050, 19)}
            assert expected.items() - found.items() == {(983, 19), (1050, 67)}
            continue
        assert found == expected, place
    crashed = runs["CartPole-v1/ppo/2"]
    assert crashed.notes == ["the last line of 1.monitor.csv is cut and was left out"]
    assert crashed.config == {"env_id": "CartPole-v1"}


def test_files_of_a_folder_are_one_run_in_the_order_of_their_episodes(tmp_path: Path) -> None:
    write(tmp_path / "ppo/0.monitor.csv", "1.0,10,1.0\n3.0,30,4.0\n")
    write(tmp_path / "ppo/1.monitor.csv.gz", "2.0,20,1.0\n4.0,40,2.5\n", start=101.5)
    (run,) = runs_below(tmp_path, "known_tables.monitor").values()
    series = run.series["monitor:r"]
    assert series.scores.tolist() == [1, 2, 3, 4]
    assert series.steps.tolist() == [10, 30, 60, 100]
    assert series.of_episodes
    assert run.series["monitor:l"].scores.tolist() == [10, 20, 30, 40]
    assert (run.x, run.other_x) == ("step", ("episode", "time"))


def test_time_that_falls_back_begins_a_session(tmp_path: Path) -> None:
    write(tmp_path / "0.monitor.csv", "1,10,5.0\n2,10,9.0\n3,10,1.0\n")
    write(tmp_path / "1.monitor.csv", "4,10,7.0\n5,10,0.5\n")
    (run,) = runs_below(tmp_path, "known_tables.monitor").values()
    series = run.series["monitor:r"]
    assert series.scores.tolist() == [1, 4, 2, 5, 3]
    assert series.steps.tolist() == [10, 20, 30, 40, 50]
    assert series.sessions is not None
    assert series.sessions.tolist() == [0, 0, 0, 1, 1]
    (by_time,) = runs_below(tmp_path, "known_tables.monitor", wanted=Wanted(x="time")).values()
    assert by_time.series["monitor:r"].steps.tolist() == [5, 7, 9, 9.5, 10]
    (by_episode,) = runs_below(
        tmp_path, "known_tables.monitor", wanted=Wanted(x="episode")
    ).values()
    assert by_episode.series["monitor:r"].steps.tolist() == [1, 2, 3, 4, 5]


def test_a_header_in_the_middle_begins_a_session(tmp_path: Path) -> None:
    again = HEADER.format(start=500.0)
    write(tmp_path / "monitor.csv", f"1,10,5.0\n{again}2,20,6.0\n")
    (run,) = runs_below(tmp_path, "known_tables.monitor").values()
    series = run.series["monitor:r"]
    assert series.steps.tolist() == [10, 30]
    assert series.sessions is not None
    assert series.sessions.tolist() == [0, 1]


def test_damaged_lines_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = "1,10,1\n2,20,2.53,30,2.6\nx,5,3\n4,0,3\n5,50,4\n6,60,5"
    write(tmp_path / "monitor.csv", rows)
    (run,) = runs_below(tmp_path, "known_tables.monitor").values()
    assert settled(run, "r") == {10: 1, 60: 5}
    assert run.notes == [
        "the last line of monitor.csv is cut and was left out",
        "lines 4, 5 and 6 of monitor.csv were left out (damaged)",
    ]


def test_other_columns_are_metrics_too(tmp_path: Path) -> None:
    path = tmp_path / "monitor.csv"
    text = '#{"t_start": 1.0, "env_id": "None"}\nr,l,t,is_success,note\n'
    path.write_text(f'{text}1,10,1,True,"a,b"\n2,10,2,False,\n', encoding="utf-8")
    (run,) = runs_below(tmp_path, "known_tables.monitor").values()
    assert set(run.series) == {"monitor:r", "monitor:l", "monitor:is_success"}
    assert settled(run, "is_success") == {10: 1, 20: 0}
    assert run.config == {}
    wanted = Wanted(frozenset({"r"}))
    (only,) = runs_below(tmp_path, "known_tables.monitor", wanted=wanted).values()
    assert set(only.series) == {"monitor:r"}
    assert settled(only, "r") == {10: 1, 20: 2}


def test_json_lines_of_2017(tmp_path: Path) -> None:
    rows = '{"t_start": 7, "gym_version": "0.9", "env_id": "Pong"}\n'
    rows += '{"r": -21.0, "l": 100, "t": 3.5}\n{"r": NaN, "l": 50, "t": 5}\n{"r": 1, "l"'
    (tmp_path / "0.monitor.json").write_text(rows, encoding="utf-8")
    (run,) = runs_below(tmp_path, "known_tables.monitor").values()
    np.testing.assert_equal(settled(run, "r"), {100: -21.0, 150: np.nan})
    assert run.config == {"env_id": "Pong"}
    assert len(run.notes) == 1


@pytest.mark.parametrize("text", ["", HEADER.format(start=1.0), "r,l,t\n"])
def test_a_run_without_an_episode_is_empty(tmp_path: Path, text: str) -> None:
    (tmp_path / "monitor.csv").write_text(text, encoding="utf-8")
    (run,) = runs_below(tmp_path, "known_tables.monitor").values()
    assert run.series == {}


def test_evaluation_is_a_part_of_the_run(tmp_path: Path) -> None:
    write(tmp_path / "a/0.monitor.csv", "1,10,1\n")
    write(tmp_path / "a/eval.monitor.csv", "7,70,1\n")
    write(tmp_path / "b/monitor.csv", "2,20,1\n")
    write(tmp_path / "b/eval/monitor.csv", "8,80,1\n")
    runs = runs_below(tmp_path, "known_tables.monitor")
    assert set(runs) == {"a", "b"}
    assert settled(runs["a"], "monitor:r") == {10: 1}
    assert settled(runs["a"], "monitor:eval/r") == {70: 7}
    assert settled(runs["b"], "monitor:eval/r") == {80: 8}


def test_files_named_by_runs_are_runs_of_their_own(tmp_path: Path) -> None:
    for name in ("ppo_1", "ppo_2", "a2c_1"):
        write(tmp_path / f"all/{name}.monitor.csv", "1,10,1\n")
    for name in ("seed0", "seed1"):
        write(tmp_path / f"ppo/{name}.monitor.csv", "1,10,1\n")
    for name in ("env_0", "env_1"):
        write(tmp_path / f"dqn/{name}.monitor.csv", "1,10,1\n")
    assert set(runs_below(tmp_path, "known_tables.monitor")) == {
        "all/ppo_1.monitor.csv",
        "all/ppo_2.monitor.csv",
        "all/a2c_1.monitor.csv",
        "ppo/seed0.monitor.csv",
        "ppo/seed1.monitor.csv",
        "dqn",
    }


def test_appended_files_may_have_no_header(tmp_path: Path) -> None:
    for name, text in [("0", "1.0,10,1.5\n3.0,30,0.5\n"), ("1", "2.0,20,2.5,True\n")]:
        path = tmp_path / f"ppo/{name}.monitor.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    run = runs_below(tmp_path, "known_tables.monitor")["ppo"]
    assert settled(run, "monitor:r") == {10: 1, 30: 2, 60: 3}
    assert "0.monitor.csv has no header: its first columns are taken for r, l and t" in run.notes


def test_other_tables_are_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "gpu_monitor.csv").write_text("time,load\n1,2\n", encoding="utf-8")
    assert runs_below(tmp_path, "known_tables.monitor") == {}


def test_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "monitor.csv"
    path.write_text('#{"t_start": 1}\nreward,length\n1,2\n', encoding="utf-8")
    with pytest.raises(CurvesError, match=r"monitor.csv is damaged: it has no columns r, l"):
        runs_below(tmp_path, "known_tables.monitor")
    write(path, "1,10,1\n")
    with pytest.raises(CurvesError, match=r"'timestep' .*there are 'step', 'episode', 'time'"):
        runs_below(tmp_path, "known_tables.monitor", wanted=Wanted(x="timestep"))
    packed = tmp_path / "1.monitor.csv.gz"
    packed.write_bytes(b"no gzip at all")
    # Without the episodes of one environment the steps of the others would be wrong.
    with pytest.raises(CurvesError, match=r"1.monitor.csv.gz cannot be read.*: Not a gzipped"):
        runs_below(tmp_path, "known_tables.monitor")


def test_quotes_around_names_and_a_byte_order_mark(tmp_path: Path) -> None:
    text = '#{"t_start": 0}\n"r","l","t"\n5,10,1\n6,10,2\n'
    (tmp_path / "monitor.csv").write_text(text, encoding="utf-8-sig")
    (run,) = runs_below(tmp_path, "known_tables.monitor").values()
    assert settled(run, "monitor:r") == {10: 5, 20: 6}
