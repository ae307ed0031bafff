"""Commands that are told to end: nothing half written, and an exit code that is true."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from curvewise.cli import terminal as interrupts
from curvewise.cli.terminal import begin_writing, interrupted_by, interruptible
from tests.platforms import HEARS_INTERRUPTS, IGNORES_INTERRUPTS, ended, needs_posix

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

pytestmark = needs_posix
NOTHING_WRITTEN = "Interrupted; no result was written.\n"


def started(
    table: Path,
    *words: str,
    shuffles: str = "1e9",
    dispositions: Mapping[str, Any] = HEARS_INTERRUPTS,
) -> subprocess.Popen[str]:
    line = ["compare", str(table), "--sampled", "--shuffles", shuffles, *words]
    return subprocess.Popen(
        [sys.executable, "-m", "curvewise", *line],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **dispositions,
    )


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        signal.SIGHUP,
        pytest.param(signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param(signal.SIGXCPU, marks=pytest.mark.slow),
    ],
)
def test_an_interrupt_ends_with_a_message(table: Path, number: signal.Signals) -> None:
    process = started(table)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("Read runs.csv")
    time.sleep(1.5)
    process.send_signal(number)
    stdout, stderr = ended(process, 60)
    assert process.returncode == 128 + number
    assert stderr == NOTHING_WRITTEN
    assert stdout == ""


@pytest.mark.slow
def test_a_run_that_ignores_interrupts_is_ended_otherwise_and_leaves_nothing(table: Path) -> None:
    """A shell starts what it puts into the background with interrupts ignored."""
    words = ("--jobs", "2", "--plot", str(table.parent / "figure.png"))
    process = started(table, *words, dispositions=IGNORES_INTERRUPTS)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("Read runs.csv")
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.send_signal(signal.SIGTERM)
    ended(process, 60)
    assert process.returncode == 128 + signal.SIGTERM
    assert [path.name for path in table.parent.iterdir()] == ["runs.csv"]


def test_an_interrupt_while_modules_are_imported_shows_no_traceback() -> None:
    """The module that is imported first after the handler is set interrupts the process."""
    code = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == "curvewise.cli":
            os.kill(os.getpid(), signal.SIGINT)
            sum(range(1000))
sys.meta_path.insert(0, Interrupting())
from curvewise.__main__ import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        **HEARS_INTERRUPTS,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("system", ["", "del signal.pthread_kill"])
def test_an_interrupt_inside_a_destructor_is_not_lost(system: str) -> None:
    """Also on systems that cannot send a signal to a thread."""
    code = f"""
import os, signal, sys, time
{system}
from curvewise.cli.terminal import take_signals
from curvewise.cli.terminal import exit_with_message
take_signals()
class Busy:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
with exit_with_message():
    del (busy := [Busy()])[0]
    for _ in range(200):
        time.sleep(0.1)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        **HEARS_INTERRUPTS,
    )
    assert done.stderr.startswith(NOTHING_WRITTEN)


def test_an_interrupt_of_code_that_was_compiled_from_text_has_the_same_exit_code() -> None:
    code = """
import os, signal, sys
from curvewise.cli.terminal import take_signals
from curvewise.cli.terminal import exit_with_message
take_signals()
try:
    with exit_with_message():
        exec("os.kill(os.getpid(), signal.SIGTERM); sum(range(1000))")
except Exception as ended:
    sys.exit(ended.exit_code)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        **HEARS_INTERRUPTS,
    )
    assert (done.returncode, done.stderr) == (143, NOTHING_WRITTEN)


def test_a_second_signal_while_the_first_is_told_changes_nothing() -> None:
    """Libraries may raise what a signal means before its own handler does, so one is enough."""
    code = """
import os, signal, sys
from curvewise.cli import terminal
from curvewise.cli.terminal import take_signals
take_signals()
def note(text, note=terminal.note):
    os.kill(os.getpid(), signal.SIGTERM)
    note(text)
terminal.note = note
class PanicException(BaseException): pass
try:
    with terminal.exit_with_message():
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            raise PanicException from None
except Exception as ended:
    sys.exit(ended.exit_code)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        **HEARS_INTERRUPTS,
    )
    assert (done.returncode, done.stderr) == (130, NOTHING_WRITTEN)


def test_an_interrupt_that_was_lost_still_costs_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "_came", [])
    begin_writing()
    with pytest.raises(KeyboardInterrupt):
        interrupts._interrupt(signal.SIGTERM, None)
    assert interrupted_by() == signal.SIGTERM
    with pytest.raises(KeyboardInterrupt):
        begin_writing()


def test_once_a_result_is_written_an_interrupt_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(interrupts, "_came", [])
    monkeypatch.setattr(interrupts, "_taken", [signal.SIGINT])
    try:
        with interruptible():
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)
            interrupts._came.clear()
            begin_writing()
            os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_commands_in_the_process_of_others_leave_its_signals_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interruptible():
        begin_writing()
        assert signal.getsignal(signal.SIGINT) is before
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_at_any_instant_there_is_a_result_or_an_interruption(
    table: Path, number: signal.Signals
) -> None:
    """Never both, never neither, and no file that is not whole."""
    figure = table.parent / "figure.svg"
    codes = set()
    for milliseconds in range(150, 2_500, 80):
        process = started(table, "--plot", str(figure), shuffles="9999")
        time.sleep(milliseconds / 1_000)
        process.send_signal(number)
        stdout, stderr = ended(process, 60)
        codes.add(process.returncode)
        if process.returncode == -number:
            # Python was still starting, and ran no code of ours; it shows where an interrupt came.
            ran = set(re.findall(r"curvewise/(\S+?)\"", stderr))
            assert ran <= {"__main__.py", "__init__.py"}, milliseconds
            assert not stderr or stderr.startswith("Traceback"), milliseconds
        else:
            assert "Traceback" not in stderr, milliseconds
            assert process.returncode in {0, 128 + number}, (milliseconds, stderr)
        assert bool(stdout) == (process.returncode == 0), milliseconds
        assert figure.exists() == (process.returncode == 0), milliseconds
        assert {path.name for path in table.parent.iterdir()} <= {"runs.csv", figure.name}
        figure.unlink(missing_ok=True)
    assert 128 + number in codes
