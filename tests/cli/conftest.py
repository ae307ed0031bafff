"""A table that commands can find something in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.simulation import autoregressive

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def written_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scores = autoregressive(np.random.default_rng(0), 18, 12)
    scores[12:, 6:] += 4
    lines = ["agent,seed,step,score"]
    for row, curve in enumerate(scores):
        name = "ABC"[row // 6]
        lines += [f"{name},{row % 6},{10 * i},{x}" for i, x in enumerate(curve)]
    path = tmp_path_factory.mktemp("table") / "runs.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def table(written_table: Path, tmp_path: Path) -> Path:
    """Three algorithms of six runs; C is better from step 60 on."""
    path = tmp_path / "runs.csv"
    path.write_bytes(written_table.read_bytes())
    return path
