"""The JSON of calibrate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.running import json_of
from tests.schemas.tightness import assert_tight

if TYPE_CHECKING:
    from pathlib import Path


# Tests of the commands check the schema as well, whenever they ask for JSON.
pytestmark = pytest.mark.slow


def test_the_rates_are_what_the_schema_says(pong: Path, one_step: Path) -> None:
    for path in (pong, one_step):
        assert_tight("calibrate", json_of("calibrate", path))
