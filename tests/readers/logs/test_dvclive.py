from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from curvewise.errors import CurvesError
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import assert_as_recorded, homes, points, read_all, read_one

if TYPE_CHECKING:
    from pathlib import Path


def write(home: Path, tables: dict[str, str], place: str = "plots/metrics") -> None:
    for name, text in tables.items():
        path = home / place / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def test_real_logs_are_read_as_recorded(logs: Path) -> None:
    assert_as_recorded(logs / "dvclive", read_all("known_tables.dvclive", logs / "dvclive"))


def test_a_metric_is_named_by_its_path(tmp_path: Path) -> None:
    home = tmp_path / "exp" / "dvclive"
    write(
        home,
        {"eval/top.5/acc": "step\tacc\n0\t0.25\n5\tnan\n9\t\n", "loss": "step\tloss\r\n1\t3.5\r\n"},
    )
    (home / "metrics.json").write_text('{"loss": 3.5, "step": 1}')
    (home / "params.yaml").write_text("seed: 1\n")
    other = home / "plots" / "sklearn" / "roc.json"
    other.parent.mkdir()
    other.write_text("[]")
    runs = read_all("known_tables.dvclive", tmp_path)
    run = runs["exp/dvclive"]
    assert set(run.series) == {"eval/top.5/acc", "loss"}
    series = run.series["eval/top.5/acc"]
    assert series.steps.tolist() == [0, 5]
    assert math.isnan(series.scores[1])
    assert points(run, "loss") == [(1, 3.5)]
    assert (run.x, run.other_x) == ("step", ())
    ((claim,),) = homes("known_tables.dvclive", tmp_path).values()
    claimed = {file.path for file in claim.files}
    assert {home / "metrics.json", other} < claimed
    assert home / "params.yaml" not in claimed


def test_a_cut_last_line_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"loss": "step\tloss\n0\t3.5\n1\t2"})
    run = read_one("known_tables.dvclive", tmp_path)
    assert points(run, "loss") == [(0, 3.5)]
    assert run.notes == ["the last line of loss.tsv is cut and was left out"]


def test_steps_stay_in_the_order_in_which_they_were_written(tmp_path: Path) -> None:
    """What a resumed run wrote again is settled later, for all formats alike."""
    write(tmp_path, {"loss": "step\tloss\n0\t4\n1\t3\n2\t2\n1\t9\n"})
    assert points(read_one("known_tables.dvclive", tmp_path), "loss") == [
        (0, 4),
        (1, 3),
        (2, 2),
        (1, 9),
    ]


@pytest.mark.parametrize("place", ["scalars", "plots/scalars"])
def test_old_versions_write_times_and_other_folders(tmp_path: Path, place: str) -> None:
    tables = {
        "loss": "timestamp\tstep\tloss\n1700000000500\t0\t4\n1700000002000\t1\t3\n",
        "acc": "timestamp\tstep\tacc\n1700000001000\t1\t0.5\n",
    }
    write(tmp_path, tables, place)
    run = read_one("known_tables.dvclive", tmp_path)
    assert points(run, "loss") == [(0, 4), (1, 3)]
    assert run.other_x == ("time",)
    run = read_one("known_tables.dvclive", tmp_path, Wanted(x="time"))
    assert points(run, "loss") == [(0, 4), (1.5, 3)]
    assert points(run, "acc") == [(0.5, 0.5)]


def test_a_metric_without_times_is_left_out_where_time_counts(tmp_path: Path) -> None:
    tables = {
        "a": "timestamp\tstep\ta\n1700000000500\t0\t4\n1700000002000\t1\t3\n",
        "b": "step\tb\n0\t1\n",
    }
    write(tmp_path, tables)
    run = read_one("known_tables.dvclive", tmp_path)
    assert (set(run.series), run.other_x, run.notes) == ({"a", "b"}, ("time",), [])
    run = read_one("known_tables.dvclive", tmp_path, Wanted(x="time"))
    assert list(run.series) == ["a"]
    assert run.notes == ["b was logged without times and was left out"]


def test_a_table_without_rows_is_an_empty_run(tmp_path: Path) -> None:
    write(tmp_path, {"loss": "timestamp\tstep\tloss\n"})
    for wanted in (Wanted(), Wanted(x="time")):
        assert read_one("known_tables.dvclive", tmp_path, wanted).series == {}


def test_only_what_is_wanted_is_read(tmp_path: Path) -> None:
    write(tmp_path, {"a": "step\ta\n0\t1\n", "b": "step\tb\n0\t2\n"})
    run = read_one("known_tables.dvclive", tmp_path, Wanted(frozenset({"b"})))
    assert list(run.series) == ["b"]


def test_a_missing_axis_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"a": "step\ta\n0\t1\n"})
    with pytest.raises(CurvesError, match="no 'time' to count steps in"):
        read_one("known_tables.dvclive", tmp_path, Wanted(x="time"))


def test_other_tables_are_not_claimed(tmp_path: Path) -> None:
    write(tmp_path, {"pixels": "x\ty\n0\t1\n"})
    (tmp_path / "metrics.json").write_text("{}")
    assert homes("known_tables.dvclive", tmp_path) == {}
