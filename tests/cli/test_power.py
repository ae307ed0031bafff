"""curvewise power: runs, sizes, scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import curvewise
from curvewise.text import naming_flags
from tests.cli.running import invoke, json_of, one_line

if TYPE_CHECKING:
    from pathlib import Path

LIFT = ["--effect", "lift", "--size", "2"]
QUICK = ["--experiments", "100", "--shuffles", "99"]


def test_what_was_asked_is_simulated(table: Path, tmp_path: Path) -> None:
    figure = tmp_path / "power.png"
    asked = ["--effect", "lift", "--size", "2", "--unit", "sd", "--runs", "4,6"]
    result = invoke("power", table, "--only", "A", *asked, *QUICK, "--plot", figure)
    assert result.exit_code == 0, result.output
    with naming_flags():
        found = curvewise.estimate_power(
            curvewise.read(table, only=["A"]),
            effect=curvewise.scenario("lift", 2, unit="sd"),
            n_runs=(4, 6),
            n_experiments=100,
            n_shuffles=99,
            rng=0,
        ).describe()
    assert one_line(result.stdout).startswith(one_line(found))
    assert figure.exists()


def test_several_sizes_and_other_options(table: Path) -> None:
    more = ["--algorithms", "3", "--ratio", "2", "--confidence", "0.8", "--overall", "F"]
    sizes = ["--size", "1.1", "--size", "1.5"]
    asked = ["--effect", "stretch", *sizes, "--runs", "5", "--base", "B"]
    record = json_of("power", table, *asked, *more, *QUICK, "--alpha", "0.1", "--seed", "3")
    assert record["sizes"] == [1.1, 1.5]
    assumed = record["assumptions"]
    assert (assumed["n_algorithms"], assumed["ratio"], assumed["base"]) == (3, 2, "B")
    assert (assumed["alpha"], assumed["overall"], assumed["confidence"]) == (0.1, "F", 0.8)
    assert record["seed"] == 3


def test_the_observed_effect(table: Path) -> None:
    record = json_of("power", table, "--effect", "observed", "--runs", "5", *QUICK)
    assert record["assumptions"]["effect_source"] == "observed, shrunk"
    assert record["assumptions"]["n_algorithms"] == 3


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ([], "The difference to be found must be stated"),
        (["--effect", "jump"], "--effect must be 'lift'"),
        (["--effect", "lift", "--size", "big"], "--size must be numbers joined by commas"),
        ([*LIFT, "--runs", "5;10"], "--runs must be numbers joined by commas"),
        ([*LIFT, "--runs", "nan,5.5"], "such as 5, 10 and 20; it is [nan, 5.5]"),
        ([*LIFT, "--experiments", "5"], "--experiments must be an integer from 100"),
        ([*LIFT, "--noise", "resample"], "too few to resample"),
    ],
)
def test_what_cannot_be_simulated(table: Path, asked: list[str], message: str) -> None:
    result = invoke("power", table, "--only", "A", *asked)
    assert result.exit_code == 3
    assert message in one_line(result.output)
