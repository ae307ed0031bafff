from __future__ import annotations

import math
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.errors import CurvesError
from curvewise.readers.logs.wandb import wandb_messages
from curvewise.readers.scan import scan
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import assert_as_recorded, points, read_all, read_one
from tests.readers.logs.writing import (
    block_log,
    define_metric,
    history,
    wandb_exit,
    wandb_run,
    write_wandb,
)

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.readers.walk import LoggedRun

FORMAT = "wandb.offline"


def written(top: Path, *records: bytes, wanted: Wanted | None = None) -> LoggedRun:
    """The run in a file of these records and a closing one."""
    write_wandb(top, [*records, wandb_exit()])
    return read_one(FORMAT, top, wanted)


# --- files written by wandb


def test_every_value_that_wandb_wrote_is_read(logs: Path) -> None:
    folder = logs / "wandb-offline"
    runs = read_all(FORMAT, folder)
    files = {
        (folder / place).relative_to(folder).as_posix()
        + f"/run-{place.rpartition('-')[2]}.wandb": run
        for place, run in runs.items()
    }
    assert_as_recorded(folder, files)


def test_configuration_and_end_of_what_wandb_wrote(logs: Path) -> None:
    runs = read_all(FORMAT, logs / "wandb-offline")
    for run in runs.values():
        config = run.config
        assert config["display_name"] == f"{config['optimizer']}-{config['seed']}"
        assert set(config) == {"display_name", "optimizer", "lr", "seed", "dataset"}
        assert (run.x, run.other_x) == ("_step", ("_runtime", "_timestamp"))
    (cut,) = [run for run in runs.values() if run.notes]
    assert cut.config["display_name"] == "sgd-3"
    assert "is cut and was left out" in cut.notes[0]


# --- rows


@pytest.mark.parametrize("nested", [False, True])
def test_rows_have_their_own_keys(tmp_path: Path, nested: bool) -> None:
    run = written(
        tmp_path,
        history(0, nested=nested, **{"train/loss": 2.0, "acc": 0.1}),
        history(5, nested=nested, **{"train/loss": 1}),
    )
    assert points(run, "train/loss") == [(0, 2.0), (5, 1.0)]
    assert points(run, "acc") == [(0, 0.1)]
    assert set(run.series) == {"train/loss", "acc"}
    assert run.notes == []


def test_values_as_json_has_and_has_not_numbers(tmp_path: Path) -> None:
    run = written(
        tmp_path,
        history(0, loss="NaN", best='"Infinity"', flag="true", note='"text"', none="null"),
        history(1, loss="-Infinity", best='"NaN"', list="[1, 2]", broken="{"),
        history(2, loss="1e-3", deep={"a": {"b": 2}, "c": "x"}),
    )
    np.testing.assert_array_equal(run.series["loss"].scores, [math.nan, -math.inf, 0.001])
    np.testing.assert_array_equal(run.series["best"].scores, [math.inf, math.nan])
    assert points(run, "deep.a.b") == [(2, 2.0)]
    assert set(run.series) == {"loss", "best", "deep.a.b"}


def test_fields_for_numbers_of_newer_versions(tmp_path: Path) -> None:
    record = wandb_messages()["Record"]()
    record.history.step.num = 7
    record.history.item.add(key=b"loss", number=0.5)
    record.history.item.add(key=b"count", integer=3)
    run = written(tmp_path, record.SerializeToString())
    assert points(run, "loss") == [(7, 0.5)]
    assert points(run, "count") == [(7, 3.0)]


def test_media_are_no_metrics(tmp_path: Path) -> None:
    run = written(
        tmp_path,
        history(
            0,
            **{
                "img.width": 28,
                "img._type": '"image-file"',
                "img.size": 700,
                "imgs": 1.0,
                "old": {"_type": "histogram", "values": 3},
            },
        ),
    )
    assert set(run.series) == {"imgs"}


def test_row_of_several_blocks(tmp_path: Path) -> None:
    values = {f"metric_{k}": float(k) for k in range(3000)}
    run = written(tmp_path, history(0, **values), history(1, **values))
    assert len(run.series) == 3000
    assert points(run, "metric_2999") == [(0, 2999.0), (1, 2999.0)]


# --- steps


def test_defined_steps_are_those_of_the_metric(tmp_path: Path) -> None:
    run = written(
        tmp_path,
        define_metric("epoch"),
        define_metric("val/*", "epoch"),
        define_metric("val/speed"),
        history(0, loss=3.0),
        history(1, **{"loss": 2.0, "val/acc": 0.5, "val/speed": 9.0, "epoch": 10}),
        history(2, **{"val/acc": 0.6, "val/f1": 0.4, "epoch": 20}),
    )
    assert points(run, "val/acc") == [(10, 0.5), (20, 0.6)]
    assert points(run, "val/f1") == [(20, 0.4)]
    assert points(run, "loss") == [(0, 3.0), (1, 2.0)]
    assert points(run, "val/speed") == [(1, 9.0)]
    axes = {metric: series.x for metric, series in run.series.items()}
    assert axes == {"loss": "_step", "val/acc": "epoch", "val/f1": "epoch", "val/speed": "_step"}
    assert "epoch" not in run.series
    assert "epoch" in {run.x, *run.other_x}


def test_all_metrics_over_one_key_as_the_trainer_of_transformers_does(tmp_path: Path) -> None:
    records = [
        define_metric("train/global_step"),
        define_metric("*", "train/global_step"),
        history(0, **{"eval/loss": 3.0, "train/global_step": 500}),
        history(1, **{"eval/loss": 2.0, "train/global_step": 1000}),
    ]
    write_wandb(tmp_path, [*records, wandb_exit()])
    for wanted in (None, Wanted(frozenset({"eval/loss"}))):
        run = read_one(FORMAT, tmp_path, wanted)
        assert points(run, "eval/loss") == [(500, 3.0), (1000, 2.0)]
        assert run.x == "train/global_step"
        assert "_step" in run.other_x
    over_calls = read_one(FORMAT, tmp_path, Wanted(x="_step"))
    assert points(over_calls, "eval/loss") == [(0, 3.0), (1, 2.0)]


def test_wanted_steps(tmp_path: Path) -> None:
    rows = [history(k, loss=1.0 / (k + 1), env_steps=100 * k) for k in range(3)]
    write_wandb(tmp_path, [*rows, history(3, loss=0.0), wandb_exit()])

    def steps(x: str) -> list[float]:
        run = read_one(FORMAT, tmp_path, Wanted(frozenset({"loss"}), x))
        return run.series["loss"].steps.tolist()

    assert steps("_step") == steps("step") == [0, 1, 2, 3]
    assert steps("_runtime") == steps("time") == [0, 0.5, 1, 1.5]
    assert steps("env_steps") == [0, 100, 200]
    run = read_one(FORMAT, tmp_path, Wanted(x="env_steps"))
    assert run.notes == ["1 record of 'loss' in rows without 'env_steps' left out"]
    with pytest.raises(CurvesError, match=r"no 'epoch'.*'_step', '_runtime', 'env_steps'"):
        steps("epoch")


def test_only_what_is_wanted_is_returned(tmp_path: Path) -> None:
    rows = [history(k, loss=1.0, acc=float(k)) for k in range(3)]
    run = written(tmp_path, *rows, wanted=Wanted(frozenset({"acc"})))
    assert set(run.series) == {"acc"}
    assert points(run, "acc") == [(0, 0.0), (1, 1.0), (2, 2.0)]


def test_episodes_are_told_by_name(tmp_path: Path) -> None:
    run = written(tmp_path, history(0, **{"charts/episodic_return": 1.0, "loss": 2.0}))
    assert run.series["charts/episodic_return"].of_episodes
    assert not run.series["loss"].of_episodes


# --- who is who


def test_configuration_updates_and_removals(tmp_path: Path) -> None:
    update = wandb_messages()["Record"]()
    item = update.config.update.add(value_json=b"0.2")
    item.nested_key.extend([b"model", b"dropout"])
    update.config.update.add(key=b"seed", value_json=b"7")
    update.config.update.add(key=b"broken", value_json=b"{")
    update.config.remove.add(key=b"old")
    run = written(
        tmp_path,
        wandb_run("sunny-1", "sweep", seed=1, old=1, _wandb={"v": 1}, model={"depth": 2}),
        update.SerializeToString(),
    )
    assert run.config == {
        "display_name": "sunny-1",
        "group": "sweep",
        "seed": 7,
        "model": {"depth": 2, "dropout": 0.2},
    }


def test_home_is_the_folder_of_the_run_or_the_file(tmp_path: Path) -> None:
    folder = write_wandb(tmp_path, [history(0, loss=1.0), wandb_exit()])
    for name in ("a", "b"):
        data = block_log([history(0, loss=1.0), wandb_exit()])
        (tmp_path / f"run-{name}.wandb").write_bytes(data)
    (tmp_path / "notes.wandb").write_text("not a log")
    assert set(read_all(FORMAT, tmp_path)) == {
        folder.relative_to(tmp_path).as_posix(),
        "run-a.wandb",
        "run-b.wandb",
    }


def test_how_a_run_ended(tmp_path: Path) -> None:
    row = history(0, loss=1.0)
    write_wandb(tmp_path / "failed", [row, wandb_exit(1)])
    write_wandb(tmp_path / "open", [row])
    write_wandb(tmp_path / "empty", [])
    runs = {place.split("/")[0]: run for place, run in read_all(FORMAT, tmp_path).items()}
    assert runs["failed"].status == "failed"
    assert runs["open"].status == ""
    assert runs["open"].notes == [
        "run-ab12cd34.wandb has no closing record: the run broke off or is still under way"
    ]
    assert (runs["empty"].series, runs["empty"].notes) == ({}, [])


def test_file_of_zero_bytes_is_an_empty_run(tmp_path: Path) -> None:
    (tmp_path / "run-x.wandb").write_bytes(b"")
    assert read_one(FORMAT, tmp_path).series == {}


def test_records_that_cannot_be_decoded_are_counted(tmp_path: Path) -> None:
    run = written(tmp_path, history(0, loss=1.0), b"\x12\x7f", history(1, loss=0.5))
    assert points(run, "loss") == [(0, 1.0), (1, 0.5)]
    assert run.notes == ["1 record of run-ab12cd34.wandb cannot be decoded"]


def test_a_copy_of_the_latest_run_is_no_other_run(tmp_path: Path) -> None:
    # W&B makes a link, which becomes a folder when links are not kept.
    for run_id in ("one", "two"):
        folder = write_wandb(tmp_path, [history(0, loss=1.0), wandb_exit()], run_id)
    shutil.copytree(folder, tmp_path / "wandb" / "latest-run")
    runs = scan(tmp_path).runs
    assert [run.path[-3:] for run in runs] == ["one", "two"]
    assert [run.notes for run in runs] == [(), ()]
    shutil.rmtree(folder)
    assert len(scan(tmp_path).runs) == 2


def test_a_run_whose_file_is_damaged_from_the_start_is_said(tmp_path: Path) -> None:
    for run_id in ("one", "two"):
        folder = write_wandb(tmp_path, [history(0, loss=1.0), wandb_exit()], run_id)
    # As some file systems leave a file after a loss of power.
    (folder / "run-two.wandb").write_bytes(bytes(200))
    whole, damaged = scan(tmp_path).runs
    assert (whole.status, damaged.status) == ("", "unreadable")
    assert damaged.notes == ("run-two.wandb is damaged: it does not begin as such files of W&B do",)
