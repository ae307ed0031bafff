from __future__ import annotations

from pathlib import Path

import pytest

LOGS = Path(__file__).parents[1] / "data/logs"
# The larger set that they are a part of is not part of the project.
ALL_LOGS = Path(__file__).parents[3] / "shared/data/logs"
SETS = [pytest.param(LOGS, id="part")]
if ALL_LOGS.is_dir():
    SETS.append(pytest.param(ALL_LOGS, id="all", marks=pytest.mark.slow))


@pytest.fixture(params=SETS)
def logs(request: pytest.FixtureRequest) -> Path:
    """Logs written by the real libraries."""
    path: Path = request.param
    return path
