"""The command as a whole: its help, its version, how it starts and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from curvewise import __version__
from curvewise.cli import COMMANDS, EPILOG, build_app
from tests.cli.running import invoke, one_line, run_process
from tests.platforms import needs_posix


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
        assert set(result.stdout.split()) >= set(COMMANDS)
        assert EPILOG in one_line(result.stdout)
        assert "--install-completion" in result.stdout
    commands = invoke("--help", columns=80).stdout.partition("Commands:")[2]
    assert "..." not in commands, "a summary is cut off"
    callbacks = [command.callback for command in build_app().registered_commands]
    registered = [callback.__name__ for callback in callbacks if callback is not None]
    assert registered == list(COMMANDS)
    firsts = [str(callback.__doc__).splitlines()[0] for callback in callbacks if callback]
    assert firsts == list(COMMANDS.values())


def test_the_list_of_commands_needs_none_of_them() -> None:
    code = (
        "import sys\nfrom curvewise.cli import main\n"
        "sys.argv = ['curvewise', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = ('numpy', 'polars', 'scipy', 'rich', 'pydantic', 'curvewise.cli.compare')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_only_the_command_that_was_asked_for_is_imported() -> None:
    code = (
        "import sys\nfrom curvewise.cli import main\n"
        "sys.argv = ['curvewise', 'criteria', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted(name for name in sys.modules if name.startswith('curvewise.cli.')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    imported = done.stdout.splitlines()[-1]
    assert "'curvewise.cli.criteria'" in imported
    assert "'curvewise.cli.compare'" not in imported


@pytest.mark.parametrize(
    "command", sorted(set(COMMANDS) - {"inspect", "report", "schema", "serve"})
)
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


@needs_posix
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
