"""curvewise transfer, for one task and for several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from studies.sources.grid_worlds import WORLDS, learning_curves
from tests.cli.running import invoke, json_of, one_line

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper's two grid worlds, twenty trials each."""
    lines = ["world,condition,trial,episode,reward"]
    for name, world in WORLDS.items():
        for condition in ("scratch", "transfer"):
            curves = learning_curves(
                world, 20, np.random.default_rng(1), transfer=condition == "transfer"
            )
            for trial, curve in enumerate(curves):
                lines += [
                    f"{name},{condition},{trial},{episode},{reward:g}"
                    for episode, reward in enumerate(curve, start=1)
                ]
    path = tmp_path_factory.mktemp("worlds") / "worlds.csv"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def one(worlds: Path) -> Path:
    rows = worlds.read_text().splitlines()
    path = worlds.with_name("one.csv")
    kept = [row for row in rows if row.startswith(("world", "3x3"))]
    path.write_text("\n".join(row.partition(",")[2] for row in kept))
    return path


COLUMNS = ["--algorithm", "condition", "--run", "trial", "--step", "episode"]
COLUMNS += ["--score", "reward"]
SIDES = ["--control", "scratch", "--experimental", "transfer"]


def test_one_task(one: Path, tmp_path: Path) -> None:
    figure = tmp_path / "gain.png"
    options = [*COLUMNS, *SIDES, "--optimum", "1", "--plot", str(figure)]
    result = invoke("transfer", one, *options)
    assert result.exit_code == 0, result.output
    text = one_line(result.stdout)
    assert "of the improvement still possible over scratch" in text
    assert "calibrated transfer ratio *" in text
    assert figure.stat().st_size > 10_000


def test_several_tasks(worlds: Path, tmp_path: Path) -> None:
    figure = tmp_path / "tasks.svg"
    options = [*COLUMNS, *SIDES, "--task", "world", "--optimum", "1"]
    result = invoke("transfer", worlds, *options, "--plot", figure)
    assert result.exit_code == 0, result.output
    assert "; the same for each of 2 tasks" in one_line(result.stderr)
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    record = json_of("transfer", worlds, *options)
    assert set(record["tasks"]) == {"3x3", "4x4"}
    assert record["across"]["calibrated_transfer_ratio"]["pvalue"] < 0.01


@pytest.mark.parametrize("style", ["--markdown", "--latex", "--json"])
def test_every_style_prints(one: Path, style: str) -> None:
    result = invoke("transfer", one, *COLUMNS, *SIDES, style)
    assert result.exit_code == 0, result.output
    assert result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--control", "scrach", "--experimental", "transfer"], "did you mean 'scratch'?"),
        (["--control", "scratch", "--experimental", "scratch"], "are both 'scratch'"),
        ([*SIDES, "--optimum", "-5"], "lies below an observed score"),
        ([*SIDES, "--window", "50", "60"], "No step lies in the window"),
        ([*SIDES, "--until-asymptote", "3"], "--until-asymptote is a share"),
        ([*SIDES, "--confidence", "95"], "--confidence must lie between"),
        ([*SIDES, "--resamples", "5"], "--resamples must be"),
        ([*SIDES, "--task", "wrld"], "No column is called 'wrld'"),
        ([*SIDES, "--window", "1", "5", "--until-asymptote", "0.1"], "choose one"),
    ],
)
def test_what_cannot_be_used_is_told(one: Path, options: list[str], message: str) -> None:
    result = invoke("transfer", one, *COLUMNS, *options)
    assert result.exit_code == 3, result.output
    assert message in one_line(result.stderr)
    assert result.stdout == ""


def test_an_optimum_for_each_task(worlds: Path) -> None:
    options = [*COLUMNS, *SIDES, "--task", "world"]
    given = ["--optimum", "4x4=1", "--optimum", "3x3=2"]
    record = json_of("transfer", worlds, *options, *given)
    assert record["tasks"]["3x3"]["optimum"] == 2
    assert record["tasks"]["4x4"]["optimum"] == 1
    wrong = invoke("transfer", worlds, *options, "--optimum", "high")
    assert wrong.exit_code == 2
    assert "--optimum must be a score or, with --task," in one_line(wrong.output)


def test_tasks_can_be_cut(worlds: Path) -> None:
    options = [*COLUMNS, *SIDES, "--task", "world", "--to", 5, "--resamples", 0]
    record = json_of("transfer", worlds, *options, "--shuffles", 99)
    assert {task["last_step"] for task in record["tasks"].values()} == {5}
