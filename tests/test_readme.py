"""What the README shows is what happens. Its Python example runs as a doctest."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_demo_prints_what_the_readme_shows(tmp_path: Path) -> None:
    shown = re.search(r"```text\n(.*?)\n```", README, re.DOTALL)
    assert shown is not None
    done = subprocess.run(
        [sys.executable, "-m", "curvewise", "demo"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "88"},
    )
    assert [line.rstrip() for line in done.stdout.rstrip().splitlines()] == shown[
        1
    ].splitlines()


def test_every_make_target_it_names_exists() -> None:
    targets = set(
        re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    )
    named = set(re.findall(r"make ([a-z-]+)", README)) - {"and"}
    assert {"demo", "test", "help"} <= named <= targets | {"help"}


def test_ci_runs_the_readmes_test_command_and_the_tests_that_it_leaves_out() -> None:
    commands = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert {"make check", "make test", "make test-slow"} <= set(commands)
