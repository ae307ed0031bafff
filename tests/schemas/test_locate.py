"""The JSON of locate."""

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
        ["--only", "A", "--only", "C", "--window", "0", "20"],
        ["--sampled", "--adjust", "step-down"],
        ["--block", "seed"],
    ],
)
def test_every_design_prints_what_the_schema_says(pong: Path, options: list[str]) -> None:
    record = json_of("locate", pong, *FEW, "--resamples", "99", *options)
    assert_tight("locate", record)
