"""The JSON of power."""

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
    "options", [[], ["--block", "seed", "--blocks", "--only", "A", "--only", "B"]]
)
def test_every_design_prints_what_the_schema_says(pong: Path, options: list[str]) -> None:
    sizes = ("--size", "1,2", "--runs", "3,5")
    assert_tight("power", json_of("power", pong, *SIMULATED, *sizes, *options))


def test_a_single_step_has_no_shape(one_step: Path) -> None:
    record = json_of("power", one_step, *SIMULATED, "--size", "1", "--runs", "4")
    assert "interaction" not in record
    assert_tight("power", record)
