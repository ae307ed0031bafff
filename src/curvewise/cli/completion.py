"""Completion of commands and options by the shell: bash, zsh, fish and PowerShell."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import click
from click import shell_completion

PROGRAM, VARIABLE = "curvewise", "_CURVEWISE_COMPLETE"
# Where the script of a shell goes, and the file and line that have it read.
PLACES = {
    "bash": (".bash_completions/curvewise.sh", ".bashrc", "source '{}'"),
    "zsh": (".zfunc/_curvewise", ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": (".config/fish/completions/curvewise.fish", "", ""),
}


class PowerShell(shell_completion.ShellComplete):
    """What click has for other shells."""

    name = "powershell"
    source_template = """
$scriptblock = {
    param($wordToComplete, $commandAst, $cursorPosition)
    $Env:%(complete_var)s = "powershell_complete"
    $Env:COMP_WORDS = $commandAst.ToString()
    $Env:COMP_WORD = $wordToComplete
    %(prog_name)s | ForEach-Object {
        $value, $help = $_ -Split ":::"
        [System.Management.Automation.CompletionResult]::new(
            $value, $value, 'ParameterValue', $help)
    }
    $Env:%(complete_var)s = $Env:COMP_WORDS = $Env:COMP_WORD = ""
}
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock $scriptblock
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one to complete, and that one."""
        word = os.environ["COMP_WORD"]
        words = shell_completion.split_arg_string(os.environ["COMP_WORDS"])[1:]
        return words[:-1] if word else words, word

    def format_completion(self, item: shell_completion.CompletionItem) -> str:
        """Return a line of what the shell reads."""
        return f"{item.value}:::{item.help or ' '}"


shell_completion.add_completion_class(PowerShell)


def show(shell: str) -> None:
    """Print the script of a shell; of the one that runs if none is named."""
    click.echo(_script(_named(shell)))


def install(shell: str) -> None:
    """Put the script of a shell where that reads it."""
    name = _named(shell)
    script = _script(name)
    if name in PLACES:
        place, profile, line = PLACES[name]
        path = Path.home() / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{script}\n", encoding="utf-8")
        if profile:
            _append(Path.home() / profile, line.format(path))
    else:
        asked = ["pwsh" if shell == "pwsh" else name, "-NoProfile", "-Command", "echo $profile"]
        found = subprocess.run(asked, capture_output=True, text=True, check=True)  # noqa: S603
        path = Path(found.stdout.strip())
        _append(path, script)
    click.echo(f"{name} completion installed in {path}")
    click.echo("Completion will take effect once you restart the terminal")


def _named(shell: str) -> str:
    if not shell:
        shell = "powershell" if os.name == "nt" else Path(os.environ.get("SHELL", "")).name
    return "powershell" if shell == "pwsh" else shell


def _script(shell: str) -> str:
    kind = shell_completion.get_completion_class(shell)
    if kind is None:
        msg = f"{shell!r} is none of {', '.join(PLACES)} and powershell."
        raise click.BadParameter(msg)
    from curvewise.cli import app

    return kind(app, {}, PROGRAM, VARIABLE).source().strip()


def _append(path: Path, text: str) -> None:
    """Add lines to a file, unless they are there."""
    there = path.read_text(encoding="utf-8") if path.is_file() else ""
    if text not in there:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{there.rstrip()}\n{text}\n".lstrip(), encoding="utf-8")
