"""Files and folders that paths name."""

from __future__ import annotations

import gzip
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

from curvewise.readers.folders import File, Skipped, walk


def test_the_lines_of_a_packed_file_that_is_cut(tmp_path: Path) -> None:
    text = "".join(f"{number} {number**7}\n" for number in range(5_000)).encode()
    packed = gzip.compress(text)
    path = tmp_path / "a.txt.gz"
    path.write_bytes(packed)
    assert list(File(path).lines()) == [(line, True) for line in text.splitlines(True)]
    path.write_bytes(packed[: len(packed) // 2])
    *lines, last = File(path).lines()
    assert last == (b"", False)
    assert lines == [(line, True) for line in text.splitlines(True)][: len(lines)]
    assert len(lines) > 1_000


def test_an_aim_repository_is_skipped_and_said(tmp_path: Path) -> None:
    (tmp_path / ".aim" / "meta").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.txt").write_text("1\n")
    found = walk([tmp_path])
    assert [folder.path for folder in found.folders] == [tmp_path]
    reason = "an Aim repository, which only Aim itself can read; export its runs to CSV"
    assert found.skipped == [Skipped(tmp_path / ".aim", reason)]
