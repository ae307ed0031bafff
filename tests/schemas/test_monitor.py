"""The JSON of monitor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.running import json_of
from tests.schemas.tightness import assert_tight

if TYPE_CHECKING:
    from pathlib import Path

FEW = ("--shuffles", "99")

PLAN = ("--n-batches", "4", "--batch-size", "2", "--seed", "1", "--shuffles", "199")


# Tests of the commands check the schema as well, whenever they ask for JSON.
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("options", [[], ["--spending", "obf", "--only", "A", "--only", "C"]])
def test_a_look_prints_what_the_schema_says(pong: Path, options: list[str]) -> None:
    record = json_of("monitor", pong, "--batch", "week", *PLAN, *options)
    assert_tight("monitor", record)
