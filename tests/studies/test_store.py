from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from studies.store import fingerprint, forget, load_or_compute, reused_seconds

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("studies.store.OUT", tmp_path)
    return tmp_path / "store"


class Asked:
    """Computes, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> object:
        self.times += 1
        return {"numbers": np.array([1.5, 2.5]), "count": np.int64(3)}


def test_numbers_are_kept_until_their_key_changes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compute = Asked()
    reused_seconds.clear()
    for _ in range(2):
        found = load_or_compute("study/numbers", {"seed": 1}, compute)
        assert found == {"numbers": [1.5, 2.5], "count": 3}
    assert compute.times == 1
    assert len(reused_seconds) == 1
    assert capsys.readouterr().err.count("study/numbers: 0 s") == 1
    load_or_compute("study/numbers", {"seed": 2}, compute)
    assert compute.times == 2
    assert sorted(path.name for path in (folder / "study").iterdir()) == [
        "numbers-seed1.json",
        "numbers-seed2.json",
    ]


def test_what_cannot_be_read_is_computed_again(folder: Path) -> None:
    compute = Asked()
    load_or_compute("numbers", {}, compute)
    path = folder / "numbers-seed.json"
    for text in ("", path.read_text()[:20], "[]", "{}"):
        path.write_text(text)
        assert load_or_compute("numbers", {}, compute)["count"] == 3
    assert compute.times == 5


def test_a_study_can_be_forgotten(folder: Path) -> None:
    compute = Asked()
    for name in ("one/numbers", "one-more", "two/numbers"):
        load_or_compute(name, {}, compute)
    forget("one")
    assert [path.name for path in folder.iterdir()] == ["two"]


def test_what_cannot_be_kept_is_refused(folder: Path) -> None:
    with pytest.raises(TypeError, match="set cannot be stored"):
        load_or_compute("numbers", {}, lambda: {1, 2})
    assert not folder.exists()


def test_a_fingerprint_tells_numbers_apart() -> None:
    numbers = np.arange(6.0).reshape(2, 3)
    assert fingerprint(numbers) == fingerprint(numbers.copy(order="F"))
    assert fingerprint(numbers) != fingerprint(numbers + 1e-9)
