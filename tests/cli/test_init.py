"""The command as a whole: its help, its version, how it starts and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click import Context
from click.shell_completion import BashComplete

from curvewise import __version__
from curvewise.cli import COMMANDS, app, main
from curvewise.cli.completion import PowerShell
from curvewise.cli.terminal import EPILOG
from tests.cli.running import invoke, one_line, run_process
from tests.platforms import needs_posix


def test_the_module_runs_as_a_command() -> None:
    done = run_process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"curvewise {__version__}\n", "")


def test_the_help_lists_the_commands_and_exit_codes() -> None:
    for flag in ("--help", "-h"):
        result = invoke(flag)
        assert result.exit_code == 0
        assert set(result.stdout.split()) >= set(COMMANDS)
        assert EPILOG in one_line(result.stdout)
        assert "--install-completion" in result.stdout
    commands = invoke("--help", columns=80).stdout.partition("Commands:")[2]
    assert "..." not in commands, "a summary is cut off"
    built = [app.get_command(Context(app), name) for name in COMMANDS]
    firsts = [str(command.help).splitlines()[0] for command in built if command]
    assert firsts == list(COMMANDS.values())


def test_the_list_of_commands_needs_none_of_them() -> None:
    code = (
        "import sys\nfrom curvewise.cli import main\n"
        "sys.argv = ['curvewise', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = ('numpy', 'polars', 'scipy', 'rich', 'curvewise.cli.commands')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_only_the_command_that_was_asked_for_is_imported() -> None:
    code = (
        "import sys\nfrom curvewise.cli import main\n"
        "sys.argv = ['curvewise', 'report', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted(name for name in sys.modules if name.startswith('curvewise.cli.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = done.stdout.splitlines()[-1]
    assert "'curvewise.cli.report'" in imported
    assert "'curvewise.cli.commands'" not in imported


@pytest.mark.parametrize(
    "command", sorted(set(COMMANDS) - {"inspect", "report", "schema", "serve"})
)
def test_every_command_has_help_and_prints_in_every_style(command: str) -> None:
    result = invoke(command, "--help")
    assert result.exit_code == 0
    assert EPILOG in one_line(result.stdout)
    for option in ("--json", "--markdown", "--latex", "--plot", "--seed"):
        assert option in result.stdout


@needs_posix
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_once(
    shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    for _ in range(2):
        result = invoke("--install-completion")
        assert result.exit_code == 0, result.output
        assert f"{shell} completion installed in {tmp_path}" in result.stdout
    written = [path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    assert any("_CURVEWISE_COMPLETE" in text for text in written)
    assert invoke("--show-completion", shell).stdout.strip() in [text.strip() for text in written]
    assert all(text.count("curvewise.sh") < 2 for text in written)
    assert invoke("--show-completion", "nonsense").exit_code == 2


@pytest.mark.parametrize(
    ("words", "found"),
    [("curvewise comp", "plain,compare"), ("curvewise gate x --cen", "plain,--center")],
)
def test_commands_and_options_are_completed(
    words: str, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    assert BashComplete(app, {}, "curvewise", "_CURVEWISE_COMPLETE").complete() == found


def test_powershell_is_completed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMP_WORDS", "curvewise gate --uni")
    monkeypatch.setenv("COMP_WORD", "--uni")
    shown = PowerShell(app, {}, "curvewise", "_CURVEWISE_COMPLETE").complete()
    assert shown.startswith("--unit:::What the margin is in")
    assert "Register-ArgumentCompleter" in invoke("--show-completion", "pwsh").stdout


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
def test_usage_errors_exit_with_2(table: Path, arguments: list[str], message: str) -> None:
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


def test_an_error_of_the_system_is_not_taken_for_the_output(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/tmp/x")  # noqa: S108

    monkeypatch.setattr("curvewise.cli.app", fail)
    monkeypatch.setattr("curvewise.cli.discard_output", lambda: None)
    monkeypatch.setattr("curvewise.cli.take_signals", lambda: None)
    monkeypatch.setattr("curvewise.cli.prepare_streams", lambda: None)
    monkeypatch.setattr("curvewise.cli.say_warnings", lambda: None)
    with pytest.raises(SystemExit) as info:
        main()
    assert info.value.code == 3
    said = capsys.readouterr().err
    assert "the system reports: [Errno 13] Permission denied: '/tmp/x'" in said
