"""Every way a command can end has the exit code that the table says."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from curvewise.cli import terminal as exit_codes
from curvewise.cli.terminal import EPILOG, MEANINGS
from tests.cli.running import invoke

ROOT = Path(__file__).parents[2]
SIDES = ["--baseline", "A", "--candidate", "C", "--shuffles", "99", "--margin"]
TURNED = ["--baseline", "C", "--candidate", "A", "--shuffles", "99", "--margin"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["compare", "FILE", "--shuffles", "99"], exit_codes.SUCCESS),
        (["gate", "FILE", *SIDES, "1"], exit_codes.SUCCESS),
        (["gate", "FILE", *TURNED, "0.01"], exit_codes.FAILED),
        (["gate", "FILE", *SIDES, "0.01", "--from", "0", "--to", "50"], exit_codes.UNDECIDED),
        (["gate", "FILE", "--baseline", "A", "--candidate", "C"], exit_codes.USAGE),
        (["compare", "FILE", "--alpha", "2"], exit_codes.UNUSABLE),
        (["compare", "missing.csv"], exit_codes.UNUSABLE),
    ],
)
def test_commands_end_as_the_table_says(table: Path, arguments: list[str], code: int) -> None:
    result = invoke(*(str(table) if word == "FILE" else word for word in arguments))
    assert result.exit_code == code, result.output


def test_a_bug_does_not_end_as_a_gate_that_failed() -> None:
    code = (
        "import sys, curvewise\nfrom curvewise import cli\n"
        "def broken(*a, **k): raise ZeroDivisionError('oops')\n"
        "curvewise.load_example = broken\nsys.argv = ['curvewise', 'demo']\ncli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == exit_codes.BUG
    assert "ZeroDivisionError: oops" in done.stderr
    assert done.stderr.endswith("Please report it with the lines above.\n")


def test_the_codes_of_signals_are_those_of_shells() -> None:
    # How they come about is tested with interrupts and streams.
    assert exit_codes.INTERRUPTED == 128 + signal.SIGINT
    assert exit_codes.OUTPUT_CLOSED == 128 + signal.SIGPIPE
    assert exit_codes.TERMINATED == 128 + signal.SIGTERM


def test_every_code_has_one_meaning_and_help_lists_the_common_ones() -> None:
    names = [
        name for name in vars(exit_codes) if name.isupper() and name[:4] not in {"MIN_", "MAX_"}
    ]
    codes = [getattr(exit_codes, name) for name in names]
    assert sorted(code for code in codes if type(code) is int) == sorted(MEANINGS)
    assert EPILOG == (
        "Exit codes: 0 success, 1 gate failed, 2 usage error, 3 unusable data or option "
        "value, 4 gate undecided, 130 interrupted."
    )


def test_the_page_for_scripts_has_the_table() -> None:
    page = (ROOT / "docs" / "scripts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (.+?) \|", page, re.MULTILINE)
    assert {int(code): meaning for code, meaning in rows} == MEANINGS
