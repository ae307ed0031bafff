from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from curvewise.errors import CurvesError
from tests.readers.logs.reading import homes, points, read_all

if TYPE_CHECKING:
    from pathlib import Path

AGENT = json.dumps({"name": "CategoricalDistribution", "attributes": {"choices": ["dqn", "ppo"]}})


def operation(code: int, **content: Any) -> str:
    return json.dumps({"op_code": code, "worker_id": "w-1", **content}) + "\n"


def study(name: str) -> str:
    return operation(0, study_name=name, directions=[2])


def trial(study_id: int, **content: Any) -> str:
    start = "2026-01-01T00:00:00.000000"
    return operation(4, study_id=study_id, datetime_start=start, **content)


def report(trial_id: int, step: int, value: float) -> str:
    return operation(7, trial_id=trial_id, step=step, intermediate_value=value)


def state(trial_id: int, number: int) -> str:
    return operation(6, trial_id=trial_id, state=number, values=None)


def write(folder: Path, *lines: str) -> None:
    (folder / "journal.log").write_text("".join(lines))


def test_whether_a_study_minimizes(tmp_path: Path) -> None:
    write(
        tmp_path,
        operation(0, study_name="errors", directions=[1]),
        study("scores"),
        trial(0),
        trial(1),
    )
    runs = read_all("stores.optuna_journal", tmp_path).values()
    assert [run.lower_is_better for run in runs] == [True, False]


def test_a_journal_is_replayed(tmp_path: Path) -> None:
    write(
        tmp_path,
        study("s"),
        operation(2, study_id=0, user_attr={"x": 1}),
        trial(0),
        operation(5, trial_id=0, param_name="agent", param_value_internal=1, distribution=AGENT),
        trial(0),
        report(0, 10, 0.5),
        report(1, 10, 0.25),
        report(0, 20, 0.75),
        operation(8, trial_id=1, user_attr={"seed": 4}),
        operation(9, trial_id=1, system_attr={"y": 1}),
        report(1, 20, math.nan),
        report(0, 20, 0.875),  # the same step again: the later holds
        state(0, 1),
        report(0, 30, 9.0),  # the trial has finished
        state(1, 2),
    )
    runs = read_all("stores.optuna_journal", tmp_path)
    first, second = runs.values()
    assert list(runs) == ["journal.log#trial 0", "journal.log#trial 1"]
    assert points(first, "intermediate") == [(10, 0.5), (20, 0.875)]
    assert first.config == {"study": "s", "agent": "ppo"}
    assert (first.status, second.status) == ("", "pruned")
    assert second.config == {"study": "s", "seed": 4}
    assert math.isnan(second.series["intermediate"].scores[1])


def test_several_studies_deleted_and_repeated_ones(tmp_path: Path) -> None:
    write(
        tmp_path,
        study("a"),
        study("b"),
        study("a"),  # is there already
        trial(0),
        trial(1),
        report(1, 0, 2.0),
        operation(1, study_id=0),
        trial(0),  # of a deleted study: not created, not numbered
        study("a"),
        trial(2),
        report(2, 0, 3.0),
        state(2, 3),
        trial(1, state=4),  # queued
    )
    runs = read_all("stores.optuna_journal", tmp_path)
    assert [key.partition("#")[2] for key in runs] == ["b/trial 0", "a/trial 0"]
    first, second = runs.values()
    assert (points(first, "intermediate"), first.status) == ([(0, 2)], "running")
    assert (points(second, "intermediate"), second.status) == ([(0, 3)], "failed")


def test_a_trial_that_was_added_whole(tmp_path: Path) -> None:
    write(
        tmp_path,
        study("a"),
        trial(
            0,
            state=1,
            params={"agent": 0},
            distributions={"agent": AGENT},
            user_attrs={"seed": 1},
            intermediate_values={"0": 1.0, "5": 2.0},
        ),
    )
    (run,) = read_all("stores.optuna_journal", tmp_path).values()
    assert points(run, "intermediate") == [(0, 1), (5, 2)]
    assert run.config == {"study": "a", "agent": "dqn", "seed": 1}


def test_a_cut_last_line_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, study("s"), trial(0), report(0, 1, 0.5), report(0, 2, 0.75)[:-2])
    (run,) = read_all("stores.optuna_journal", tmp_path).values()
    assert points(run, "intermediate") == [(1, 0.5)]
    assert run.notes == ["the last line of journal.log is cut and was left out"]


@pytest.mark.parametrize("line", ['{"op_code": 7\n', "[]\n", "{}\n", trial(5)])
def test_damage_in_the_middle_is_refused(tmp_path: Path, line: str) -> None:
    write(tmp_path, study("s"), line, trial(0))
    with pytest.raises(CurvesError, match=r"journal.log is damaged: line 2"):
        read_all("stores.optuna_journal", tmp_path)


def test_other_json_lines_are_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"step": 1, "loss": 2}\n')
    (tmp_path / "empty.log").write_text("")
    assert homes("stores.optuna_journal", tmp_path) == {}
