from __future__ import annotations

import csv
import gzip
import math
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise.errors import CurvesError
from curvewise.readers.walk import DOUBLE, SINGLE, Wanted
from tests.readers.logs.reading import points, read_all, read_one
from tests.readers.logs.writing import (
    START,
    curve,
    event_bytes,
    frame,
    hparams,
    scalar,
    session_start,
    tensor,
    text,
    write_events,
)

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = "tensorboard"
Record = tuple[str, str, str]


def float_tensor(tag: str, step: int, score: float, plugin: str = "scalars") -> Any:
    content = struct.pack("<f", score)
    return tensor(tag, step, plugin, dtype=1, tensor_content=content)


# --- files written by the libraries


@pytest.mark.parametrize(
    "name",
    ["tb-torch", "tensorboardx", "tb-tf2", "clu", "lightning-tb", "sb3-tb", "cleanrl", "keras-tb"],
)
def test_every_record_of_the_libraries_is_read_as_it_was_written(logs: Path, name: str) -> None:
    folder = logs / name
    written = folder / "truth-as-written.csv"
    expected: dict[Record, list[tuple[float, float]]] = {}
    with (written if written.exists() else folder / "truth.csv").open() as file:
        for row in csv.DictReader(file):
            record = expected.setdefault((row["algorithm"], row["run"], row["metric"]), [])
            record.append((float(row["step"]), float(row["score"])))
    with (folder / "runs.csv").open() as file:
        identities = {row["path"]: (row["algorithm"], row["run"]) for row in csv.DictReader(file)}
    runs = read_all(FORMAT, folder)
    assert set(runs) == set(identities)
    assert sum(map(len, expected.values())) > 50
    by_identity = {identities[path]: run for path, run in runs.items()}
    for (algorithm, run, metric), record in expected.items():
        found = points(by_identity[algorithm, run], metric)
        np.testing.assert_allclose(found, record, rtol=1e-6)


def test_cut_files_of_the_libraries_are_said_to_be(logs: Path) -> None:
    for name in ("tb-torch", "tb-tf2"):
        notes = {place: run.notes for place, run in read_all(FORMAT, logs / name).items()}
        (cut,) = [place for place in notes if notes[place]]
        assert "is cut and was left out" in notes[cut][0]


def test_placeholder_of_lightning_is_no_score(logs: Path) -> None:
    for run in read_all(FORMAT, logs / "lightning-tb").values():
        assert "hp_metric" not in run.series
        assert set(run.config) == {"optimizer", "seed", "hidden", "lr"}


def test_configuration_of_cleanrl(logs: Path) -> None:
    runs = read_all(FORMAT, logs / "cleanrl")
    for place, run in runs.items():
        task, algorithm, seed, _ = place.rpartition("/")[2].split("__")
        config = run.config
        assert (config["env_id"], config["exp_name"], config["seed"]) == (task, algorithm, seed)
        assert run.series["charts/episodic_return"].of_episodes
        assert not run.series[
            "losses/value_loss" if algorithm == "ppo" else "charts/SPS"
        ].of_episodes


# --- scalars, whoever writes them


def test_simple_values_and_tensors(tmp_path: Path) -> None:
    write_events(
        tmp_path,
        [
            scalar("a", 0, 0.1),
            float_tensor("b", 5, 2.5),
            tensor("c", 7, dtype=2, double_val=[0.1]),
            scalar("a", 1, 0.0),
            float_tensor("b", 6, 0.0),
        ],
    )
    run = read_one(FORMAT, tmp_path)
    assert points(run, "a") == [(0, float(np.float32(0.1))), (1, 0.0)]
    assert points(run, "b") == [(5, 2.5), (6, 0.0)]
    assert points(run, "c") == [(7, 0.1)]
    precisions = {metric: series.precision for metric, series in run.series.items()}
    assert precisions == {"a": SINGLE, "b": SINGLE, "c": DOUBLE}
    assert (run.x, run.other_x) == ("step", ("time",))
    assert run.notes == []


def test_one_record_with_many_values(tmp_path: Path) -> None:
    event = scalar("a", 3, 1.0)
    event.summary.value.add(tag=b"b", simple_value=2.0)
    write_events(tmp_path, [event])
    run = read_one(FORMAT, tmp_path)
    assert (points(run, "a"), points(run, "b")) == ([(3, 1.0)], [(3, 2.0)])


def test_nan_and_infinity_are_values(tmp_path: Path) -> None:
    write_events(tmp_path, curve("loss", [1.0, math.nan, math.inf]))
    scores = read_one(FORMAT, tmp_path).series["loss"].scores
    np.testing.assert_array_equal(scores, [1.0, math.nan, math.inf])


def test_only_the_first_record_of_a_tag_need_name_its_plugin(tmp_path: Path) -> None:
    first, second = float_tensor("loss", 0, 1.0), float_tensor("loss", 1, 0.5)
    second.summary.value[0].ClearField("metadata")
    write_events(tmp_path, [first, second])
    assert points(read_one(FORMAT, tmp_path), "loss") == [(0, 1.0), (1, 0.5)]


def test_texts_and_histograms_are_no_scalars_even_under_the_same_tag(tmp_path: Path) -> None:
    histogram = scalar("weights", 0, 0.0)
    histogram.summary.value[0].ClearField("simple_value")
    write_events(
        tmp_path,
        [
            text("notes/text_summary", "1.0"),
            histogram,
            float_tensor("image", 0, 1.0, "images"),
            scalar("weights", 1, 4.0),
            histogram,
        ],
    )
    run = read_one(FORMAT, tmp_path)
    assert list(run.series) == ["weights"]
    assert points(run, "weights") == [(1, 4.0)]


def test_tags_that_are_not_utf8(tmp_path: Path) -> None:
    event = scalar("", 0, 1.0)
    event.summary.value[0].tag = b"loss\xff"
    write_events(tmp_path, [event, *curve("größe", [2.0])])
    run = read_one(FORMAT, tmp_path)
    assert points(run, "loss\N{REPLACEMENT CHARACTER}") == [(0, 1.0)]
    assert points(run, "größe") == [(0, 2.0)]


def test_file_without_a_version_record_and_without_a_time(tmp_path: Path) -> None:
    data = event_bytes(curve("MultiClass", [1.0, 0.5]), with_version=False)
    for part in ("learn", "test"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "events.out.tfevents").write_bytes(data)
    run = read_one(FORMAT, tmp_path)
    assert list(run.series) == ["learn/MultiClass", "test/MultiClass"]


def test_packed_file(tmp_path: Path) -> None:
    data = gzip.compress(event_bytes(curve("loss", [1.0, 0.5])))
    (tmp_path / "events.out.tfevents.1700000000.vm.gz").write_bytes(data)
    assert points(read_one(FORMAT, tmp_path), "loss") == [(0, 1.0), (1, 0.5)]


@pytest.mark.slow
def test_no_point_is_left_out_of_many(tmp_path: Path) -> None:
    write_events(tmp_path, curve("loss", np.arange(20_001.0)))
    series = read_one(FORMAT, tmp_path).series["loss"]
    np.testing.assert_array_equal(series.steps, np.arange(20_001))
    np.testing.assert_array_equal(series.scores, np.arange(20_001))


# --- several files


def test_each_file_is_a_session_in_order_of_their_times(tmp_path: Path) -> None:
    write_events(tmp_path, curve("loss", [7.0, 6.0], first=1), time=1700000100, counter=10)
    write_events(tmp_path, curve("loss", [9.0, 8.0]), time=1700000100, counter=9)
    write_events(tmp_path, curve("acc", [1.0]), time=999999999)
    run = read_one(FORMAT, tmp_path)
    assert points(run, "loss") == [(0, 9.0), (1, 8.0), (1, 7.0), (2, 6.0)]
    sessions = run.series["loss"].sessions
    assert sessions is not None
    assert np.diff(sessions).tolist() == [0, 1, 0]
    assert run.notes == []


def test_writer_told_where_it_goes_on_voids_what_comes_after(tmp_path: Path) -> None:
    write_events(tmp_path, [*curve("loss", range(6)), scalar("acc", 5, 0.1)])
    later = [session_start(3), *curve("loss", [30.0, 40.0], first=3)]
    write_events(tmp_path, later, time=1700000001)
    run = read_one(FORMAT, tmp_path)
    assert points(run, "loss") == [(0, 0), (1, 1), (2, 2), (3, 30), (4, 40)]
    # Its record was at a step that training went back behind.
    assert "acc" not in run.series
    assert run.notes == [
        (
            "the run was resumed at step 3, as its log says, and 4 earlier records from this "
            "step on left out"
        )
    ]
    only = read_one(FORMAT, tmp_path, Wanted(frozenset({"loss"})))
    assert points(only, "loss") == points(run, "loss")
    timed = read_one(FORMAT, tmp_path, Wanted(x="time"))
    assert len(points(timed, "loss")) == 5


def test_parts_of_keras_have_the_same_tags(tmp_path: Path) -> None:
    write_events(tmp_path / "run" / "train", curve("epoch_loss", [1.0, 0.5]))
    write_events(tmp_path / "run" / "validation", curve("epoch_loss", [2.0, 1.5]))
    for wanted in (None, Wanted(frozenset({"train/epoch_loss", "validation/epoch_loss"}))):
        run = read_one(FORMAT, tmp_path, wanted)
        assert points(run, "train/epoch_loss") == [(0, 1.0), (1, 0.5)]
        assert points(run, "validation/epoch_loss") == [(0, 2.0), (1, 1.5)]
    only = read_one(FORMAT, tmp_path, Wanted(frozenset({"validation/epoch_loss"})))
    assert list(only.series) == ["validation/epoch_loss"]


def test_curves_of_add_scalars_are_metrics_of_the_run(tmp_path: Path) -> None:
    write_events(tmp_path, curve("lr", [0.1]))
    write_events(tmp_path / "eval_loss_sgd", curve("eval/loss", [1.0]))
    write_events(tmp_path / "acc" / "sgd", curve("acc", [0.5]))
    run = read_one(FORMAT, tmp_path)
    assert points(run, "eval/loss/sgd") == [(0, 1.0)]
    assert points(run, "acc/sgd") == [(0, 0.5)]
    assert set(run.series) == {"lr", "eval/loss/sgd", "acc/sgd"}
    only = read_one(FORMAT, tmp_path, Wanted(frozenset({"acc/sgd"})))
    assert list(only.series) == ["acc/sgd"]


@pytest.mark.parametrize("name", ["1700000123.4567", "named by the caller"])
def test_results_of_add_hparams_do_not_replace_a_curve(tmp_path: Path, name: str) -> None:
    write_events(tmp_path, curve("acc", [0.1, 0.2]))
    results = [hparams(lr=0.1), scalar("acc", 0, 0.2), scalar("hparam/best", 0, 0.9)]
    write_events(tmp_path / name, results)
    run = read_one(FORMAT, tmp_path)
    assert [step for step, _ in points(run, "acc")] == [0, 1]
    assert len(points(run, "hparam/best")) == 1
    assert run.config == {"lr": 0.1}


def test_a_curve_with_hyperparameters_is_a_run_of_its_own(tmp_path: Path) -> None:
    write_events(tmp_path, curve("acc", [0.1, 0.2]))
    write_events(tmp_path / "big", [hparams(lr=0.1), *curve("acc", [0.3, 0.4])])
    assert set(read_all(FORMAT, tmp_path)) == {tmp_path.name, "big"}


def test_hyperparameters_of_keras_are_those_of_the_run_that_they_lie_in(tmp_path: Path) -> None:
    write_events(tmp_path, [])
    for run, optimizer in enumerate(["adam", "sgd"]):
        write_events(tmp_path / f"run-{run}", [hparams(optimizer=optimizer)])
        write_events(tmp_path / f"run-{run}/train", curve("loss", [2.0, 1.0]))
    runs = read_all(FORMAT, tmp_path)
    assert runs["run-0"].config == {"optimizer": "adam"}
    assert runs["run-1"].config == {"optimizer": "sgd"}
    assert points(runs["run-1"], "train/loss") == [(0, 2.0), (1, 1.0)]


def test_evaluations_that_keras_counts_in_iterations(tmp_path: Path) -> None:
    tags = ["epoch_loss", "evaluation_loss_vs_iterations"]
    write_events(tmp_path, [event for tag in tags for event in curve(tag, [2.0, 1.0])])
    run = read_one(FORMAT, tmp_path)
    assert [run.series[tag].x for tag in tags] == ["", "iteration"]
    by_time = read_one(FORMAT, tmp_path, Wanted(x="time"))
    assert [by_time.series[tag].x for tag in tags] == ["", ""]


def test_configuration_is_there_whatever_is_wanted(tmp_path: Path) -> None:
    table = "|param|value|\n|-|-|\n|seed|1|"
    begin = [text("hyperparameters/text_summary", table), hparams(optimizer="adam")]
    write_events(tmp_path, [*begin, *curve("loss", [1.0]), *curve("acc", [1.0])])
    for wanted in (Wanted(), Wanted(frozenset({"acc"}))):
        run = read_one(FORMAT, tmp_path, wanted)
        assert run.config == {"seed": "1", "optimizer": "adam"}
        assert "acc" in run.series


def test_placeholder_is_dropped_and_a_score_of_the_same_name_is_not(tmp_path: Path) -> None:
    write_events(tmp_path, [scalar("hp_metric", 0, -1.0), scalar("hp_metric", 9, 0.5)])
    assert points(read_one(FORMAT, tmp_path), "hp_metric") == [(9, 0.5)]


# --- what is wanted


def test_one_metric_is_the_same_as_among_all(tmp_path: Path) -> None:
    events = [
        scalar(tag, step, step + shift)
        for step in range(50)
        for shift, tag in enumerate(("a", "ab", "train/a", "a/train", "x:a"))
    ]
    write_events(tmp_path, events)
    run = read_one(FORMAT, tmp_path)
    for metric in run.series:
        only = read_one(FORMAT, tmp_path, Wanted(frozenset({metric})))
        assert points(only, metric) == points(run, metric)
        assert set(only.series) == ({"a", "x:a"} if metric == "a" else {metric})


def test_time_counts_from_the_first_record_of_the_run(tmp_path: Path) -> None:
    events = [scalar("loss", 5, 1.0, START + 2.5), scalar("acc", 9, 1.0, START + 4)]
    write_events(tmp_path, events)
    write_events(tmp_path, [scalar("loss", 10, 0.5, START + 60)], time=1700000060)
    for metrics in (None, frozenset({"acc", "loss"})):
        run = read_one(FORMAT, tmp_path, Wanted(metrics, "time"))
        assert points(run, "loss") == [(2.5, 1.0), (60, 0.5)]
        assert points(run, "acc") == [(4, 1.0)]
        assert (run.x, run.other_x) == ("time", ("step",))


def test_unknown_step_axis_is_refused(tmp_path: Path) -> None:
    write_events(tmp_path, curve("loss", [1.0]))
    with pytest.raises(CurvesError, match=r"no 'epoch'.*'step', 'time'"):
        read_one(FORMAT, tmp_path, Wanted(x="epoch"))


# --- damage


def test_empty_runs_have_no_series(tmp_path: Path) -> None:
    write_events(tmp_path / "version_only", [])
    (tmp_path / "zero").mkdir()
    (tmp_path / "zero" / "events.out.tfevents.1").write_bytes(b"")
    runs = read_all(FORMAT, tmp_path)
    assert set(runs) == {"version_only", "zero"}
    for run in runs.values():
        assert (run.series, run.notes) == ({}, [])


def test_whole_records_of_a_cut_file(tmp_path: Path) -> None:
    path = write_events(tmp_path, curve("loss", [3.0, 2.0, 1.0]))
    path.write_bytes(path.read_bytes()[:-5])
    run = read_one(FORMAT, tmp_path)
    assert points(run, "loss") == [(0, 3.0), (1, 2.0)]
    assert run.notes == [f"the last record of {path.name} is cut and was left out"]


def test_file_that_is_no_event_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "events.out.tfevents.1700000000.vm"
    path.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    with pytest.raises(CurvesError, match="vm is damaged: its first record cannot be"):
        read_one(FORMAT, tmp_path)


def test_damaged_file_beside_a_good_one_is_a_note(tmp_path: Path) -> None:
    write_events(tmp_path, curve("loss", [1.0]))
    (tmp_path / "events.out.tfevents.1800000000.vm").write_bytes(b"x" * 100)
    run = read_one(FORMAT, tmp_path)
    assert points(run, "loss") == [(0, 1.0)]
    assert run.notes == [
        "events.out.tfevents.1800000000.vm is damaged: its first record cannot be read"
    ]


def test_packed_file_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "events.out.tfevents.1.gz").write_bytes(event_bytes([]))
    with pytest.raises(CurvesError, match=r"tfevents\.1\.gz cannot be read: Not a gzip"):
        read_one(FORMAT, tmp_path)


def test_records_that_are_no_events_are_counted(tmp_path: Path) -> None:
    path = write_events(tmp_path, curve("loss", [1.0]))
    bomb = b"\x2a\xff\xff\xff\xff\x0f" + bytes(10)
    deep = b"\x2b" * 20_000
    again = frame(scalar("loss", 1, 0.5).SerializeToString())
    path.write_bytes(path.read_bytes() + frame(bomb) + frame(deep) + again)
    run = read_one(FORMAT, tmp_path)
    assert points(run, "loss") == [(0, 1.0), (1, 0.5)]
    assert run.notes == [f"2 damaged records of {path.name} left out"]


def test_damaged_hyperparameters_are_a_note(tmp_path: Path) -> None:
    event = hparams(lr=0.1)
    event.summary.value[0].metadata.plugin_data.content = b"\x0a\x7f"
    write_events(tmp_path, [event, *curve("loss", [1.0])])
    run = read_one(FORMAT, tmp_path)
    assert run.notes == ["the hyperparameters under '_hparams_/session_start_info' are damaged"]
    assert points(run, "loss") == [(0, 1.0)]
