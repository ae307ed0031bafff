"""The table of one run: steps, times, metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import CurvesError
from curvewise.readers.parsing.columns import Layout, is_needed, layout_of, run_of_table
from curvewise.readers.parsing.text_tables import read_log_table
from curvewise.readers.walk import File, Wanted
from curvewise.text import naming_flags

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from curvewise.readers.walk import LoggedRun

    Reader = Callable[..., LoggedRun]


@pytest.fixture
def run_of(tmp_path: Path) -> Reader:
    def read(text: str, layout: Layout | None = None, **wanted: object) -> LoggedRun:
        path = tmp_path / "log.csv"
        path.write_text(text, encoding="utf-8")
        asked = Wanted(**wanted)  # type: ignore[arg-type]
        return run_of_table(read_log_table(File(path)), asked, layout or Layout(), name="log.csv")

    return read


def lines(header: str, *columns: Sequence[object]) -> str:
    rows = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join([header, *rows, ""])


def test_each_metric_has_steps_of_its_own(run_of: Reader) -> None:
    run = run_of("epoch,step,train_loss,val_loss\n0,3,2.0,\n0,7,1.5,\n0,7,,1.25\n1,9,nan,\n")
    assert (run.x, run.other_x) == ("step", ("epoch", "row"))
    assert set(run.series) == {"train_loss", "val_loss"}
    assert run.series["train_loss"].steps.tolist() == [3, 7, 9]
    np.testing.assert_equal(run.series["train_loss"].scores, [2.0, 1.5, np.nan])
    assert run.series["val_loss"].steps.tolist() == [7]
    assert run.notes == []


def test_the_length_of_each_episode_is_not_a_counter(run_of: Reader) -> None:
    text = lines("episode,steps,reward", [1, 2, 3, 4], [20, 12, 35, 30], [0, 1, 0, 1])
    run = run_of(text)
    assert run.x == "episode"
    assert run.series["steps"].scores.tolist() == [20, 12, 35, 30]
    alone = run_of(lines("steps,reward", [20, 12, 35, 12, 50, 12, 9], [0] * 7))
    assert alone.x == "row"


def test_a_counter_may_begin_again_after_each_restart(run_of: Reader) -> None:
    epochs, steps = [0, 1, 2, 1, 2, 3, 0, 1], [0, 9, 18, 9, 18, 27, 0, 9]
    run = run_of(lines("epoch,step,loss", epochs, steps, [1.0] * 8))
    assert (run.x, run.other_x) == ("step", ("epoch", "row"))
    assert run.series["loss"].steps.tolist() == steps
    alone = run_of(lines("epoch,loss", epochs, [1.0] * 8))
    assert alone.series["loss"].steps.tolist() == epochs


def test_rows_out_of_order_still_have_steps(run_of: Reader) -> None:
    steps = [50, 10, 40, 30, 20, 0]
    assert run_of(lines("step,loss", steps, [1.0] * 6)).x == "step"


def test_a_counter_that_never_changes_is_not_used(run_of: Reader) -> None:
    run = run_of(lines("step,epoch,loss", [0, 0, 0], [1, 2, 3], [1.0, 0.5, 0.25]))
    assert run.x == "epoch"
    assert set(run.series) == {"loss"}


def test_a_counter_that_never_changes_hides_none_that_a_resume_set_back(run_of: Reader) -> None:
    steps = [1000, 2000, 3000, 2000, 3000]
    run = run_of(lines("total_steps,num_episodes,loss", steps, [5] * 5, [1.0] * 5))
    assert run.x == "total_steps"
    assert run.series["loss"].steps.tolist() == steps


def test_the_steps_of_a_known_logger_are_taken_whatever_they_hold(run_of: Reader) -> None:
    text = lines("epoch,t,loss", [3, 2, 3, 2, 3], [1, 2, 3, 4, 5], [1.0] * 5)
    assert run_of(text, Layout(steps=("epoch",))).x == "epoch"


@pytest.mark.parametrize(
    ("times", "seconds"),
    [
        (["2026-11-16T06:24:02.25+00:00", "2026-11-16T07:24:02.5+01:00"], [0, 0.25]),
        (["2026-11-16 06:24:02", "2026-11-16 06:25:02"], [0, 60]),
        (["2026-11-16_05-17-37", "2026-11-16_05-17-38"], [0, 1]),
        ([1794806257.25, 1794806258.5], [0, 1.25]),
        ([1794806257250, 1794806258500], [0, 1.25]),
        ([1.5, 3.0], [1.5, 3.0]),
    ],
)
def test_times_are_seconds_since_the_start(
    run_of: Reader, times: list[object], seconds: list[float]
) -> None:
    run = run_of(lines("timestamp,loss", times, [1.0, 0.5]))
    assert (run.x, run.other_x) == ("time", ("row",))
    np.testing.assert_allclose(run.series["loss"].steps, seconds, atol=1e-6)
    assert set(run.series) == {"loss"}


def test_rows_are_counted_where_there_is_nothing_else_and_that_is_said(run_of: Reader) -> None:
    run = run_of(",loss,acc\n0,1.0,0.1\n1,0.5,0.2\n")
    assert run.x == "row"
    assert set(run.series) == {"loss", "acc"}
    assert run.series["acc"].steps.tolist() == [0, 1]
    assert run.notes == ["log.csv has no column of steps: its rows are counted"]


@pytest.mark.parametrize(
    ("asked", "x", "steps"),
    [
        ("epoch", "train/Epoch", [1, 2]),
        ("TRAIN/EPOCH", "train/Epoch", [1, 2]),
        ("time", "time", [5, 9]),
        ("Wall_Time", "time", [5, 9]),
        ("row", "row", [0, 1]),
        ("lr", "lr", [0.5, 0.25]),
    ],
)
def test_other_steps_can_be_asked_for(
    run_of: Reader, asked: str, x: str, steps: list[float]
) -> None:
    text = "train/Epoch,global_step,wall_time,lr,loss\n1,10,5,0.5,3\n2,20,9,0.25,2\n"
    run = run_of(text, x=asked)
    assert run.x == x
    assert run.series["loss"].steps.tolist() == steps
    assert "global_step" in run.other_x


def test_steps_that_are_not_there_are_refused(run_of: Reader) -> None:
    message = (
        r"log.csv has no steps called 'epcoh'; there are 'step', 'epoch', 'row'; did you "
        r"mean 'epoch'\? Choose with"
    )
    text = "step,epoch,loss,tag\n1,1,2,a\n2,2,1,b\n"
    with pytest.raises(CurvesError, match=message):
        run_of(text, x="epcoh")
    with naming_flags(), pytest.raises(CurvesError, match="Choose with --x step"):
        run_of(text, x="tag")
    with pytest.raises(CurvesError, match="no steps called 'time'"):
        run_of(text, x="time")


def test_words_are_no_metric_and_stray_ones_are_said(run_of: Reader) -> None:
    run = run_of("step,loss,host\n1,0.5,a\n2,oops,b\n3,0.25,c\n")
    assert run.series.keys() == {"loss"}
    assert run.series["loss"].steps.tolist() == [1, 3]
    assert run.notes == ["1 cell of the column 'loss' is no number and was left out"]


def test_rows_without_a_step_are_said(run_of: Reader) -> None:
    run = run_of("step,loss\n1,0.5\n,0.4\nnan,0.3\n4,0.2\n")
    assert run.series["loss"].steps.tolist() == [1, 4]
    assert run.notes == ["2 rows without a number in 'step' were left out"]


def test_a_mean_over_no_episodes_yet_is_no_score(run_of: Reader) -> None:
    text = "step,eprewmean,loss\n1,nan,nan\n2,nan,1\n3,0.5,2\n4,nan,3\n"
    run = run_of(text)
    assert run.series["eprewmean"].steps.tolist() == [3, 4]
    assert run.series["loss"].steps.tolist() == [1, 2, 3, 4]
    assert run.notes == ["eprewmean has no value in the first 2 rows, before an episode had ended"]
    once = run_of("step,eprewmean\n1,nan\n2,1\n3,2\n")
    assert "in the first row, before" in once.notes[0]


def test_only_what_is_wanted_is_there(run_of: Reader) -> None:
    run = run_of("step,a,b\n1,2,3\n2,3,4\n", metrics=frozenset({"b"}))
    assert set(run.series) == {"b"}


def test_what_is_needed_of_a_table() -> None:
    header = ["step", "Epoch", "time/time_elapsed", "lr", "a", "b"]
    needed = is_needed(Wanted(frozenset({"eval/b"}), x="lr"), Layout(), "eval/")
    assert [*filter(needed, header)] == ["step", "Epoch", "time/time_elapsed", "lr", "b"]


def test_a_table_without_rows_is_an_empty_run(run_of: Reader) -> None:
    run = run_of("epoch,loss\n")
    assert (run.series, run.x, run.notes) == ({}, "epoch", [])


def test_rows_of_evaluation_may_count_on_their_own(run_of: Reader) -> None:
    # As mmengine logs: the step of training is the iteration, that of validation the epoch.
    table = "epoch,step,loss,mAP\n1,50,0.5,\n1,100,0.4,\n,1,,0.2\n2,150,0.3,\n,2,,0.6\n"
    run = run_of(table)
    assert run.x == "step"
    assert run.series["loss"].steps.tolist() == [50, 100, 150]
    assert run.series["mAP"].steps.tolist() == [1, 2]


def test_rows_are_episodes_where_the_return_of_one_is_logged(tmp_path: Path) -> None:
    (path := tmp_path / "log.csv").write_text("actor_steps,episode_return,loss\n1,2,3\n5,4,3\n")
    layout = layout_of(["actor_steps", "episode_return", "loss"])
    for metric in ("episode_return", "loss"):
        wanted = Wanted(frozenset({metric}))
        table = read_log_table(File(path), is_needed(wanted, layout))
        assert run_of_table(table, wanted, layout, name="log.csv").series[metric].of_episodes
