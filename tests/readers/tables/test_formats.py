"""Which format a file has, and whether it can be read at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from curvewise import CurvesError
from curvewise.readers.table_formats import FORMATS, format_of

if TYPE_CHECKING:
    from curvewise.readers.table_formats import Format


def test_every_ending_has_one_format() -> None:
    endings = [ending for known in FORMATS for ending in known.endings]
    assert len(endings) == len(set(endings))
    assert all(ending == ending.lower() for ending in endings)


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_every_format_has_its_readers(known: Format) -> None:
    assert callable(known.load)
    assert known.columns is None or callable(known.columns)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.csv", "CSV"),
        ("A.CSV.GZ", "CSV"),
        ("a.tsv", "TSV"),
        ("a.b.pq", "Parquet"),
        ("a.ndjson", "JSON lines"),
        ("a.npz", "NPZ"),
    ],
)
def test_the_ending_tells_the_format(tmp_path: Path, name: str, expected: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"content")
    assert format_of(path).name == expected


def test_an_unknown_ending_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(
        CurvesError,
        match=r"format of 'a\.xlsx' is not known: .* \.csv, \.csv\.gz, \.tsv, .*\.npz\. Rename",
    ):
        format_of(tmp_path / "a.xlsx")


def test_paths_that_are_not_files(tmp_path: Path) -> None:
    with pytest.raises(CurvesError, match="There is no file"):
        format_of(tmp_path / "a.csv")
    for folder in (tmp_path / "folder.csv", tmp_path / "folder"):
        folder.mkdir()
        with pytest.raises(CurvesError, match="is a directory"):
            format_of(folder)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    with pytest.raises(CurvesError, match=r"a\.csv' is empty\. Check that the program"):
        format_of(tmp_path / "a.csv")


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(CurvesError, match="is not a regular file"):
        format_of(tmp_path / "a.csv")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_text("content", encoding="utf-8")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    # Not by changing its mode: root may read everything.
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(CurvesError, match="cannot be read: Permission denied"):
        format_of(path)


def test_formats_are_imported_when_they_are_read() -> None:
    code = "import sys, curvewise.readers; print('polars' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
