"""Small tables that every command can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three algorithms, six runs each in three batches, six steps, two tasks."""
    rng = np.random.default_rng(0)
    lines = ["game,agent,seed,step,score,week"]
    lines += [
        f"{game},{agent},{run},{10 * step},{rng.normal() + 0.4 * gain * step},{run // 2 + 1}"
        for game in ("pong", "maze")
        for gain, agent in enumerate("ABC")
        for run in range(6)
        for step in range(6)
    ]
    path = tmp_path_factory.mktemp("table") / "runs.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def pong(runs: Path) -> Path:
    """The runs of one task."""
    head, *lines = runs.read_text(encoding="utf-8").splitlines()
    own = [line.partition(",")[2] for line in (head, *lines) if "maze" not in line]
    path = runs.parent / "pong.csv"
    path.write_text("\n".join(own), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def one_step(pong: Path) -> Path:
    """Final scores only."""
    head, *lines = pong.read_text(encoding="utf-8").splitlines()
    path = pong.parent / "final.csv"
    path.write_text("\n".join([head, *(x for x in lines if ",50," in x)]), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def short_runs(pong: Path) -> Path:
    """Two runs that ended early."""
    lines = pong.read_text(encoding="utf-8").splitlines()
    gone = {f"B,{run},{step}," for run in (1, 2) for step in (40, 50)}
    kept = [line for line in lines if not line.startswith(tuple(gone))]
    path = pong.parent / "short.csv"
    path.write_text("\n".join(kept), encoding="utf-8")
    return path
