from __future__ import annotations

import json
import math
import shutil
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from curvewise.errors import CurvesError
from curvewise.readers.logs import run_folders
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import assert_as_recorded, homes, points, read_all, read_one

if TYPE_CHECKING:
    from pathlib import Path

START = 1_700_000_000_000
NAME = "offline-0a1b"


def parameter(value: str, kind: str) -> dict[str, str]:
    return {"section": "x", "name": "x", "value": value, "type": kind, "description": ""}


TASK = {
    "execution": {"artifacts": []},
    "hyperparams": {
        "Args": {"lr": parameter("0.5", "float"), "amp": parameter("True", "bool")},
        "General": {"seed": parameter("3", "int"), "agent": parameter("ppo", "str")},
        "Hydra": {"depth": parameter("many", "int")},
    },
    "id": NAME,
    "name": "ppo 3",
    "project_name": "walkers",
    "type": "training",
}


def event(metric: str, variant: str, step: int, value: Any, **more: Any) -> dict[str, Any]:
    return {
        "timestamp": START + 1000 * step,
        "type": "training_stats_scalar",
        "task": NAME,
        "iter": step,
        "metric": metric,
        "variant": variant,
        "value": value,
        **more,
    }


def lines(*batches: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(batch) + "\n" for batch in batches)


EVENTS = lines(
    [event("loss", "train", 0, 2.5), event("loss", "val", 0, 3.5)],
    [event("loss", "train", 10, math.nan)],
)


def write(folder: Path, events: str | None = EVENTS, task: Any = TASK) -> Path:
    """A session as ClearML writes it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "task.json").write_text(json.dumps(task, sort_keys=True))
    (folder / "log.jsonl").write_text('[{"type": "log", "msg": "hello"}]\n')
    if events is not None:
        (folder / "metrics.jsonl").write_text(events)
    return folder


def pack(folder: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    return target


def test_real_logs_are_read_as_recorded(logs: Path, tmp_path: Path) -> None:
    runs = read_all("run_folders.clearml", logs / "clearml-offline")
    assert_as_recorded(logs / "clearml-offline", runs)
    for place, run in runs.items():
        zipped = pack(logs / "clearml-offline" / place, tmp_path / f"{place}.zip")
        (again,) = read_all("run_folders.clearml", zipped).values()
        assert again.config == run.config
        assert {name: points(again, name) for name in again.series} == {
            name: points(run, name) for name in run.series
        }


def test_events_and_hyperparameters(tmp_path: Path) -> None:
    write(tmp_path / NAME)
    run = read_one("run_folders.clearml", tmp_path)
    assert points(run, "loss/val") == [(0, 3.5)]
    assert run.series["loss/train"].steps.tolist() == [0, 10]
    assert math.isnan(run.series["loss/train"].scores[1])
    assert run.config == {
        "name": "ppo 3",
        "project": "walkers",
        "lr": 0.5,
        "amp": True,
        "seed": 3,
        "agent": "ppo",
        "Hydra": {"depth": "many"},
    }
    assert (run.x, run.other_x, run.notes) == ("step", ("time",), [])


def test_a_folder_and_its_zip_are_one_run(tmp_path: Path) -> None:
    folder = write(tmp_path / NAME)
    pack(folder, tmp_path / f"{NAME}.zip")
    assert list(read_all("run_folders.clearml", tmp_path)) == [NAME]
    claims = homes("run_folders.clearml", tmp_path)[folder]
    assert tmp_path / f"{NAME}.zip" in {file.path for claim in claims for file in claim.files}
    shutil.rmtree(folder)
    run = read_one("run_folders.clearml", tmp_path)
    assert points(run, "loss/val") == [(0, 3.5)]
    assert run.config["agent"] == "ppo"


def test_a_zip_of_the_folder_itself(tmp_path: Path) -> None:
    folder = write(tmp_path / "x")
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        for path in folder.iterdir():
            archive.write(path, f"x/{path.name}")
    shutil.rmtree(folder)
    assert set(read_one("run_folders.clearml", tmp_path).series) == {"loss/train", "loss/val"}


def test_time_is_in_seconds_since_the_first_event(tmp_path: Path) -> None:
    write(tmp_path)
    run = read_one("run_folders.clearml", tmp_path, Wanted(x="time"))
    assert run.series["loss/train"].steps.tolist() == [0, 10]


def test_what_is_no_curve_is_passed_over(tmp_path: Path) -> None:
    write(
        tmp_path,
        lines(
            [
                event("Summary", "best", -(2**31), 0.5),
                event(":monitor:machine", "cpu_usage", 1, 50.0),
                event("image", "x", 1, 1.0, type="training_debug_image"),
                event("loss", "train", 1, None),
                event("loss", "train", 2, 0.25),
            ]
        ),
    )
    run = read_one("run_folders.clearml", tmp_path)
    assert list(run.series) == ["loss/train"]
    assert points(run, "loss/train") == [(2, 0.25)]


def test_cut_and_damaged_lines_are_left_out_and_said(tmp_path: Path) -> None:
    good, after = lines([event("a", "b", 0, 1.0)]), lines([event("a", "b", 2, 3.0)])
    write(tmp_path, good + '[{"iter": 1, \n' + after + after[:-2])
    run = read_one("run_folders.clearml", tmp_path)
    assert points(run, "a/b") == [(0, 1), (2, 3)]
    assert run.notes == [
        "line 2 of metrics.jsonl is damaged and was left out",
        "the last line of metrics.jsonl is cut and was left out",
    ]


def test_a_session_without_metrics_is_listed(tmp_path: Path) -> None:
    write(tmp_path, None, {**TASK, "status": "failed"})
    run = read_one("run_folders.clearml", tmp_path)
    assert (run.series, run.status) == ({}, "failed")


def test_a_damaged_task_is_said_and_the_metrics_are_used(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "task.json").write_text('{"hyperparams": {')
    run = read_one("run_folders.clearml", tmp_path)
    assert "loss/val" in run.series
    assert run.notes == ["task.json is damaged: the hyperparameters are not known"]


def test_damaged_zips_are_refused_with_the_reason(tmp_path: Path) -> None:
    source = write(tmp_path / "source")
    long = "".join(lines([event("a", "b", k, k / 7)]) for k in range(3000))
    write(source, long)
    folder = tmp_path / "zips"
    folder.mkdir()
    whole = pack(source, folder / f"{NAME}.zip").read_bytes()

    (folder / f"{NAME}.zip").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CurvesError, match=r"offline-0a1b.zip is damaged or encrypted"):
        read_one("run_folders.clearml", folder)

    data = bytearray(whole)
    middle = len(data) // 2  # inside the packed events
    data[middle : middle + 200] = b"\xff" * 200
    (folder / f"{NAME}.zip").write_bytes(data)
    with pytest.raises(CurvesError, match=r"offline-0a1b.zip is damaged or encrypted"):
        read_one("run_folders.clearml", folder)


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    path = pack(write(tmp_path / "source"), tmp_path / f"{NAME}.zip")
    shutil.rmtree(tmp_path / "source")
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            data[at + offset] |= 1  # the flag of an encrypted member
            at = data.find(mark, at + 4)
    path.write_bytes(data)
    with pytest.raises(CurvesError, match="encrypted"):
        read_one("run_folders.clearml", tmp_path)


def test_a_zip_that_holds_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack(write(tmp_path / "source"), tmp_path / f"{NAME}.zip")
    shutil.rmtree(tmp_path / "source")
    monkeypatch.setattr(run_folders, "MAX_UNPACKED_SIZE", 100)
    with pytest.raises(CurvesError, match="more than a log does"):
        read_one("run_folders.clearml", tmp_path)


def test_other_files_are_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "task.json").write_text('{"todo": []}')
    (tmp_path / "metrics.jsonl").write_text('{"loss": 1, "step": 1}\n')
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
        archive.writestr("weights.bin", "x")
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04rest")
    assert homes("run_folders.clearml", tmp_path) == {}
