"""What pictures take from the table that curves came from."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import curvewise as cw
from curvewise.data.curves import Display

if TYPE_CHECKING:
    from pathlib import Path


def long_frame() -> pl.DataFrame:
    rows = [
        {"agent": agent, "seed": seed, "frames": step, "return": float(step + seed)}
        for agent in ("C", "A", "B")
        for seed in range(2)
        for step in (0, 10)
    ]
    return pl.DataFrame(rows)


def test_curves_made_from_arrays_have_plain_names() -> None:
    curves = cw.Curves(np.eye(2), ["A", "B"])
    assert curves.display == Display("step", "score", ("A", "B"))


def test_a_selection_remembers_everyone() -> None:
    curves = cw.Curves(np.eye(3), ["A", "B", "C"])
    chosen = curves.select("C", "B").window(0, 1)
    assert chosen.display.everyone == ("A", "B", "C")
    assert pickle.loads(pickle.dumps(chosen)).display == chosen.display  # noqa: S301
    assert chosen.with_blocks(["1", "1"]).display == chosen.display


@pytest.mark.parametrize("only", [None, ["C"]])
def test_tables_tell_their_columns_and_everyone(tmp_path: Path, only: list[str] | None) -> None:
    expected = Display("frames", "return", ("A", "B", "C"))
    long_frame().write_csv(tmp_path / "runs.csv")
    assert cw.read(tmp_path / "runs.csv", only=only).display == expected
    curves = cw.Curves.from_frame(
        long_frame(), algorithm="agent", run="seed", step="frames", score="return", only=only
    )
    assert curves.display == expected


def test_arrays_tell_everyone(tmp_path: Path) -> None:
    np.savez(tmp_path / "runs.npz", A=np.eye(3)[:2], B=np.eye(3)[:2])
    curves = cw.read(tmp_path / "runs.npz", only=["B"])
    assert curves.display.everyone == ("A", "B")


def test_logs_tell_metric_steps_and_everyone(tmp_path: Path) -> None:
    for agent in ("adam", "sgd"):
        for seed in range(2):
            folder = tmp_path / agent / f"seed{seed}"
            folder.mkdir(parents=True)
            rows = pl.DataFrame({"epoch": [0, 1, 2], "val_acc": [0.1, 0.2, seed + 0.3]})
            rows.write_csv(folder / "progress.csv")
    curves = cw.read(tmp_path, only=["sgd"])
    assert curves.display == Display("epoch", "val_acc", ("adam", "sgd"))


@pytest.mark.parametrize(
    ("name", "is_clock"),
    [
        ("seconds", True),
        ("time", True),
        ("wall_time", True),
        ("Wallclock", True),
        ("_runtime", True),
        ("time_total_s", True),
        ("train_time_ms", True),
        ("Relative Time (Wall)", True),
        ("elapsed (hours)", True),
        ("step", False),
        ("time/total_timesteps", False),
        ("epoch", False),
        ("frames", False),
        ("tokens", False),
    ],
)
def test_times_are_told_by_the_name_of_the_axis(name: str, *, is_clock: bool) -> None:
    assert Display(name).is_clock is is_clock
