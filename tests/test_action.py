"""The GitHub Action: its steps are run with the environment that GitHub would set."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, GATE = ACTION["runs"]["steps"]

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def run_step(
    step: dict[str, Any], folder: Path, **inputs: str
) -> tuple[subprocess.CompletedProcess[str], str, str]:
    """Run a step; return also its outputs and its summary."""
    given = {name: own.get("default", "") for name, own in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}

    def filled(text: str) -> str:
        text = re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: given[m[1]], text)
        return text.replace("${{ github.action_path }}", str(ROOT))

    # What asks for pip is written down; all else goes to this Python.
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    python = bin_folder / "python"
    python.write_text(
        f'#!/bin/bash\nif [ "$2" = pip ]; then echo "$@" > "{folder}/pip"; exit 0; fi\n'
        f'exec "{sys.executable}" "$@"\n',
        encoding="utf-8",
    )
    python.chmod(python.stat().st_mode | stat.S_IEXEC)
    script = folder / "step.sh"
    script.write_text(step["run"], encoding="utf-8")
    outputs, summary = folder / "outputs", folder / "summary.md"
    outputs.write_text("", encoding="utf-8")
    environment = {
        **os.environ,
        **{name: filled(value) for name, value in step["env"].items()},
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "GITHUB_OUTPUT": str(outputs),
        "GITHUB_STEP_SUMMARY": str(summary),
        "COLUMNS": "100",
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment,
    )
    told = summary.read_text(encoding="utf-8") if summary.exists() else ""
    return done, outputs.read_text(encoding="utf-8"), told


def write_runs(folder: Path) -> None:
    for name, lift in (("old", 0.0), ("new", 0.5), ("bad", -9.0)):
        rows = [f"{run},{step},{run + step + lift}" for run in range(6) for step in range(4)]
        text = "\n".join(["seed,step,score", *rows, ""])
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("inputs", "code", "answer"),
    [
        pytest.param(*({"candidate": "new.csv", "margin": "4"}, 0, "pass"), marks=pytest.mark.slow),
        ({"candidate": "bad.csv", "margin": "1"}, 1, "fail"),
        ({"candidate": "new.csv", "margin": "1"}, 4, "undecided"),
        pytest.param(
            *({"candidate": "new.csv", "margin": "1", "undecided": "pass"}, 0, "undecided"),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            *({"candidate": "bad.csv", "margin": "1", "undecided": "pass"}, 1, "fail"),
            marks=pytest.mark.slow,
        ),
        ({"candidate": "none.csv", "margin": "1"}, 3, "error"),
        ({"candidate": "new.csv", "margin": "1", "undecided": "maybe"}, 2, "error"),
        ({"candidate": "new.csv", "margin": "1", "baseline": ""}, 2, "error"),
        ({"candidate": "new.csv", "margin": "4", "args": '--seed 1 "2'}, 2, "error"),
    ],
)
def test_the_step_ends_as_the_gate_answers(
    tmp_path: Path, inputs: dict[str, str], code: int, answer: str
) -> None:
    write_runs(tmp_path)
    inputs = {"baseline": "old.csv", **inputs}
    done, outputs, summary = run_step(GATE, tmp_path, **inputs)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("::warning::" in done.stdout) == (answer == "undecided")
    assert outputs == f"answer={answer}\n"
    if answer != "error":
        assert summary.startswith(f"### Gate: {answer}")


def test_every_input_reaches_the_command(tmp_path: Path) -> None:
    write_runs(tmp_path)
    done, outputs, _ = run_step(
        GATE,
        tmp_path,
        baseline="old.csv",
        candidate="new.csv",
        margin="0.9",
        unit="relative",
        on="1:2",
        metric="score",
        alpha="0.1",
        junit="report.xml",
        args="--seed 7 --title-is-no-option",
    )
    assert done.returncode == 2
    assert outputs == "answer=error\n"
    assert "--title-is-no-option" in done.stdout
    done, outputs, summary = run_step(
        GATE,
        tmp_path,
        baseline="old.csv",
        candidate="new.csv",
        margin="0.9",
        unit="relative",
        on="1:2",
        metric="score",
        alpha="0.1",
        junit="a report.xml",
        args="--seed 7 --plot 'a figure.png'",
    )
    assert done.returncode == 0, done.stderr
    assert outputs == "answer=pass\n"
    assert (tmp_path / "a report.xml").exists()
    assert (tmp_path / "a figure.png").exists()
    assert "90%" in summary
    assert "mean from step 1 to 2" in summary


def test_inputs_cannot_run_anything(tmp_path: Path) -> None:
    write_runs(tmp_path)
    nasty = "$(touch owned) `touch owned`; touch owned"
    run_step(
        GATE, tmp_path, baseline=nasty, candidate=nasty, margin=nasty, metric=nasty, args=nasty
    )
    assert not (tmp_path / "owned").exists()
    # No input stands in a script: GitHub would put its text there before the shell reads it.
    for step in (INSTALL, GATE):
        assert "${{" not in step["run"]


PATHS = (
    *("-", "--help", "--version", "--margin=9", "x\n::set-output name=answer::pass\n"),
    *("##[error]x", "'", "*", "x\nanswer=pass\n", "é\x1b[2J"),
)
ARGUMENTS = ("--", "--help", "\n", "::warning::x", "##[error]x", '"', "*", "--title")


@pytest.mark.parametrize(
    "given",
    [
        *({"candidate": "--help"}, {"candidate": "--margin=9"}),
        *({"baseline": text, "candidate": text} for text in PATHS),
        *({"args": text} for text in ARGUMENTS),
    ],
)
def test_no_input_makes_a_gate_pass_that_would_not(tmp_path: Path, given: dict[str, str]) -> None:
    """With these inputs the gate is a fail, or cannot be asked; it is never a pass."""
    write_runs(tmp_path)
    inputs = {"baseline": "old.csv", "candidate": "bad.csv", "margin": "1", **given}
    done, outputs, _ = run_step(GATE, tmp_path, **inputs)
    assert outputs in {"answer=fail\n", "answer=error\n"}, done.stdout
    assert done.returncode not in {0, 4}
    assert not done.stderr
    # What the inputs hold is printed only where commands are stopped, by a secret word.
    outside = re.sub(r"(?s)::stop-commands::(\w{32})\n.*?\n::\1::\n", "", done.stdout)
    assert re.fullmatch(r"(::error::[\w :]*\n)?", outside), done.stdout


@pytest.mark.parametrize("name", ["margin", "metric", "unit", "on", "alpha", "undecided"])
@pytest.mark.parametrize("text", ["--help", "::set-output name=answer::pass"])
def test_no_value_becomes_an_option(tmp_path: Path, name: str, text: str) -> None:
    write_runs(tmp_path)
    inputs = {"baseline": "old.csv", "candidate": "new.csv", "margin": "4", name: text}
    done, outputs, _ = run_step(GATE, tmp_path, **inputs)
    assert outputs == "answer=error\n"
    assert done.returncode in {2, 3}


@pytest.mark.parametrize("told", ["", "[]", '{"answer": "maybe", "verdict": ""}', "null"])
def test_what_is_no_answer_is_an_error(tmp_path: Path, told: str) -> None:
    """Another program that ends with 0 has not passed the gate."""
    (tmp_path / "curvewise.py").write_text(f"print({told!r})", encoding="utf-8")
    done, outputs, _ = run_step(
        {**GATE, "env": {**GATE["env"], "PYTHONPATH": str(tmp_path)}},
        tmp_path,
        baseline="old.csv",
        margin="1",
    )
    assert (done.returncode, outputs) == (3, "answer=error\n")


def test_files_whose_names_look_like_options_are_read(tmp_path: Path) -> None:
    write_runs(tmp_path)
    for own, name in (("old", "--help"), ("new", "-v")):
        (tmp_path / f"{own}.csv").rename(tmp_path / f"{name}.csv")
    inputs = {"baseline": "--help.csv", "candidate": "-v.csv", "margin": "4"}
    done, outputs, _ = run_step(GATE, tmp_path, **inputs)
    assert (done.returncode, outputs) == (0, "answer=pass\n"), done.stdout


def test_what_is_installed_is_this_source_or_what_was_asked(tmp_path: Path) -> None:
    run_step(INSTALL, tmp_path)
    assert (tmp_path / "pip").read_text(encoding="utf-8") == (f"-m pip install --quiet -- {ROOT}\n")
    run_step(INSTALL, tmp_path, install="curvewise==0.1.0")
    assert "curvewise==0.1.0" in (tmp_path / "pip").read_text(encoding="utf-8")


def test_outputs_and_inputs_are_described() -> None:
    assert set(ACTION["outputs"]) == {"answer"}
    assert all(own["description"] for own in ACTION["inputs"].values())
    required = {name for name, own in ACTION["inputs"].items() if own.get("required")}
    assert required == {"baseline", "margin"}
