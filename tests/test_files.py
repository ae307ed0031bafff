"""Files that are written whole or not at all."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from curvewise import OptionError
from curvewise.files import append_text, check_place, replacing, write_text
from tests.platforms import needs_posix


def test_a_text_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    write_text(path, "new é", "report")
    assert path.read_text(encoding="utf-8") == "new é"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_left_of_work_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_text("old", encoding="utf-8")

    def write() -> None:
        with replacing(path, "report") as partial:
            partial.write_text("half", encoding="utf-8")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_texts_are_added_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    append_text(path, "one\n", "summary")
    append_text(path, "two\n", "summary")
    assert path.read_text(encoding="utf-8") == "one\ntwo\n"


def test_half_a_text_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "summary.md"
    path.write_text("old\n", encoding="utf-8")
    write = io.FileIO.write

    class Full(io.FileIO):
        def write(self, data: bytes) -> int:  # type: ignore[override]
            return write(self, data[:3])

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", lambda self, *_args, **_: Full(self, "ab"))
        with pytest.raises(OptionError, match="No space left on device"):
            append_text(path, "new\n", "summary")
    assert path.read_bytes() == b"old\n"


def test_places_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="is a directory; name a file in it for the report"):
        check_place(tmp_path, "report")
    with pytest.raises(OptionError, match=r"no folder .* to save the report in"):
        check_place(tmp_path / "no" / "report.xml", "report")
    with pytest.raises(OptionError, match="No report can be saved as"):
        check_place(tmp_path / ("x" * 400), "report")
    with pytest.raises(OptionError, match="summary cannot be added to"):
        append_text(tmp_path, "text", "summary")


@needs_posix
def test_devices_and_pipes_are_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    for place in (pipe, tmp_path / "link"):
        with pytest.raises(OptionError, match="it is a device or a pipe, not a file"):
            check_place(place, "report")
        with pytest.raises(OptionError, match="it is a device or a pipe, not a file"):
            write_text(place, "text", "report")
    assert pipe.is_fifo()
