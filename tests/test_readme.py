"""What the README shows is what happens. Its Python examples run as doctests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import curvewise as cw
from curvewise.cli import COMMANDS

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
    printed = [line.rstrip() for line in done.stdout.splitlines()]
    lines = shown[1].splitlines()
    # The further tables are left out.
    assert printed[: len(lines) + 1] == [*lines, ""]


def test_every_make_target_it_names_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"make ([a-z-]+)", README)) - {"and"}
    assert {"demo", "test", "help"} <= named <= targets | {"help"}


def test_ci_runs_the_readmes_test_command_and_the_tests_that_it_leaves_out() -> None:
    commands = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert {"make check", "make test", "make test-slow"} <= set(commands)


def test_every_question_has_its_command_and_its_functions() -> None:
    table = README.partition("## Questions")[2].partition("\n\nNew here?")[0]
    assert set(re.findall(r"`curvewise (\w+)`", table)) == set(COMMANDS) - {"demo"}
    named = set(re.findall(r"`cw\.(\w+)`", table))
    assert named <= set(dir(cw))
    assert {"compare", "locate", "gate", "compare_tasks", "report"} <= named


@pytest.mark.parametrize("page", ["README.md", "docs/scripts.md", "docs/other-tools.md"])
def test_links_lead_to_files_that_are_there(page: str) -> None:
    path = ROOT / page
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    inside = [link for link in links if "://" not in link]
    assert inside
    assert [link for link in inside if not (path.parent / link).exists()] == []


def test_the_rates_of_other_tools_are_those_that_were_measured() -> None:
    def rates(text: str) -> dict[str, list[str]]:
        rows = re.findall(r"^\| ([^|]+?) \|([^\n]+)\|$", text, re.MULTILINE)
        return {name: re.findall(r"[\d.]+%|–", rest) for name, rest in rows}

    page = (ROOT / "docs" / "other-tools.md").read_text(encoding="utf-8")
    measured = rates(page.partition("<!-- table -->")[2].partition("<!-- end -->")[0])
    quoted = rates(README.partition("## Compared with")[2])
    shown = {name: own for name, own in quoted.items() if own}
    assert len(shown) >= 6
    assert all(measured[name] == own for name, own in shown.items())


def test_the_coverage_of_intervals_is_what_was_measured() -> None:
    page = (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \d+ × \d, [a-z ]+ \| (\.\d+) \| (\.\d+) \|", page, re.MULTILINE)
    for column, words in enumerate(("curvewise's in {} to {}", "the truth in {} to {} of")):
        rates = [float(row[column]) for row in rows]
        sentence = words.format(f"{min(rates):.0%}", f"{max(rates):.0%}")
        assert sentence in " ".join(README.split())
