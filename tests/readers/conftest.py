"""Logs that real libraries wrote, where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

LOGS = Path(__file__).parents[3] / "shared/data/logs"


@pytest.fixture
def logs() -> Path:
    """Return the folder of real logs, one folder for each format."""
    if not LOGS.is_dir():
        pytest.skip("the real logs are not here")
    return LOGS
