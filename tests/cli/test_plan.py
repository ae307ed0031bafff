"""curvewise plan: how many runs, in one command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.running import invoke, json_of, one_line

if TYPE_CHECKING:
    from pathlib import Path

LIFT = ["--effect", "lift", "--size", "2"]
QUICK = ["--experiments", "200", "--shuffles", "99"]


@pytest.mark.parametrize(
    ("size", "quick", "needed"),
    [
        # The test of height alone takes, by noncentral t, 7, between 4 and 29; and for the other
        # 15, between 7 and 78.
        ("500", ["--experiments", "600", "--shuffles", "199"], ("[678]", "[456]", "[23].")),
        pytest.param("300", [], ("1[456]", "[789]", "[6789]."), marks=pytest.mark.slow),
    ],
)
def test_five_pilots_of_atari_say_how_many_runs_are_needed(
    atari: Path, tmp_path: Path, size: str, quick: list[str], needed: tuple[str, str, str]
) -> None:
    figure = tmp_path / "plan.png"
    asked = ["--only", "DQN", "--effect", "lift", "--size", size, "--plot", figure]
    result = invoke("plan", atari / "asterix.csv", *asked, *quick)
    assert result.exit_code == 0, result.output
    estimate, low, high = needed
    assert re.match(
        rf"To find a lift of {size} in height with 80% power you need {estimate} runs of each "
        rf"algorithm \(if runs vary as in the pilots; between {low} and {high}, since 5 pilots say little about the spread\)\. "
        "That counts what curvewise compare claims, height only where it finds a difference at all",
        one_line(result.stdout),
    )
    assert figure.exists()


def test_options_are_taken(table: Path) -> None:
    asked = ["--effect", "lift", "--size", "3", "--unit", "sd", *QUICK]
    plain = json_of("plan", table, *asked)
    cautious = json_of("plan", table, *asked, "--cautious", "--power", "0.9")
    assert cautious["n_runs"] > plain["n_runs"]
    assert (cautious["cautious"], cautious["power"]) == (True, 0.9)
    kept = json_of("plan", table, *asked, "--reuse-pilot", "--algorithms", "3")
    assert (kept["reuse_pilot"], kept["max_runs"]) == (True, 200)
    shape = json_of("plan", table, "--effect", "c", "--size", "90", "--question", "shape", *QUICK)
    assert shape["to_find"] == "interaction"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["--effect", "lift", "--size", "0"], "no number of runs finds it"),
        (["--effect", "lift", "--size", "1,2"], "--size must be one number here"),
        (["--effect", "lift"], "--effect and --size belong together"),
        (["--size", "5"], "--effect and --size belong together"),
        ([], "such as a lift of 5 points: --effect lift --size 5."),
        (["--effect", "observed", "--size", "5"], "Leave --size out"),
        (["--effect", "b", "--size", "5", "--from", "10"], "or the last: --from, --to."),
        ([*LIFT, "--question", "shape"], "Use --question height"),
        ([*LIFT, "--max-runs", "2"], "--max-runs must be at least 4"),
        ([*LIFT, "--max-runs", "1000000"], "--max-runs must be an integer from 2 to 10,000"),
        ([*LIFT, "--only", "A", "--reuse-pilot"], "there are only those of A"),
        ([*LIFT, "--alpha", "nan"], "--alpha must lie between 0 and 1"),
        ([*LIFT, "--ratio", "inf"], "--ratio must be a finite number"),
        (["--effect", "lift", "--size", "1e308"], "--size must be at most"),
        ([*LIFT, "--blocks"], "with --block, or plan without them: leave --blocks out"),
        (["--effect", "observed", "--reuse-pilot"], "--reuse-pilot does not go with"),
    ],
)
def test_what_cannot_be_planned(table: Path, asked: list[str], message: str) -> None:
    result = invoke("plan", table, *asked)
    assert result.exit_code == 3
    assert message in one_line(result.output)
