"""The JSON of contrast."""

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
        ["-c", "B=-1", "--over", "trend", "--alternative", "less"],
        ["-c", "B=-0.5", "-c", "C=-0.5", "--sampled"],
        ["-c", "B=-1", "--center", "ranks", "--block", "seed"],
    ],
)
def test_every_design_prints_what_the_schema_says(pong: Path, options: list[str]) -> None:
    assert_tight("contrast", json_of("contrast", pong, *FEW, "-c", "A=1", *options))
