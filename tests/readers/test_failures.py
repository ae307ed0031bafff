"""Whatever goes wrong while a file is read becomes a sentence."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from curvewise.errors import CurvesError
from curvewise.readers.walk import explained, quiet_panics


class PanicException(BaseException):
    """What polars raises when it gives up."""


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyError("x"), "a.csv cannot be read as CSV: 'x'. Write the file again."),
        (PanicException("left: 0"), "as CSV: its data are damaged. Write"),
        (RecursionError(), "nested too deeply to be CSV"),
        (PermissionError(13, "Permission denied"), "cannot be read: Permission denied."),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, ""), "not text in UTF-8"),
        (ValueError("x" * 10_000), "x…x"),
    ],
)
def test_any_failure_is_a_sentence(error: BaseException, message: str) -> None:
    with pytest.raises(CurvesError) as info, explained(Path("a.csv"), "CSV"):
        raise error
    assert message in str(info.value)
    assert len(str(info.value)) < 300


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), SystemExit(3)])
def test_what_is_no_matter_of_the_file_passes(error: BaseException) -> None:
    with pytest.raises(type(error)), explained(Path("a.csv"), "CSV"):
        raise error


def test_what_rust_says_of_a_panic_is_dropped(capfd: pytest.CaptureFixture[str]) -> None:
    def panic() -> None:
        with quiet_panics():
            os.write(2, b"thread panicked\n")
            raise PanicException

    with pytest.raises(PanicException):
        panic()
    with quiet_panics():
        sys.stderr.write("")
        os.write(2, b"a note\n")
    assert capfd.readouterr().err == "a note\n"
