"""Runs that stopped before their first record are runs without a point."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import curvewise as cw

TABLE = "epoch,loss,val_loss\n0,3.0,3.5\n1,2.0,2.5\n"


def statuses(folder: Path) -> dict[str, tuple[str, str]]:
    """The algorithm and the status of each run, by its place."""
    return {run.path: (run.algorithm, run.status) for run in cw.scan(folder).runs}


@pytest.mark.parametrize(
    ("ending", "content"), [("csv", TABLE), ("json", '{"valid": {"l2": [3.0, 2.0]}}')]
)
def test_an_empty_file_among_those_of_other_runs(tmp_path: Path, ending: str, content: str) -> None:
    for name in ("sgd_0", "sgd_1", "adam_0", "adam_1", "adam_2"):
        (tmp_path / f"{name}.{ending}").write_text(content)
    (tmp_path / f"sgd_2.{ending}").write_text("")
    found = statuses(tmp_path)
    assert len(found) == 6
    assert found[f"sgd_2.{ending}"] == ("sgd", "empty")
    assert cw.scan(tmp_path).skipped == ()


def test_an_empty_file_of_another_name_is_no_run(tmp_path: Path) -> None:
    for name in ("sgd_0", "sgd_1", "adam_0", "adam_1"):
        (tmp_path / f"{name}.csv").write_text(TABLE)
    (tmp_path / "notes.csv").write_text("")
    assert len(statuses(tmp_path)) == 4


def test_an_empty_log_in_a_folder_of_its_own(tmp_path: Path) -> None:
    for name in ("sgd/0", "sgd/1", "adam/0", "adam/1"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "curve.csv").write_text(TABLE)
    (tmp_path / "adam" / "1" / "curve.csv").write_text("")
    assert statuses(tmp_path)["adam/1"] == ("adam", "empty")
    assert cw.scan(tmp_path).skipped == ()


@pytest.mark.parametrize("log", ["metrics.csv", "dvclive/plots/metrics/loss.tsv"])
def test_a_folder_of_settings_only(tmp_path: Path, log: str) -> None:
    """Lightning's version_5 after an early interrupt; DVCLive before the first metric."""
    settings = Path(log).parts[0] if "/" in log else "."
    for number in range(6):
        folder = tmp_path / f"version_{number}"
        (folder / log).parent.mkdir(parents=True)
        separator = "\t" if log.endswith("tsv") else ","
        (folder / log).write_text(f"step{separator}loss\n0{separator}3\n1{separator}2\n")
        setting = {"optimizer": "sgd" if number < 3 else "adam", "seed": number % 3}
        (folder / settings / "params.yaml").write_text(json.dumps(setting))
    (tmp_path / "version_5" / log).unlink()
    found = statuses(tmp_path)
    assert len(found) == 6
    assert [who for who in found.values() if who[1]] == [("adam", "empty")]


def test_settings_beside_or_below_runs_are_no_runs(tmp_path: Path) -> None:
    for number in range(4):
        folder = tmp_path / f"run{number}"
        (folder / "checkpoint-1").mkdir(parents=True)
        (folder / "metrics.csv").write_text(TABLE)
        (folder / "config.json").write_text(f'{{"seed": {number}}}')
        (folder / "checkpoint-1" / "config.json").write_text("{}")
    (tmp_path / "defaults").mkdir()
    (tmp_path / "defaults" / "config.json").write_text("{}")
    assert len(statuses(tmp_path)) == 4
