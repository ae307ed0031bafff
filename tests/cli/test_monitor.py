"""curvewise monitor: batches, plans, effects, plan files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import curvewise
from curvewise.text import naming_flags
from tests.cli.running import invoke, json_of, one_line
from tests.questions.monitor.batched import batched, first

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise import Curves

PLAN = ["--batch", "week", "--seed", 1, "--shuffles", 199]


def written(curves: Curves, path: Path) -> Path:
    """Write a long table with a column for the batch."""
    assert curves.blocks is not None
    lines = ["agent,seed,epoch,score,week"]
    for row, scores in enumerate(curves.scores):
        place = f"{curves.labels[row]},{row}"
        lines += [f"{place},{i},{x},{curves.blocks[row]}" for i, x in enumerate(scores)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two batches of three algorithms, of which C is better."""
    return written(batched(5, 2, heights=(0, 0, 6)), tmp_path / "runs.csv")


def test_batches_are_read_from_a_column(runs: Path, tmp_path: Path) -> None:
    figure = tmp_path / "looks.png"
    result = invoke("monitor", runs, *PLAN, "--plot", figure)
    assert result.exit_code == 0, result.output
    with naming_flags():
        found = curvewise.monitor(
            curvewise.read(runs, block="week"), seed=1, n_shuffles=199
        ).describe()
    assert one_line(result.stdout).startswith(one_line(found))
    assert figure.exists()


def test_every_part_of_the_plan_is_taken(runs: Path) -> None:
    options = ["--n-batches", 4, "--batch-size", 5, "--spending", "obf", "--alpha", 0.1]
    record = json_of("monitor", runs, *PLAN, *options)
    assert record["plan"] == {
        "n_batches": 4,
        "batch_size": 5,
        "spending": "obf",
        "alpha": 0.1,
        "n_shuffles": 199,
        "seed": 1,
        "algorithms": ["A", "B", "C"],
    }
    assert record["answer"] == "go on"
    assert record["verdict"].startswith("Go on: after look 2 of 4")


def test_an_effect_and_who_is_given_up_are_taken(runs: Path) -> None:
    options = ["--only", "A", "--only", "B", "--effect", "lift", "--size", 9]
    record = json_of("monitor", runs, *PLAN, *options)
    assert record["stated"] == "a lift of 9"
    assert record["pairs"][0]["chance"] > 0.9
    options = ["--effect", "lift", "--size", 2, "--unit", "sd"]
    record = json_of("monitor", runs, *PLAN, *options)
    assert record["stated"] == "a lift of 2 standard deviations of curve means"
    record = json_of("monitor", runs, *PLAN, "--give-up", "B")
    assert record["pairs"][0]["status"] == "given up"
    assert set(record["next_batch"].values()) == {0}


def test_a_plan_file_is_written_and_checked(tmp_path: Path) -> None:
    curves, plan = batched(2, 2), tmp_path / "plan.json"
    path = written(first(curves, 1), tmp_path / "runs.csv")
    begun = json_of("monitor", path, *PLAN, "--plan-file", plan)
    assert json.loads(plan.read_text(encoding="utf-8"))["plan_id"] == begun["plan_id"]
    written(curves, path)
    again = json_of("monitor", path, *PLAN, "--plan-file", plan)
    # What the file has need not be said again.
    assert json_of("monitor", path, "--batch", "week", "--plan-file", plan) == again
    result = invoke("monitor", path, *PLAN, "--plan-file", plan, "--alpha", 0.1)
    assert result.exit_code == 3
    assert "--alpha was 0.05 and is 0.1" in one_line(result.stderr)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--n-batches", 1, "--batch-size", 8],
            "There are 2 batches (1 and 2), and 1 was planned.",
        ),
        (["--batch-size", 3], "3 were planned (--batch-size)"),
        (["--batch-size", 1], "--batch-size must be an integer from 2 to 1,000"),
        (["--give-up", "Z"], "No algorithm is called 'Z'"),
        (["--effect", "lift", "--size", 0], "--effect is a lift of 0, which changes nothing"),
        (["--effect", "lift"], "--effect and --size belong together"),
        (["--size", 3], "--effect and --size belong together"),
        (["--effect", "life", "--size", 3], "--effect must be 'lift', 'stretch', 'speed'"),
        (["--alpha", 3], "--alpha must lie between 0 and 1"),
    ],
)
def test_what_cannot_be_used_is_told(runs: Path, options: list[object], message: str) -> None:
    result = invoke("monitor", runs, *PLAN, *options)
    assert result.exit_code == 3, result.output
    assert message in one_line(result.stderr)
    assert result.stdout == ""


def test_batches_must_be_told(runs: Path) -> None:
    result = invoke("monitor", runs, "--seed", 1)
    assert result.exit_code == 3
    assert "Give --batch, the column, setting or part of the path" in result.stderr


def test_the_seed_is_required(runs: Path) -> None:
    result = invoke("monitor", runs, "--batch", "week")
    assert result.exit_code == 2, result.output
    assert "Invalid value for '--seed': Give one at the first look" in one_line(result.output)
