"""The JSON of compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.running import json_of
from tests.schemas.tightness import assert_tight

if TYPE_CHECKING:
    from pathlib import Path

FEW = ("--shuffles", "99")


@pytest.mark.parametrize(
    "options",
    [
        ["--only", "A", "--only", "B"],
        ["--sampled", "--overall", "F"],
        ["--block", "seed"],
        ["--error", "pooled"],
        ["--spread", "unequal"],
        ["--center", "trimmed"],
        ["--only", "A", "--only", "B", "--center", "ranks"],
    ],
)
def test_every_design_prints_what_the_schema_says(pong: Path, options: list[str]) -> None:
    assert_tight("compare", json_of("compare", pong, *FEW, *options))


def test_a_single_step_has_no_shape(one_step: Path) -> None:
    record = json_of("compare", one_step, *FEW)
    assert "interaction" not in record
    assert_tight("compare", record)


@pytest.mark.parametrize("short", ["prefix", "worst", "carry"])
def test_short_runs_are_told(short_runs: Path, short: str) -> None:
    record = json_of("compare", short_runs, *FEW, "--short", short)
    assert record["preparation"]["short"] == short
    assert_tight("compare", record)
