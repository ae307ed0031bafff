"""The JSON of tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.running import json_of
from tests.schemas.tightness import assert_tight

if TYPE_CHECKING:
    from pathlib import Path

FEW = ("--shuffles", "99")


# Tests of the commands check the schema as well, whenever they ask for JSON.
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "options",
    [
        ["--only", "A", "--only", "C"],
        ["--only", "A", "--only", "C", "--statistic", "gap", "--reference", "raw"],
        ["--adjust", "holm", "--on", "final", "--sampled"],
    ],
)
def test_two_algorithms_and_more(runs: Path, options: list[str]) -> None:
    assert_tight("tasks", json_of("tasks", runs, "--task", "game", *FEW, *options))


def test_some_data_give_no_aggregates(runs: Path, tmp_path: Path) -> None:
    # Final scores of one run of each: nothing tells how exact an aggregate is.
    head, *lines = runs.read_text(encoding="utf-8").splitlines()
    few = [line for line in lines if not line.startswith("maze,C") or ",0,0," in line]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join([head, *few]), encoding="utf-8")
    record = json_of("tasks", path, "--task", "game", "--only", "A", "--only", "B", *FEW)
    assert_tight("tasks", record)
