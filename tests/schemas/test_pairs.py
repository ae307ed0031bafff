"""The JSON of pairs."""

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


@pytest.mark.parametrize("adjust", ["closed", "holm", "bonferroni", "max-t"])
def test_every_adjustment_prints_what_the_schema_says(pong: Path, adjust: str) -> None:
    assert_tight("pairs", json_of("pairs", pong, *FEW, "--adjust", adjust))


def test_a_single_step_has_no_shape(one_step: Path) -> None:
    record = json_of("pairs", one_step, *FEW)
    assert record["pairs"][0]["interaction"] is None
    assert_tight("pairs", record)
