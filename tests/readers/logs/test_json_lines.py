"""JSON lines: an object per call of a logger."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)
from typing import Any

import pytest

from curvewise import CurvesError, scan
from curvewise.readers.logs import tables
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import assert_as_recorded, homes, points, read_all, read_one

MODULE = "tables.json_lines"


def write(path: Path, *rows: dict[str, Any], end: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows) + end, encoding="utf-8")
    return path.parent


def test_real_logs(logs: Path) -> None:
    runs = read_all(MODULE, logs / "jsonl")
    assert_as_recorded(logs / "jsonl", runs)
    assert runs["004-adam"].notes == ["the last line of metrics.jsonl is cut and was left out"]


def test_splits_nested_objects_and_what_is_no_number(tmp_path: Path) -> None:
    write(
        tmp_path / "metrics.jsonl",
        {"global_step": 0, "split": "train", "loss": 2.0, "note": "start", "done": False},
        {"global_step": 0, "split": "val", "loss": 2.5, "top": {"1": 0.1}},
        {"global_step": 5, "split": "train", "loss": math.nan, "lr": None},
        {"global_step": 5, "loss": "Infinity"},
    )
    run = read_one(MODULE, tmp_path)
    assert run.x == "global_step"
    assert set(run.series) == {"train/loss", "val/loss", "val/top/1", "loss"}
    assert points(run, "val/top/1") == [(0, 0.1)]
    assert points(run, "loss") == [(5, math.inf)]
    assert math.isnan(run.series["train/loss"].scores[1])
    run = read_one(MODULE, tmp_path, Wanted(frozenset({"val/loss"})))
    assert {name: points(run, name) for name in run.series} == {"val/loss": [(0, 2.5)]}


def test_damaged_lines_are_left_out_and_said(tmp_path: Path) -> None:
    lines = [
        b'\xef\xbb\xbf{"step": 0, "loss": 1.0}',
        b"\xff\xfe not UTF-8",
        b"[1]",
        b'{"a":' * 100_000,
        b'{"step": 1, "loss": 0.',
    ]
    (tmp_path / "metrics.jsonl").write_bytes(b"\n".join(lines))
    run = read_one(MODULE, tmp_path)
    assert points(run, "loss") == [(0, 1.0)]
    assert run.notes == [
        "the last line of metrics.jsonl is cut and was left out",
        "lines 2, 3 and 4 of metrics.jsonl were left out (no JSON object)",
    ]


def test_a_closed_last_line_needs_no_newline(tmp_path: Path) -> None:
    write(tmp_path / "metrics.jsonl", {"step": 0, "loss": 1.0}, end='{"step": 1, "loss": 0.5}')
    run = read_one(MODULE, tmp_path)
    assert points(run, "loss") == [(0, 1.0), (1, 0.5)]
    assert run.notes == []


def test_a_packed_file_that_is_cut_gives_its_whole_lines(tmp_path: Path) -> None:
    rows = [{"step": step, "loss": math.sin(step)} for step in range(2_000)]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    packed = gzip.compress(text.encode())
    (tmp_path / "metrics.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    run = read_one(MODULE, tmp_path)
    found = points(run, "loss")
    assert 500 < len(found) < 2_000
    assert found == [(row["step"], row["loss"]) for row in rows[: len(found)]]
    assert run.notes == ["the last line of metrics.jsonl.gz is cut and was left out"]


def test_other_names_are_recognised_by_what_they_hold(tmp_path: Path) -> None:
    # detectron2; mmengine, which writes the same twice; Chainer, a list of objects
    write(
        tmp_path / "d2" / "metrics.json", *({"iteration": k, "total_loss": 0.5} for k in (19, 39))
    )
    lines = [{"loss": 0.5, "lr": 0.1, "iter": k, "step": k} for k in (10, 20)]
    for name in ("scalars.json", "20240102_101112.json"):
        write(tmp_path / "20240102_101112" / "vis_data" / name, *lines)
    (tmp_path / "chainer").mkdir()
    (tmp_path / "chainer" / "log").write_text(
        json.dumps([{"epoch": 1, "main/loss": 2.0}, {"epoch": 2, "main/loss": 1.0}], indent=4)
    )
    # No logs: a data set, a configuration, values of one moment.
    write(tmp_path / "data" / "train.jsonl", {"text": "a", "label": 3}, {"text": "b", "label": 1})
    write(tmp_path / "config" / "config.json", {"lr": 0.1, "seed": 3, "epochs": 3})
    (tmp_path / "text.log").write_text("{'loss': 0.3}\nstep 3\n")
    runs = read_all(MODULE, tmp_path)
    assert set(runs) == {"d2", "20240102_101112/vis_data", "chainer"}
    assert points(runs["d2"], "total_loss") == [(19, 0.5), (39, 0.5)]
    assert points(runs["20240102_101112/vis_data"], "loss") == [(10, 0.5), (20, 0.5)]
    assert runs["20240102_101112/vis_data"].other_x == ("iter", "row")
    assert points(runs["chainer"], "main/loss") == [(1, 2.0), (2, 1.0)]


def test_what_comes_before_the_first_step_is_configuration(tmp_path: Path) -> None:
    write(
        tmp_path / "a.log.json",
        {"seed": 3, "exp_name": "ppo", "env_info": "x" * 10_000},
        {"iter": 1, "loss": 1.0, "mode": "train", "config": {"lr": 0.1}},
    )
    run = read_one(MODULE, tmp_path)
    assert (run.config["seed"], run.config["config"]) == (3, {"lr": 0.1})
    assert set(run.series) == {"train/loss"}


def test_homes(tmp_path: Path) -> None:
    row = {"step": 0, "loss": 1.0}
    for name in ("a/metrics.jsonl", "b/seed0.jsonl", "c/x.jsonl", "c/y.jsonl"):
        write(tmp_path / name, row)
    found = {home.relative_to(tmp_path).as_posix() for home in homes(MODULE, tmp_path)}
    assert found == {"a", "b/seed0.jsonl", "c/x.jsonl", "c/y.jsonl"}


def test_without_steps_records_are_counted_and_it_is_said(tmp_path: Path) -> None:
    write(tmp_path / "metrics.jsonl", {"loss": 1.0}, {"loss": 0.5}, {"acc": 1})
    run = read_one(MODULE, tmp_path)
    assert (run.x, points(run, "loss")) == ("row", [(0, 1.0), (1, 0.5)])
    assert points(run, "acc") == [(2, 1.0)]
    assert "no column of steps" in run.notes[0]


def test_the_steps_that_are_wanted(tmp_path: Path) -> None:
    rows = [{"step": 10 * k, "epoch": k, "timestamp": 2e9 + k, "loss": 1.0} for k in range(3)]
    write(tmp_path / "metrics.jsonl", *rows)
    assert read_one(MODULE, tmp_path, Wanted(x="epoch")).series["loss"].steps.tolist() == [0, 1, 2]
    assert read_one(MODULE, tmp_path, Wanted(x="time")).series["loss"].steps.tolist() == [0, 1, 2]
    with pytest.raises(CurvesError, match=r"no steps called 'frames'; there are 'step', 'epoch'"):
        read_one(MODULE, tmp_path, Wanted(x="frames"))


def test_runs_without_a_point(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "cut.jsonl").write_bytes(b'{"step": 0, "lo')
    runs = read_all(MODULE, tmp_path)
    assert {name: run.series for name, run in runs.items()} == {"empty.jsonl": {}, "cut.jsonl": {}}


def test_a_file_that_has_become_unreadable_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "metrics.jsonl", {"step": 0, "loss": 1.0}, {"step": 1, "loss": 1.0})
    found = homes(MODULE, folder)
    (tmp_path / "metrics.jsonl").write_bytes(b"\xff\n\xfe\n")
    with pytest.raises(CurvesError, match="damaged: none of its 2 lines is a JSON object"):
        list(tables.json_lines_runs(found[folder][0].files[0], Wanted()))


@pytest.mark.parametrize("metric", [None, "val/loss"])
def test_an_evaluation_written_again_after_a_resume_holds(
    tmp_path: Path, metric: str | None
) -> None:
    """Its steps do not go back (0, 20, 20, 40), but those of training do."""
    lines = []
    for first, last, score in ((0, 30, 5.0), (20, 50, 7.0)):
        for step in range(first, last, 5):
            lines.append({"step": step, "split": "train", "loss": score})
            if step % 20 == 0:
                lines.append({"step": step, "split": "val", "loss": score})
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "metrics.jsonl").write_text(text)
    logs = {log.metric: log for log in scan(tmp_path).run_logs(metric)}
    assert logs["val/loss"].steps.tolist() == [0, 20, 40]
    assert logs["val/loss"].scores.tolist() == [5, 7, 7]
    assert any("resumed at step 20" in note for note in logs["val/loss"].notes)
