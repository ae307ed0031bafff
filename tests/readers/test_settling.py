"""Points of a run: which records hold, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from curvewise.readers.naming.identity import Who
from curvewise.readers.points import logs_of, settled_metrics
from curvewise.readers.recognise import FoundRun, Home
from curvewise.readers.walk import Folder, LoggedRun, Series


def run_of(**series: Series) -> FoundRun:
    home = Home(Path("a"), Folder(Path("a")))
    return FoundRun(home, LoggedRun(series=dict(series), status="failed"), ("tables",))


def series(*steps: float) -> Series:
    return Series(np.array(steps, dtype=float), np.arange(float(len(steps))))


def test_the_later_records_of_a_resumed_run_hold_and_its_metric_is_named() -> None:
    run = run_of(loss=series(0, 1, 2, 1, 2), acc=series(0, 1))
    found = settled_metrics(run)
    np.testing.assert_array_equal(found["loss"].scores, [0, 3, 4])
    assert run.logged.notes == ["loss: resumed at step 1; 2 records superseded"]


def test_a_run_that_goes_on_where_it_was_is_said_to_be_resumed() -> None:
    sessions = np.array([0, 0, 1, 1, 2])
    early = Series(np.array([1.0, 2, 3, 4, 5]), np.zeros(5), sessions)
    late = Series(np.array([1.0, 2, 3.5, 4, 5]), np.zeros(5), sessions)
    run = run_of(loss=late, acc=early)
    settled_metrics(run)
    assert run.logged.notes == ["resumed at steps 3 and 5; nothing superseded"]


def test_what_the_log_says_of_a_resumption_is_not_said_again() -> None:
    run = run_of(loss=Series(np.arange(3.0), np.zeros(3), np.array([0, 1, 1])))
    run.note(["the run was resumed at step 1, and 2 earlier records left out"])
    settled_metrics(run)
    assert len(run.logged.notes) == 1


def test_what_all_metrics_share_is_said_without_them() -> None:
    run = run_of(loss=series(0, np.nan), acc=series(0, np.inf))
    found = settled_metrics(run)
    assert [len(points.steps) for points in found.values()] == [1, 1]
    assert run.logged.notes == ["1 record without a finite step left out"]


def test_a_run_that_ends_in_nan_is_said_to() -> None:
    scores = np.array([1, np.nan, 2, np.nan, np.inf])
    run = run_of(loss=Series(np.arange(5.0), scores))
    settled_metrics(run)
    assert run.logged.notes == ["NaN or infinite from step 3 on"]


def test_logs_carry_who_they_are_and_how_the_run_ended() -> None:
    (log,) = logs_of(run_of(loss=series(0, 1)), Who("A", "1", "T", "b"), "loss")
    assert (log.algorithm, log.run, log.task, log.block) == ("A", "1", "T", "b")
    assert (log.metric, log.status, log.n_points) == ("loss", "failed", 2)


def test_a_run_without_the_metric_is_there_without_points() -> None:
    (log,) = logs_of(run_of(), Who("A", "1"), "loss")
    assert (log.metric, log.n_points) == ("loss", 0)
