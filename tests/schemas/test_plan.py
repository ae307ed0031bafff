"""The JSON of plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.running import json_of
from tests.schemas.tightness import assert_tight

if TYPE_CHECKING:
    from pathlib import Path

FEW = ("--shuffles", "99")

SIMULATED = ("--experiments", "200", "--shuffles", "99", "--effect", "lift")


# Tests of the commands check the schema as well, whenever they ask for JSON.
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "options", [["--max-runs", "12"], ["--block", "seed", "--blocks", "--only", "A", "--only", "B"]]
)
def test_every_design_prints_what_the_schema_says(pong: Path, options: list[str]) -> None:
    assert_tight("plan", json_of("plan", pong, *SIMULATED, "--size", "2", *options))
