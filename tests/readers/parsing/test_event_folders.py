from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from curvewise.readers.logs.tensorboard import claims, event_files, key_of_scalars
from curvewise.readers.walk import walk
from tests.readers.logs.writing import curve, event_bytes, hparams, scalar, write_events

if TYPE_CHECKING:
    from pathlib import Path

RUN = curve("loss", [1.0]) + curve("accuracy", [0.1])


def homes(top: Path) -> dict[str, tuple[str, str]]:
    """Where the event files of each folder belong, and what goes before their tags."""
    return {
        claim.files[0].path.parent.relative_to(top).as_posix(): (
            claim.home.relative_to(top).as_posix(),
            claim.prefix,
        )
        for folder in walk([top]).folders
        for claim in claims(folder)
    }


def test_folders_of_keras_are_parts_of_the_run_above(tmp_path: Path) -> None:
    for run in ("a", "b"):
        for part in ("train", "validation"):
            write_events(tmp_path / run / part, RUN)
    write_events(tmp_path / "crashed" / "train", RUN)
    assert homes(tmp_path) == {
        "a/train": ("a", "train/"),
        "a/validation": ("a", "validation/"),
        "b/train": ("b", "train/"),
        "b/validation": ("b", "validation/"),
        # It broke off before the first validation.
        "crashed/train": ("crashed", "train/"),
    }


@pytest.mark.parametrize("part", ["eval", "Eval", "eval_holdout", "test"])
def test_evaluation_below_a_run_is_part_of_it(tmp_path: Path, part: str) -> None:
    write_events(tmp_path / "run", RUN)
    write_events(tmp_path / "run" / part, RUN)
    assert homes(tmp_path) == {"run": ("run", ""), f"run/{part}": ("run", f"{part}/")}


def test_stray_file_above_does_not_swallow_runs(tmp_path: Path) -> None:
    write_events(tmp_path, curve("loss", [1.0]))
    names = ["ppo_1", "test_2", "1700000000.25", "accuracy_run"]
    for name in names:
        write_events(tmp_path / name, RUN)
    write_events(tmp_path / "deep" / "seed1", [hparams(lr=1), *RUN])
    assert homes(tmp_path) == {
        ".": (".", ""),
        **{name: (name, "") for name in names},
        "deep/seed1": ("deep/seed1", ""),
    }


def test_run_that_happens_to_be_called_test_is_a_run(tmp_path: Path) -> None:
    for name in ("test", "ppo", "dqn/seed1"):
        write_events(tmp_path / name, RUN)
    assert homes(tmp_path) == {name: (name, "") for name in ("test", "ppo", "dqn/seed1")}


def test_folders_of_add_scalars_are_parts_of_the_run_above(tmp_path: Path) -> None:
    run = tmp_path / "run"
    write_events(run, RUN)
    folders = {
        "loss_train": "loss",
        "train_loss_sgd": "train/loss",  # torch
        "val/loss/train": "val/loss",  # tensorboardX
        "val/loss/test": "val/loss",
    }
    for folder, tag in folders.items():
        write_events(run / folder, curve(tag, [1.0, 2.0]))
    assert homes(run) == {".": (".", ""), **dict.fromkeys(folders, (".", ""))}


def test_key_of_scalars_needs_something_behind_the_tag() -> None:
    assert key_of_scalars("loss_a/b", "loss") == "a/b"
    assert key_of_scalars("my loss_a b", "my_loss") == "a b"
    assert key_of_scalars("loss", "loss") == ""
    assert key_of_scalars("losses_a", "loss") == ""


def test_folder_of_add_hparams_is_part_of_the_run_above(tmp_path: Path) -> None:
    run, name = tmp_path / "run", "1700000123.4567"
    write_events(run, RUN)
    write_events(run / name, [hparams(lr=0.1), scalar("accuracy", 0, 0.9)])
    assert homes(tmp_path) == {"run": ("run", ""), f"run/{name}": ("run", "")}


def test_files_are_ordered_by_time_then_counter(tmp_path: Path) -> None:
    names = [
        "events.out.tfevents.999999999.vm.9.0",
        "events.out.tfevents.1700000000.vm.20.9",
        "events.out.tfevents.1700000000.vm.20.10",
        "events.out.tfevents.1700000001.vm.3.1.v2",
        "events.out.tfevents.1700000002.vm",
    ]
    for name in reversed(names):
        (tmp_path / name).write_bytes(event_bytes([]))
    (folder,) = walk([tmp_path]).folders
    assert [file.name for file in event_files(folder)] == names


def test_files_without_a_time_in_their_name_are_ordered_by_their_first_record(
    tmp_path: Path,
) -> None:
    for name, time in (("a", 1.7e9 + 5), ("b", 1.7e9)):
        data = event_bytes([scalar("loss", 0, 1.0, time)], with_version=False)
        (tmp_path / f"{name}.tfevents").write_bytes(data)
    (folder,) = walk([tmp_path]).folders
    assert [file.name for file in event_files(folder)] == ["b.tfevents", "a.tfevents"]


def test_names_alone_do_not_make_event_files(tmp_path: Path) -> None:
    (tmp_path / "about_tfevents.txt").write_text("how to read tfevents files")
    (tmp_path / "data.tfrecord").write_bytes(event_bytes([]))
    assert homes(tmp_path) == {}
