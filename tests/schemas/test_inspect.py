"""The JSON of inspect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.running import json_of
from tests.schemas.tightness import assert_tight

if TYPE_CHECKING:
    from pathlib import Path


# Tests of the commands check the schema as well, whenever they ask for JSON.
pytestmark = pytest.mark.slow


def test_what_was_found_is_what_the_schema_says(pong: Path, tmp_path: Path) -> None:
    assert_tight("inspect", json_of("inspect", pong))
    (tmp_path / "notes.bin").write_bytes(b"\x00\x01")
    for seed in (1, 2):
        text = "step,loss,accuracy\n0,2,0.5\n1,1,0.7\n"
        folder = tmp_path / f"small_seed{seed}"
        folder.mkdir()
        (folder / "progress.csv").write_text(text, encoding="utf-8")
    record = json_of("inspect", tmp_path)
    assert set(record["metrics"]) == {"loss", "accuracy"}
    assert_tight("inspect", record)
