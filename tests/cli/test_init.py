"""The command as a whole: its help, its version, how it starts and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from curvewise import __version__
from curvewise.cli import EPILOG, app
from tests.cli.running import invoke, one_line, run_process

COMMANDS = {"compare", "locate", "pairs", "contrast", "transfer", "criteria", "demo"}


def test_the_module_runs_as_a_command() -> None:
    done = run_process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"curvewise {__version__}\n",
        "",
    )


def test_the_help_lists_the_commands_and_exit_codes() -> None:
    for flag in ("--help", "-h"):
        result = invoke(flag)
        assert result.exit_code == 0
        assert set(result.stdout.split()) >= COMMANDS
        assert EPILOG in one_line(result.stdout)
        assert "--install-completion" in result.stdout
    assert {command.callback.__name__ for command in app.registered_commands} == COMMANDS  # type: ignore[union-attr]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help_and_prints_in_every_style(command: str) -> None:
    result = invoke(command, "--help")
    assert result.exit_code == 0
    assert EPILOG in one_line(result.stdout)
    for option in ("--json", "--markdown", "--latex", "--plot", "--seed"):
        assert option in result.stdout


def test_completion_script_is_offered() -> None:
    done = run_process(
        "--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1"
    )
    assert done.returncode == 0
    assert "complete" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare"], "Missing argument"),
        (["compare", "FILE", "--nonsense"], "--nonsense"),
        (["compare", "FILE", "--error", "both"], "'both'"),
        (["compare", "FILE", "--alpha", "high"], "--alpha"),
        (["contrast", "FILE"], "Missing option"),
        (["nonsense"], "nonsense"),
    ],
)
def test_usage_errors_exit_with_2(
    table: Path, arguments: list[str], message: str
) -> None:
    result = invoke(*[str(table) if word == "FILE" else word for word in arguments])
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_a_full_disk_is_told(table: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "curvewise", "compare", str(table)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ},
        )
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert "the output cannot be written: No space left on device" in done.stderr
