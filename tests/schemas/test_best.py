"""Who may be the best, in the JSON of pairs and of tasks."""

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


@pytest.mark.parametrize("options", [["--block", "seed"], ["--sampled"]])
def test_one_task(pong: Path, options: list[str]) -> None:
    record = json_of("pairs", pong, *FEW, *options)
    assert record["best"]["question"] == "best"
    assert_tight("pairs", record)


def test_many_tasks(runs: Path) -> None:
    record = json_of("tasks", runs, "--task", "game", *FEW)
    assert record["best"]["question"] == "best_many"
    assert set(record["best"]["tasks"]) == {"pong", "maze"}
    assert_tight("tasks", record)
