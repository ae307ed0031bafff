"""curvewise gate: one path or two, margins, exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import curvewise
from tests.cli.running import invoke, one_line, run_process

if TYPE_CHECKING:
    from pathlib import Path

ROLES = ["--baseline", "A", "--candidate", "C"]


def ask(*arguments: object, code: int = 0) -> dict[str, Any]:
    result = invoke("gate", *arguments, "--json")
    assert result.exit_code == code, result.output
    record: dict[str, Any] = json.loads(result.stdout)
    return record


def split(table: Path, name: str) -> Path:
    """Write the runs of one algorithm to a file of their own, without its name."""
    lines = table.read_text(encoding="utf-8").splitlines()
    rows = [line.partition(",")[2] for line in lines if line.startswith(name)]
    path = table.with_name(f"{name}.csv")
    path.write_text("\n".join(["seed,step,score", *rows, ""]), encoding="utf-8")
    return path


def test_the_answer_is_the_exit_code(table: Path) -> None:
    assert ask(table, *ROLES, "--margin", "1")["answer"] == "pass"
    swapped = ["--baseline", "C", "--candidate", "A"]
    assert ask(table, *swapped, "--margin", "0.5", code=1)["answer"] == "fail"
    undecided = ask(table, "--baseline", "A", "--candidate", "B", "--margin", "0.1", code=4)
    assert undecided["answer"] == "undecided"


def test_two_paths_are_the_baseline_and_the_candidate(table: Path) -> None:
    record = ask(split(table, "A"), split(table, "C"), "--margin", "1")
    alone = ask(table, *ROLES, "--margin", "1")
    assert record["pvalue_pass"] == alone["pvalue_pass"]
    assert (record["baseline"], record["candidate"]) == ("baseline", "candidate")
    both = ask(table, split(table, "C"), "--baseline", "A", "--margin", "1")
    assert both["pvalue_pass"] == alone["pvalue_pass"]


def test_folders_of_logs_are_sides(tmp_path: Path) -> None:
    for side, lift in (("old", 0), ("new", 3)):
        for run in range(4):
            path = tmp_path / side / f"seed{run}" / "progress.csv"
            path.parent.mkdir(parents=True)
            rows = [f"{step},{step + run / 4 + lift}" for step in range(0, 50, 5 + run)]
            path.write_text("\n".join(["step,return", *rows, ""]), encoding="utf-8")
    record = ask(tmp_path / "old", tmp_path / "new", "--margin", "1")
    assert record["answer"] == "pass"
    assert record["preparation"]["n_runs"] == 8


def test_the_runs_of_others_do_not_matter(table: Path) -> None:
    alone = ask(table, *ROLES, "--margin", "1")
    text = table.read_text(encoding="utf-8").splitlines()
    # A run of B that ends early, and is no concern of a gate between A and C.
    cut = [line for line in text if not line.startswith(("B,0,100", "B,0,110"))]
    table.write_text("\n".join(cut), encoding="utf-8")
    assert invoke("compare", table).exit_code == 3
    assert ask(table, *ROLES, "--margin", "1")["pvalue_pass"] == alone["pvalue_pass"]
    other = invoke("transfer", table, "--control", "A", "--experimental", "C")
    assert other.exit_code == 0, other.output


def test_output_explains_itself(table: Path, tmp_path: Path) -> None:
    figure, summary, report = (tmp_path / name for name in ("g.png", "s.md", "j.xml"))
    options = ["--plot", figure, "--summary", summary, "--junit", report]
    result = invoke("gate", table, *ROLES, "--margin", "1", *options)
    assert result.exit_code == 0, result.output
    assert one_line(result.stdout).startswith(
        "Pass: C is not worse than A by more than the margin (margin 1, exact p = "
    )
    assert all(path.exists() for path in (figure, summary, report))


@pytest.mark.parametrize(
    ("options", "key", "value"),
    [
        (["--on", "final"], "measure", "mean of the last 2 steps (of 12)"),
        (["--on", "60:110"], "measure", "mean from step 60 to 110"),
        (["--on", "every-step"], "test", "shuffle"),
        (["--on", "reach:1", "--margin", "1.5"], "unit", "factor"),
        (["--unit", "sd"], "unit", "sd"),
        (["--two-sided"], "two_sided", True),
        (["--spread", "unequal"], "test", "Welch"),
        (["--center", "trimmed"], "center", "trimmed"),
        (["--assumed", "0.5", "--power", "0.9"], "power", 0.9),
    ],
)
def test_options_are_taken(table: Path, options: list[str], key: str, value: Any) -> None:
    margin = [] if "--margin" in options else ["--margin", "1"]
    result = invoke("gate", table, *ROLES, *margin, *options, "--json")
    assert json.loads(result.stdout)[key] == value


def test_a_reference_is_read(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "earlier.csv"
    rows = [
        f"{name},{run},{step},{run}"
        for name in ("A", "other")
        for run in range(10)
        for step in range(12)
    ]
    path.write_text("\n".join(["agent,seed,step,score", *rows]), encoding="utf-8")
    options = ["--unit", "sd", "--sd-from", path]
    record = ask(table, *ROLES, "--margin", "1", *options)
    assert record["margin_score"] == pytest.approx(3.0277, abs=1e-4)
    result = invoke("gate", table, "--baseline", "B", "--candidate", "C", "--margin", "1", *options)
    assert result.exit_code == 3
    assert "--sd-from must hold one algorithm" in one_line(result.stderr)


def test_several_metrics_must_all_pass(table: Path) -> None:
    text = table.read_text(encoding="utf-8").splitlines()
    header, *rows = text
    wide = [f"{header},loss"] + [f"{row},{-float(row.split(',')[-1])}" for row in rows]
    table.write_text("\n".join(wide), encoding="utf-8")
    metrics = ["--metric", "score", "--metric", "loss"]
    record = ask(table, *ROLES, *metrics, "--margin", "1")
    assert record["answers"] == {"score": "pass", "loss": "pass"}
    assert not record["gates"]["loss"]["higher_is_better"]
    margins = ["--margin", "score=1", "--margin", "loss=0.5"]
    own = ask(table, *ROLES, *metrics, *margins, "--order", "loss", "--order", "score")
    assert own["gates"]["loss"]["margin"] == 0.5
    assert own["order"] == ["loss", "score"]


def test_tasks_are_gates_of_their_own(table: Path) -> None:
    header, *rows = table.read_text(encoding="utf-8").splitlines()
    both = [f"{row},{game}" for row in rows for game in ("pong", "qbert")]
    table.write_text("\n".join([f"{header},game", *both]), encoding="utf-8")
    record = ask(table, *ROLES, "--margin", "1", "--task", "game")
    assert record["answers"] == {"pong": "pass", "qbert": "pass"}
    one = ask(table, *ROLES, "--margin", "pong=1", "--task", "pong")
    assert one["question"] == "gate"


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (ROLES, 2, "Missing option '--margin'"),
        ([*ROLES, "--margin", "two"], 2, "give a number, or NAME=NUMBER once"),
        ([*ROLES, "--margin", "1", "--on", "a:b"], 2, "none of mean, final, every-step"),
        ([*ROLES, "--margin", "1", "--on", "last"], 2, "'last' is none of mean, final"),
        (
            [*ROLES, "--margin", "2", "--on", "reach:1", "--unit", "relative"],
            3,
            "does not go with --unit relative",
        ),
        ([*ROLES, "--margin", "-1"], 3, "--margin must be 0 or more"),
        ([*ROLES, "--margin", "x=1"], 3, "--margin names x, but there is a single gate"),
        (["--margin", "1"], 3, "The algorithms are A, B and C; say which is which with"),
        (["--margin", "1", "--baseline", "A"], 3, "with --candidate NAME."),
        (["--margin", "1", "--baseline", "A", "--candidate", "D"], 3, "called 'D'"),
        ([*ROLES, "--margin", "9", "--unit", "relative"], 3, "below 1: 0.1 is 10%"),
        ([*ROLES, "--margin", "1", "--summary", "auto"], 3, "$GITHUB_STEP_SUMMARY"),
        ([*ROLES, "--margin", "1", "--on", "reach:99"], 3, "No run reaches a score of 99"),
        ([*ROLES, "--margin", "0", "--two-sided"], 3, "--two-sided needs a margin"),
    ],
)
def test_what_cannot_be_used_is_told(
    table: Path, options: list[str], code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    result = invoke("gate", table, *options)
    assert result.exit_code == code, result.output
    assert message in one_line(result.output)
    assert "Traceback" not in result.output
    assert "Gate" not in result.stdout


def test_the_command_itself_ends_with_the_code(table: Path) -> None:
    swapped = ["--baseline", "C", "--candidate", "A", "--margin", "0.5"]
    done = run_process("gate", table, *swapped)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("Fail: A is worse than C")


def test_the_words_are_those_of_python(table: Path) -> None:
    found = curvewise.gate(curvewise.read(table), candidate="C", baseline="A", margin=1, rng=0)
    assert ask(table, *ROLES, "--margin", "1")["verdict"] == found.describe()
