"""How commands end, and how results are printed."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import numpy as np
import pytest

from curvewise import Curves, CurvesError
from curvewise.cli.terminal import chosen_style, exit_with_message, note
from curvewise.text import argument
from tests.cli.running import SHUFFLING_COMMANDS, invoke, one_line, run_process
from tests.data.tables import long_frame
from tests.platforms import needs_posix
from tests.simulation import some_curves

if TYPE_CHECKING:
    from pathlib import Path

CLOSED = 141  # 128 + SIGPIPE

# --- how a command ends --------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (CurvesError("It is wrong."), 3, "Error: It is wrong.\n"),
        (MemoryError(), 3, "Error: There is not enough memory for these data."),
        (KeyboardInterrupt(), 130, "Interrupted; no result was written.\n"),
        (BrokenPipeError(), CLOSED, ""),
    ],
)
def test_errors_become_a_sentence_and_an_exit_code(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    message: str,
) -> None:
    # Streams without files: those of the tests must not be sent nowhere.
    if isinstance(error, BrokenPipeError):
        monkeypatch.setattr(sys, "stdout", io.StringIO())
        monkeypatch.setattr(sys, "stderr", io.StringIO())
    with pytest.raises(click.exceptions.Exit) as caught, exit_with_message():
        raise error
    assert caught.value.exit_code == code
    assert capsys.readouterr().err.startswith(message)


def test_other_errors_are_bugs_and_are_shown_as_they_are() -> None:
    with pytest.raises(ZeroDivisionError), exit_with_message():
        raise ZeroDivisionError


def test_options_are_named_as_flags_inside_a_command() -> None:
    with exit_with_message():
        assert argument("n_shuffles") == "--shuffles"
    assert argument("n_shuffles") == "n_shuffles"


def test_notes_spell_out_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    note("red \x1b[31m")
    assert capsys.readouterr().err == "red \\x1b[31m\n"


@needs_posix
@pytest.mark.parametrize("arguments", [["compare", "FILE"], ["--help"]])
def test_nobody_reading_the_output_is_not_exit_code_1(table: Path, arguments: list[str]) -> None:
    words = " ".join(str(table) if word == "FILE" else word for word in arguments)
    # `true` has gone before anything is written.
    command = f"{sys.executable} -m curvewise {words} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert int(done.stdout) == CLOSED
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@needs_posix
def test_a_broken_pipe_is_quiet_where_the_signal_is_ignored(table: Path) -> None:
    code = (
        "import sys\nfrom curvewise.cli import app\n"
        f"sys.argv = ['curvewise', 'compare', {str(table)!r}]\napp()\n"
    )
    command = f'{sys.executable} -c "$CODE" | true; echo ${{PIPESTATUS[0]}}'
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "CODE": code},
    )
    assert int(done.stdout) == CLOSED
    assert done.stderr.startswith("Read runs.csv")
    assert "\n" not in done.stderr.strip()


@needs_posix
def test_output_that_nobody_reads_costs_no_figure(table: Path) -> None:
    command = f"{sys.executable} -m curvewise compare {table} --plot figure.png | head -1"
    done = subprocess.run(
        ["bash", "-c", command], cwd=table.parent, capture_output=True, check=True
    )
    assert done.stdout
    assert (table.parent / "figure.png").exists()


# --- four styles ---------------------------------------------------------------------


def test_one_style_is_chosen() -> None:
    assert chosen_style(json=False, markdown=False, latex=False) == "terminal"
    assert chosen_style(json=False, markdown=True, latex=False) == "markdown"
    with pytest.raises(click.BadParameter, match="--markdown and --latex exclude"):
        chosen_style(json=False, markdown=True, latex=True)


def test_markdown_and_latex_are_nothing_else(table: Path) -> None:
    markdown = invoke("compare", table, "--markdown").stdout
    assert "| source | df | SS | MS | F | p | p by F test |" in markdown
    latex = invoke("compare", table, "--latex").stdout
    assert latex.count(r"\begin{tabular}") == latex.count(r"\bottomrule") > 1
    lines = [line for line in latex.splitlines() if line]
    assert all(line.startswith(("%", "\\", "  ")) for line in lines), latex


@pytest.mark.parametrize("command", ["compare", "locate", "pairs"])
@pytest.mark.parametrize(
    ("style", "mark"), [("--markdown", "| :-- |"), ("--latex", r"\begin{tabular}")]
)
def test_every_command_prints_in_every_style(
    table: Path, command: str, style: str, mark: str
) -> None:
    result = invoke(command, table, style)
    assert result.exit_code == 0, result.output
    assert mark in result.stdout


@pytest.mark.parametrize("style", [[], ["--json"], ["--markdown"], ["--latex"]])
def test_names_from_data_come_out_safe(tmp_path: Path, style: list[str]) -> None:
    names = ["<script>alert('1')</script>", '\x1b[31m[bold]a|b, "c" ünï日本_$%&\n']
    scores = some_curves(0, (4, 4)).scores
    file, figure = tmp_path / "a.csv", tmp_path / "figure.svg"
    long_frame(Curves(scores, np.repeat(names, 4))).write_csv(file)
    # The figure is the same in every style.
    result = invoke("compare", file, *(style or ["--plot", str(figure)]))
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    assert "日本" in result.stdout or style == ["--json"]
    if style == ["--markdown"]:
        assert "<script" not in result.stdout.replace("\\<", "")
    if style == ["--json"]:
        record = json.loads(result.stdout)
        shown = [a["name"] for a in record["algorithms"]]
        assert shown == sorted(name.strip() for name in names)
    if not style:
        assert "<script>" not in figure.read_text(encoding="utf-8")


def test_narrow_terminals_cut_no_numbers(table: Path) -> None:
    narrow = invoke("compare", table, columns=40).stdout
    wide = invoke("compare", table, columns=200).stdout
    assert "…" not in narrow
    # A table that does not fit is printed in parts.
    rows = [line.split() for line in narrow.splitlines() if "error (pooled)" in line]
    (whole,) = [line.split() for line in wide.splitlines() if "error (pooled)" in line]
    assert len(rows) > 1
    assert [cell for row in rows for cell in row[2:]] == whole[2:]


@pytest.mark.parametrize("command", ["compare", "pairs", "locate", "transfer"])
def test_no_table_is_wider_than_the_terminal(table: Path, command: str) -> None:
    options = SHUFFLING_COMMANDS[command]
    shown = invoke(command, table, *options, columns=80).stdout
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_terminals_that_lack_letters_spell_them_out(tmp_path: Path, encoding: str) -> None:
    scores = some_curves(0, (4, 4)).scores
    file = tmp_path / "a.csv"
    long_frame(Curves(scores, np.repeat(["日本", "Bär"], 4))).write_csv(file)
    done = run_process("compare", file, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert "\\u65e5\\u672c" in done.stdout
    assert "alpha = 0.05" in one_line(done.stdout)
    assert "\\u03b1" not in done.stdout


def test_a_figure_is_saved_where_it_says(table: Path) -> None:
    figure = table.parent / "figure.svg"
    result = invoke("compare", table, "--plot", figure)
    assert f"Figure saved as {figure}" in result.stderr.replace("\n", "")
    assert figure.stat().st_size > 1_000
