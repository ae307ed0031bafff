"""curvewise contrast: coefficients, weights, windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import curvewise
from curvewise.text import naming_flags
from tests.cli.running import invoke, json_of, one_line

if TYPE_CHECKING:
    from pathlib import Path

COEFFICIENTS = ["-c", "C=1", "-c", "A=-0.5", "--coefficient", "B=-.5"]


def test_coefficients_are_read(table: Path, tmp_path: Path) -> None:
    figure = tmp_path / "c.png"
    result = invoke("contrast", table, *COEFFICIENTS, "--plot", figure)
    assert result.exit_code == 0, result.output
    with naming_flags():
        found = curvewise.contrast(
            curvewise.read(table), {"C": 1, "A": -0.5, "B": -0.5}, rng=0
        ).describe()
    assert one_line(result.stdout).startswith(one_line(found))
    assert figure.exists()


def test_a_window_and_a_direction_are_taken(table: Path) -> None:
    options = ["--window", "60", "110", "--alternative", "greater"]
    record = json_of("contrast", table, *COEFFICIENTS, *options)
    assert record["pvalue"] < 0.01
    assert record["interval"][1] is None


def test_the_center_is_taken(table: Path) -> None:
    record = json_of("contrast", table, "-c", "A=1", "-c", "B=-1", "--center", "ranks")
    found = curvewise.contrast(curvewise.read(table), {"A": 1, "B": -1}, center="ranks", rng=0)
    assert (record["center"], record["pvalue"]) == ("ranks", found.pvalue)


def test_trends_and_areas_differ_from_means(table: Path) -> None:
    values = {
        over: json_of("contrast", table, *COEFFICIENTS, "--over", over)["value"]
        for over in ("mean", "trend", "area")
    }
    assert len(set(values.values())) == 3


def test_a_name_may_contain_an_equals_sign(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [f"lr={rate},{run},0,{run * rate}" for rate in (1, 2) for run in range(4)]
    path.write_text("\n".join(["agent,run,step,score", *rows]), encoding="utf-8")
    record = json_of("contrast", path, "-c", "lr=1=1", "-c", "lr=2=-1")
    assert record["coefficients"] == {"lr=1": 1, "lr=2": -1}


def test_a_coefficient_that_is_none_is_a_usage_error(table: Path) -> None:
    result = invoke("contrast", table, "-c", "A")
    assert result.exit_code == 2
    assert "'A' is not a coefficient; write NAME=NUMBER" in one_line(result.output)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-c", "A=1", "-c", "B=1"], "sum to 0"),
        (["-c", "A=1", "-c", "Z=-1"], "'Z'"),
        (["-c", "A=0", "-c", "B=0"], "coefficients are 0"),
        (["-c", "A=1", "-c", "A=-1"], "An algorithm is given twice"),
        (
            ["-c", "A=1", "-c", "B=-1", "--window", "9", "1"],
            "The window from 9 to 1 ends before it begins. Swap",
        ),
        (
            ["-c", "A=1", "-c", "B=-1", "--window", "0", "9", "--over", "trend"],
            "for the trend of some steps use --from and --to",
        ),
    ],
)
def test_what_cannot_be_used_is_told(table: Path, options: list[str], message: str) -> None:
    result = invoke("contrast", table, *options)
    assert result.exit_code == 3, result.output
    assert message in one_line(result.stderr)
    assert result.stdout == ""
