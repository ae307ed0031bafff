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


def test_five_pilots_of_atari_say_how_many_runs_are_needed(
    atari: Path, tmp_path: Path
) -> None:
    figure = tmp_path / "plan.png"
    asked = ["--only", "DQN", "--effect", "lift", "--size", "300", "--plot", figure]
    result = invoke("plan", atari / "asterix.csv", *asked)
    assert result.exit_code == 0, result.output
    # By noncentral t: 15, between 8 and 78.
    assert re.match(
        r"To find a lift of 300 in height with 80% certainty you need 1[456] runs of each algorithm "
        r"\(between [789] and [78]\d, since 5 pilots say little about the spread\)\. With fewer "
        r"than 4 runs nothing could be significant\. ",
        one_line(result.stdout),
    )
    assert figure.exists()


def test_options_are_taken(table: Path) -> None:
    asked = ["--effect", "lift", "--size", "3", "--unit", "sd", *QUICK]
    plain = json_of("plan", table, *asked)
    cautious = json_of("plan", table, *asked, "--cautious", "--power", "0.9")
    assert cautious["n_runs"] > plain["n_runs"]
    assert (cautious["cautious"], cautious["power"]) == (True, 0.9)
    kept = json_of("plan", table, *asked, "--reuse-pilot", "--max-runs", "40")
    assert (kept["reuse_pilot"], kept["max_runs"]) == (True, 40)
    shape = json_of(
        "plan",
        table,
        "--effect",
        "c",
        "--size",
        "90",
        "--question",
        "shape",
        *QUICK,
    )
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
        ([*LIFT, "--blocks"], "with --block, or plan without them: leave --blocks out"),
        (["--effect", "observed", "--reuse-pilot"], "--reuse-pilot does not go with"),
    ],
)
def test_what_cannot_be_planned(table: Path, asked: list[str], message: str) -> None:
    result = invoke("plan", table, *asked)
    assert result.exit_code == 3
    assert message in one_line(result.output)
