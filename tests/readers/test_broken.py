"""Files that are where a log would be, and are cut before they can be recognised."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import numpy as np
import pytest

import curvewise as cw
from curvewise.readers import walk as folders

NAMES = ("deep-0", "deep-1", "flat-0", "flat-1")


def cut(path: Path, n_bytes: int) -> None:
    path.write_bytes(path.read_bytes()[:n_bytes])


@pytest.mark.parametrize("n_bytes", [10, 25])
def test_a_log_among_others_of_its_ending(tmp_path: Path, n_bytes: int) -> None:
    for name in NAMES:
        document = json.dumps({"training": {"multi_logloss": [3.0, 2.0, 1.0]}})
        (tmp_path / f"{name}.json").write_text(document)
        np.savez(tmp_path / f"{name}.npz", reward=[1.0, 2.0, 3.0])
    cut(tmp_path / "flat-1.json", n_bytes)
    cut(tmp_path / "flat-1.npz", n_bytes)
    found = cw.scan(tmp_path)
    assert len(found.runs) == 6
    assert [str(each.path) for each in found.skipped] == ["flat-1.json", "flat-1.npz"]
    assert all(f"{each.path} is damaged" in each.reason for each in found.skipped)


def test_a_log_of_the_same_name_elsewhere(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).mkdir()
        history = json.dumps({"loss": [3.0, 2.0], "val_loss": [3.0, 2.5]})
        (tmp_path / name / "history.json").write_text(history)
    cut(tmp_path / "flat-1" / "history.json", 8)
    (skipped,) = cw.scan(tmp_path).skipped
    assert skipped.reason == "history.json is damaged: it ends in the middle"


def test_what_is_whole_and_what_is_called_otherwise_is_not_mentioned(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / f"{name}.json").write_text('{"training": {"l2": [3.0, 2.0, 1.0]}}')
    (tmp_path / "notes.json").write_text('{"author": "me"}')
    (tmp_path / "empty.txt").write_text("")
    assert cw.scan(tmp_path).skipped == ()


def test_a_text_of_numbers_with_a_damaged_line_is_said_to_be_left_out(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "score.txt").write_text("0.5\n0.6\n0.7\n")
    (tmp_path / "flat-1" / "score.txt").write_text("0.50.6\n0.7\n")
    (skipped,) = cw.scan(tmp_path).skipped
    assert skipped.reason == "score.txt does not begin as the logs of that name do"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_long_text_in_utf_16_is_said_to_be_that(
    tmp_path: Path, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "MAX_LINE_SIZE", 30)
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    lines = '{"step": 0, "score": 1}\n{"step": 1, "score": 2}\n'
    (tmp_path / "run.jsonl").write_bytes(f"{mark}{lines}".encode(encoding))
    (tmp_path / "run.csv").write_bytes(f"{mark}step,score\n0,1\n".encode(encoding))
    with pytest.raises(cw.CurvesError) as caught:
        cw.scan(tmp_path)
    for name in ("run.csv", "run.jsonl"):
        assert f"{name} is text in UTF-16. Save it in UTF-8." in str(caught.value)
