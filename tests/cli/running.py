"""Commands run in this process, or as a person would run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from typer import testing
from typer.testing import CliRunner

from curvewise.cli import build_app

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

__all__ = ["SHUFFLING_COMMANDS", "invoke", "json_of", "one_line", "run_process"]

APP = build_app()
# Commands are alike whenever they are built, and building them takes longer than many tests.
testing._get_command = cache(testing._get_command)  # type: ignore[attr-defined]
# Each command that shuffles, with what it cannot do without.
SHUFFLING_COMMANDS: dict[str, list[str]] = {
    "compare": [],
    "locate": ["--resamples", "0"],
    "pairs": [],
    "contrast": ["-c", "C=1", "-c", "A=-1"],
    "gate": ["--baseline", "A", "--candidate", "C", "--margin", "2"],
    "transfer": ["--control", "A", "--experimental", "C", "--resamples", "0"],
}


def invoke(*arguments: object, columns: int = 100) -> Result:
    """Run a command in this process."""
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(APP, list(map(str, arguments)))


def json_of(*arguments: object) -> dict[str, Any]:
    """Run a command that succeeds, and return what it prints as JSON."""
    result = invoke(*arguments, "--json")
    assert result.exit_code == 0, result.output
    record: dict[str, Any] = json.loads(result.stdout)
    return record


def one_line(text: str) -> str:
    """Undo the wrapping of lines."""
    return " ".join(text.split())


def run_process(
    *arguments: object, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, with warnings as errors.

    Those that PYTHONWARNINGS ignores are ignored: packages may be older than this project's.
    """
    warnings = f"error,{os.environ.get('PYTHONWARNINGS', '')}".rstrip(",")
    return subprocess.run(
        [sys.executable, "-m", "curvewise", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "100", "PYTHONWARNINGS": warnings, **environment},
    )
