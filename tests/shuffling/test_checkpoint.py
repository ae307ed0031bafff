from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from curvewise import CurvesError, compare
from curvewise.shuffling import visiting as shuffling
from curvewise.shuffling.parallel import watched
from tests.simulation import some_curves

if TYPE_CHECKING:
    from pathlib import Path

CURVES = some_curves(3, (12, 12))
OPTIONS: dict[str, Any] = {"n_shuffles": 1_000_000, "rng": 11, "exact": False}


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shuffling, "REPAYS", 1_000_000)
    monkeypatch.setattr(shuffling, "COMPILED_CHUNK", 64)


def interrupted(path: Path, **options: Any) -> None:
    """Begin a comparison and stop it half-way, as Ctrl-C would."""

    def stop(done: int, total: int) -> None:
        if total > 500 and done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), watched(stop):
        compare(CURVES, checkpoint=path, **options)


@pytest.mark.parametrize("options", [OPTIONS, {"exact": True}])
def test_interrupted_work_goes_on_with_the_same_digits(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "work.json"
    whole = compare(CURVES, **options).to_dict()
    if options is OPTIONS:
        interrupted(path, **options)
        n_done = len(json.loads(path.read_text())["counts"])
        assert 0 < n_done < 14
    assert compare(CURVES, checkpoint=path, **options).to_dict() == whole
    # Everything is known now, so nothing is counted again.
    monkeypatch.setattr(shuffling, "_count_shuffles", pytest.fail)
    monkeypatch.setattr(shuffling, "_count_thirds", pytest.fail)
    assert compare(CURVES, checkpoint=path, **options).to_dict() == whole


def test_without_a_seed_the_first_one_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "work.json"
    options = {**OPTIONS, "rng": None}
    interrupted(path, **options)
    first = compare(CURVES, checkpoint=path, **options)
    again = compare(CURVES, checkpoint=path, **options)
    assert first.to_dict() == again.to_dict()


def test_foreign_and_damaged_checkpoints_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "work.json"
    compare(CURVES, checkpoint=path, **OPTIONS)
    content = path.read_text()
    for curves, options in (
        (some_curves(4, (12, 12)), OPTIONS),
        (CURVES, {**OPTIONS, "n_shuffles": 2_000_000}),
        (CURVES, {**OPTIONS, "rng": 12}),
    ):
        with pytest.raises(CurvesError, match="of another comparison"):
            compare(curves, checkpoint=path, **options)
    record = json.loads(content)
    record["counts"][next(iter(record["counts"]))][0] += 1
    for damaged in (
        content[:-20],
        "",
        "[]",
        json.dumps(record),
        content.replace("1", "2"),
    ):
        path.write_text(damaged)
        with pytest.raises(CurvesError, match="no checkpoint, or a damaged one"):
            compare(CURVES, checkpoint=path, **OPTIONS)
    assert [file.name for file in tmp_path.iterdir()] == ["work.json"]
