"""Streams that are closed or full: a documented exit code, a sentence where one can be said."""

from __future__ import annotations

import codecs
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from curvewise.cli import terminal as streams
from tests.cli.running import run_process

slow = pytest.mark.slow
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="the system has no /dev/full")


def ended(table: Path, redirected: str, *words: str) -> tuple[int, str, str]:
    """Run a command with streams redirected by a shell; return its code and what it printed."""
    line = " ".join([sys.executable, "-m", "curvewise", *words]).replace("FILE", str(table))
    done = subprocess.run(
        ["bash", "-c", f"{line} {redirected}"], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def check_error(table: Path, redirected: str, reason: str, *words: str) -> None:
    code, _, stderr = ended(table, redirected, *words)
    assert code == 3
    assert stderr.splitlines()[-1] == f"Error: the output cannot be written: {reason}."
    assert "Traceback" not in stderr


def test_a_result_that_cannot_be_printed_is_an_error(table: Path) -> None:
    check_error(table, ">&-", "Bad file descriptor", "schema")


@slow
@needs_full
@pytest.mark.parametrize("words", ["--version", "compare FILE", "compare FILE --json"])
def test_whatever_cannot_be_printed_is_an_error(table: Path, words: str) -> None:
    check_error(table, ">&-", "Bad file descriptor", *words.split())
    check_error(table, ">&- <&-", "Bad file descriptor", *words.split())
    check_error(table, ">/dev/full", "No space left on device", *words.split())


@needs_full
def test_what_cannot_be_said_changes_no_exit_code(table: Path) -> None:
    assert ended(table, "2>/dev/full", "compare", "nothing.csv")[0] == 3


@slow
@needs_full
@pytest.mark.parametrize("redirected", ["2>/dev/full", "2>&-", "2>&- <&-"])
def test_what_cannot_be_said_beside_a_result_costs_nothing(table: Path, redirected: str) -> None:
    code, stdout, _ = ended(table, redirected, "compare", "FILE", "--json")
    assert code == 0
    assert stdout.startswith("{")


@slow
@pytest.mark.parametrize("home", ["-u HOME", "HOME=/nonexistent", "HOME=/proc"])
def test_no_home_is_needed(table: Path, home: str) -> None:
    """Matplotlib and numba would keep files there."""
    figure = table.parent / "figure.png"
    line = f"{sys.executable} -m curvewise compare {table} --plot {figure}"
    done = subprocess.run(
        ["bash", "-c", f"env -u MPLCONFIGDIR -u XDG_CACHE_HOME {home} {line}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert figure.exists()


@slow
def test_a_file_never_takes_the_place_of_a_closed_stream(table: Path) -> None:
    """Without care the figure would be opened as standard output, and printed into."""
    figure = table.parent / "figure.svg"
    code, _, _ = ended(table, ">&- 2>&- <&-", "compare", "FILE", "--plot", str(figure))
    assert code == 3
    assert figure.read_text(encoding="utf-8").rstrip().endswith("</svg>")


@pytest.mark.parametrize(
    ("text", "spelt"),
    [("α ≤ 0.05", b"alpha <= 0.05"), ("日×2", b"\\u65e5x2"), ("\U0001f600é", b"\\U0001f600\\xe9")],
)
def test_signs_that_an_encoding_lacks_are_written_in_others(text: str, spelt: bytes) -> None:
    codecs.register_error(streams.SPELT, streams._spell)
    assert text.encode("ascii", streams.SPELT) == spelt


def test_without_signals_of_posix_streams_are_prepared_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(signal, "SIGPIPE", raising=False)
    monkeypatch.setattr("curvewise.cli.terminal.os.name", "nt")
    asked: list[object] = []
    monkeypatch.setattr(signal, "signal", lambda *given: asked.append(given))
    codecs.register_error(streams.SPELT, codecs.strict_errors)
    streams.prepare_streams()
    streams.ignore_closed_pipes()
    assert asked == []
    assert codecs.lookup_error(streams.SPELT) is streams._spell


def test_no_name_is_a_command_of_a_workflow(tmp_path: Path) -> None:
    """GitHub's log takes lines that begin with two colons for commands."""
    names = ("::error::x", "##[error]y")
    rows = [f"{name},{run},0,{run}" for name in names for run in range(3)]
    table = tmp_path / "::warning::z.csv"
    table.write_text("\n".join(["agent,run,step,score", *rows, ""]), encoding="utf-8")
    for words in (["pairs"], ["pairs", "--markdown"], ["compare", "--latex"]):
        done = run_process(*words, table.name, cwd=tmp_path, GITHUB_ACTIONS="true")
        printed = done.stdout + done.stderr
        assert done.returncode == 0, printed
        assert not re.search(r"(?m)^\s*::|##\[", printed), printed
    done = run_process("compare", "::x.csv", cwd=tmp_path, GITHUB_ACTIONS="true")
    assert done.returncode == 3
    assert not re.search(r"(?m)^\s*::", done.stderr), done.stderr
    # What is read back from JSON are the names as they are.
    words = ["compare", "--json", table.name]
    done = run_process(*words, cwd=tmp_path, GITHUB_ACTIONS="true")
    assert "##[" not in done.stdout
    assert all(f'"{name}"' in json.dumps(json.loads(done.stdout)) for name in names)
    assert "##[error]y" in run_process(*words, cwd=tmp_path, GITHUB_ACTIONS="").stdout
