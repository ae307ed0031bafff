from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pytest

mpl.use("Agg")

ATARI = Path(__file__).parents[2] / "shared" / "data" / "atari"


@pytest.fixture(scope="session")
def atari() -> Path:
    """The folder of real Atari curves, which are not part of the project."""
    if not ATARI.is_dir():
        pytest.skip(f"real Atari curves are not at {ATARI}")
    return ATARI
