"""curvewise locate, pairs and contrast, and the digest of compare."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import numpy as np
import pytest
from typer.testing import CliRunner

from curvewise.cli import app
from tests.simulation import autoregressive

run = CliRunner()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Three algorithms of six runs; C is better from step 60 on."""
    scores = autoregressive(np.random.default_rng(0), 18, 12)
    scores[12:, 6:] += 4
    lines = ["agent,seed,step,score"]
    for row, curve in enumerate(scores):
        name = "ABC"[row // 6]
        lines += [f"{name},{row % 6},{10 * i},{x}" for i, x in enumerate(curve)]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines))
    return path


def test_the_digest_says_where_and_who(table: Path) -> None:
    result = run.invoke(app, ["compare", str(table)])
    assert result.exit_code == 0
    assert "\nWhere: The curves differ at" in result.stdout
    assert "Who leads: C leads" in result.stdout
    assert "curvewise locate" in " ".join(result.stdout.split())
    record = json.loads(run.invoke(app, ["compare", str(table), "--json"]).stdout)
    assert record["where"]["regions"][0]["start"] == 60
    assert record["best"]["leader"] == "C"


def test_a_coefficient_that_is_none_is_wrong_usage(table: Path) -> None:
    result = run.invoke(app, ["contrast", str(table), "-c", "A"])
    assert result.exit_code == 2
    assert "is no coefficient" in result.output


def test_the_digest_claims_nothing_that_the_overall_test_does_not(table: Path) -> None:
    result = run.invoke(app, ["compare", str(table), "--only", "A", "--only", "B"])
    assert "Where and who: nothing is claimed" in result.stdout
    assert "Who leads" not in result.stdout


def test_locate_prints_regions_windows_and_one_that_was_asked_for(table: Path) -> None:
    result = run.invoke(app, ["locate", str(table), "--window", "60", "110"])
    assert result.exit_code == 0, result.output
    assert "A, B and C differ at 6 of 12 steps: from 60 to 110 (C in front)" in (
        " ".join(result.stdout.split())
    )
    assert "Window: from 60 to 110 the curves differ in height" in result.stdout
    asked = [*("--window", "60", "110"), "--json"]
    record = json.loads(run.invoke(app, ["locate", str(table), *asked]).stdout)
    assert record["question"] == "locate"
    assert record["window"]["start"] == 60
    assert record["differs_until"] == 110
    assert len(record["algorithm"]["pvalue_adjusted"]) == 12


def test_locate_saves_both_figures(table: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "where.png", tmp_path / "windows.svg"
    options = ["--plot", str(one), "--plot-windows", str(other)]
    result = run.invoke(app, ["locate", str(table), *options])
    assert result.exit_code == 0, result.output
    assert one.stat().st_size > 10_000
    assert other.read_text().startswith("<?xml")


def test_pairs_prints_pairs_and_the_best(table: Path, tmp_path: Path) -> None:
    figure = tmp_path / "pairs.pdf"
    result = run.invoke(app, ["pairs", str(table), "--plot", str(figure)])
    assert result.exit_code == 0, result.output
    assert "Of 3 pairs, 2 differ in height after Holm's adjustment" in (
        " ".join(result.stdout.split())
    )
    assert "C leads" in result.stdout
    assert figure.read_bytes().startswith(b"%PDF")
    record = json.loads(run.invoke(app, ["pairs", str(table), "--json"]).stdout)
    assert record["best"]["contenders"] == ["C"]
    assert len(record["pairs"]) == 3


def test_contrast_reads_coefficients(table: Path, tmp_path: Path) -> None:
    options = ["-c", "C=1", "-c", "A=-0.5", "-c", "B=-.5"]
    result = run.invoke(app, ["contrast", str(table), *options])
    assert result.exit_code == 0, result.output
    assert "C - 0.5 A - 0.5 B, averaged over training, is" in result.stdout
    window = [*options, "--window", "60", "110", "--alternative", "greater", "--json"]
    record = json.loads(run.invoke(app, ["contrast", str(table), *window]).stdout)
    assert record["pvalue"] < 0.01
    assert record["interval"][1] is None
    figure = tmp_path / "c.png"
    saved = run.invoke(app, ["contrast", str(table), *options, "--plot", str(figure)])
    assert saved.exit_code == 0, saved.output
    assert figure.exists()


@pytest.mark.parametrize("style", ["--markdown", "--latex"])
@pytest.mark.parametrize("command", ["locate", "pairs", "compare"])
def test_every_style_prints(table: Path, command: str, style: str) -> None:
    result = run.invoke(app, [command, str(table), style])
    assert result.exit_code == 0, result.output
    mark = "| :-- |" if style == "--markdown" else r"\begin{tabular}"
    assert mark in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["locate", "--window", "500", "600"], "No step lies in the window from 500"),
        (["locate", "--window", "90", "20"], "No step lies in the window from 90 to 20"),
        (["locate", "--only", "A"], "at least two algorithms"),
        (["locate", "--cluster-threshold", "-1"], "--cluster-threshold is an F"),
        (["locate", "--resamples", "-1"], "--resamples must be a whole number"),
        (["locate", "--alpha", "2"], "--alpha must lie between 0 and 1"),
        (["pairs", "--only", "A"], "at least two algorithms"),
        (["pairs", "--shuffles", "0"], "--shuffles must be a whole number"),
        (["contrast", "-c", "A=1", "-c", "B=1"], "sum to 0"),
        (["contrast", "-c", "A=1", "-c", "Z=-1"], "'Z'"),
        (["contrast", "-c", "A=0", "-c", "B=0"], "All coefficients are 0"),
        (["contrast", "-c", "A=1", "-c", "A=-1"], "two coefficients"),
        (
            ["contrast", "-c", "A=1", "-c", "B=-1", "--window", "9", "1"],
            "No step lies in the window",
        ),
        (["locate", "--plot", "where.doc"], "A figure cannot be saved"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_sentence(
    table: Path, arguments: list[str], message: str
) -> None:
    command, *options = arguments
    result = run.invoke(app, [command, str(table), *options])
    assert result.exit_code == 3, result.output
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.output
    assert result.stdout == ""
