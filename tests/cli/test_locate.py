"""curvewise locate: regions, windows, and one that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import curvewise
from curvewise.text import naming_flags
from tests.cli.running import invoke, json_of, one_line

if TYPE_CHECKING:
    from pathlib import Path

WINDOW = ["--window", "60", "110"]


def test_regions_and_a_window_are_printed(table: Path) -> None:
    result = invoke("locate", table, *WINDOW)
    assert result.exit_code == 0, result.output
    with naming_flags():
        verdict = curvewise.locate(curvewise.read(table), rng=0).describe()
    text = one_line(result.stdout)
    assert text.startswith(one_line(verdict))
    assert "Window: from 60 to 110, the curves differ somewhere in it (p = " in text


def test_json_has_every_step_and_the_window(table: Path) -> None:
    record = json_of("locate", table, *WINDOW)
    assert record["question"] == "locate"
    assert record["window"]["start"] == 60
    assert record["window"]["somewhere"]["significant"]
    assert record["differs_until"] == 110
    assert len(record["algorithm"]["pvalue_adjusted"]) == 12


def test_both_figures_are_saved(table: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "where.png", tmp_path / "windows.svg"
    result = invoke("locate", table, "--plot", one, "--plot-windows", other)
    assert result.exit_code == 0, result.output
    assert one.stat().st_size > 10_000
    assert other.read_text(encoding="utf-8").startswith("<?xml")
    assert result.stderr.count("Figure saved as ") == 2


def test_options_are_taken(table: Path) -> None:
    options = ["--adjust", "step-down", "--cluster-threshold", "3", "--resamples", "0"]
    record = json_of("locate", table, *options)
    assert record["adjust"] == "step-down"
    assert record["algorithm"]["cluster_threshold"] == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--window", "500", "600"], "No step lies in the window from 500"),
        (["--window", "90", "20"], "The window from 90 to 20 ends before it begins"),
        (["--only", "A"], "at least two algorithms"),
        (["--cluster-threshold", "-1"], "--cluster-threshold"),
        (["--resamples", "-1"], "--resamples must be"),
        (["--alpha", "2"], "--alpha must lie between 0 and 1"),
        (["--plot", "where.doc"], "A figure cannot be saved"),
        (["--plot-windows", "where.doc"], "A figure cannot be saved"),
    ],
)
def test_what_cannot_be_used_is_told(table: Path, options: list[str], message: str) -> None:
    result = invoke("locate", table, *options)
    assert result.exit_code == 3, result.output
    assert message in one_line(result.stderr)
    assert result.stdout == ""
