"""The progress bar: only on a terminal, and only for long work."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from curvewise.cli import terminal as module
from curvewise.cli.terminal import progress
from curvewise.shuffling.visit import track_items

if TYPE_CHECKING:
    import pytest


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def work() -> list[int]:
    return list(track_items(range(4)))


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make standard error a terminal; pytest would undo that after a fixture."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    return stream


def test_a_bar_is_shown_for_long_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS_BEFORE_BAR", 0.0)
    terminal = on_terminal(monkeypatch)
    with progress("shuffling"):
        work()
        work()
    assert "shuffling" in terminal.getvalue()
    assert "100%" in terminal.getvalue()


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("shuffling"):
        work()
    assert terminal.getvalue() == ""


def test_nothing_is_shown_in_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("shuffling"):
        work()
    assert capsys.readouterr().err == ""
