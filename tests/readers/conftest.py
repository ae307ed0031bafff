from __future__ import annotations

from pathlib import Path

import pytest

LOGS = Path(__file__).parents[3] / "shared/data/logs"


@pytest.fixture
def logs() -> Path:
    """Logs written by the real libraries."""
    if not LOGS.is_dir():
        pytest.skip("there are no logs in ../shared/data/logs")
    return LOGS
