"""Dopamine's pickles are refused."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from curvewise import CurvesError
from tests.readers.logs.reading import homes, read_all

MODULE = "dopamine"


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (Path("exploded"),)  # type: ignore[return-value]


def test_pickles_are_claimed_refused_and_never_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "runs" / "dqn" / "1" / "logs"
    folder.mkdir(parents=True)
    for number in (8, 9, 10):
        (folder / f"log_{number}").write_bytes(pickle.dumps(Bomb()))
    (folder / "log_text").write_text("text")
    found = homes(MODULE, tmp_path)
    assert list(found) == [folder.parent]
    assert found[folder.parent][0].files[0].name == "log_10"
    with pytest.raises(CurvesError, match=r"^log_10 is a pickle.* could run code"):
        read_all(MODULE, tmp_path)
    assert not (tmp_path / "exploded").exists()


def test_real_logs(logs: Path) -> None:
    assert len(homes(MODULE, logs / "dopamine")) == 8
    with pytest.raises(CurvesError, match="is a pickle"):
        read_all(MODULE, logs / "dopamine")


def test_text_logs_are_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "log_1").write_text("step 1")
    assert homes(MODULE, tmp_path) == {}
