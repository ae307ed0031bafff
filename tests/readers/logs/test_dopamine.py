"""Dopamine's pickles are refused."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from curvewise import CurvesError
from tests.readers.logs.reading import homes, read_all, rows_of

MODULE = "known_tables.dopamine"


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (Path("exploded"),)  # type: ignore[return-value]


def test_pickles_are_claimed_refused_and_never_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "runs" / "dqn" / "1" / "logs"
    folder.mkdir(parents=True)
    for number in (8, 9):
        (folder / f"log_{number}").write_bytes(pickle.dumps(Bomb()))
    (folder / "log_text").write_text("text")
    assert list(homes(MODULE, tmp_path)) == [folder.parent]
    with pytest.raises(CurvesError, match=r"are pickles.* could run code"):
        read_all(MODULE, tmp_path)
    assert not (tmp_path / "exploded").exists()


def test_real_logs(logs: Path) -> None:
    n_runs = len(rows_of(logs / "dopamine/runs.csv"))
    assert len(homes(MODULE, logs / "dopamine")) == n_runs
    with pytest.raises(CurvesError, match="are pickles"):
        read_all(MODULE, logs / "dopamine")


def test_text_logs_are_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "log_1").write_text("step 1")
    assert homes(MODULE, tmp_path) == {}
