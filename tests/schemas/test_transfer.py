"""The JSON of transfer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.running import json_of
from tests.schemas.tightness import assert_tight

if TYPE_CHECKING:
    from pathlib import Path

FEW = ("--shuffles", "99")

SIDES = ("--control", "A", "--experimental", "C", "--resamples", "99")


# Tests of the commands check the schema as well, whenever they ask for JSON.
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "options", [[], ["--lower-is-better", "--sampled"], ["--threshold", "99"], ["--optimum", "9"]]
)
def test_one_task(pong: Path, options: list[str]) -> None:
    assert_tight("transfer", json_of("transfer", pong, *SIDES, *FEW, *options))


def test_many_tasks(runs: Path) -> None:
    record = json_of("transfer", runs, "--task", "game", *SIDES, *FEW)
    assert record["question"] == "transfer_many"
    assert_tight("transfer", record)
