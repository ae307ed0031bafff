"""Commands run in this process, or as a person would run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from curvewise.cli import app
from curvewise.cli.terminal import FAILED, SUCCESS, UNDECIDED, UNUSABLE
from curvewise.schemas import schema_of

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

__all__ = [
    "SHUFFLING_COMMANDS",
    "check_record",
    "invoke",
    "json_of",
    "one_line",
    "run_process",
    "strict_json",
    "validator",
]

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
    """Run a command in this process; what it prints as JSON must be what its schema says."""
    words = list(map(str, arguments))
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(app, words)
    if "--json" in words and result.exit_code in {SUCCESS, FAILED, UNDECIDED}:
        check_record(words[0], strict_json(result.stdout))
    if "--json" in words and result.exit_code == UNUSABLE:
        check_record("error", strict_json(result.stderr.splitlines()[-1]))
    return result


@cache
def validator(command: str) -> Draft202012Validator:
    """Return what checks the JSON of a command."""
    return Draft202012Validator(schema_of(command))


def check_record(command: str, record: dict[str, Any]) -> None:
    """Fail if a record is not what the schema of a command says; say where."""
    problems = [
        f"{error.json_path}: {error.message[:200]}"
        for problem in validator(command).iter_errors(record)
        for error in problem.context or [problem]
    ]
    assert not problems, "\n".join(problems)


def strict_json(text: str) -> dict[str, Any]:
    """Read JSON that has no NaN and no Infinity, which JSON does not know."""

    def refuse(word: str) -> None:
        pytest.fail(f"{word} is not JSON")

    record: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return record


def json_of(*arguments: object) -> dict[str, Any]:
    """Run a command that succeeds, and return what it prints as JSON."""
    result = invoke(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return strict_json(result.stdout)


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
