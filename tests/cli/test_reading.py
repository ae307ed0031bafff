"""What commands read, through every command that reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from curvewise import Curves, read, read_tasks
from curvewise.cli.command import MAX_NOTES, Reading
from studies.sources import tutorial_table
from tests.cli.running import SHUFFLING_COMMANDS, invoke, json_of, one_line
from tests.data.tables import long_frame
from tests.readers.trees import progress, study
from tests.simulation import some_curves


def test_curves_are_read_and_their_source_is_told(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: dict[str, Any] = {
        "only": ["A", "C"],
        "start": 20,
        "stop": 50,
        "block": "seed",
        "higher_is_better": False,
    }
    assert Reading(paths=(table,), asked=asked).curves() == read(table, **asked)
    assert capsys.readouterr().err == (
        "Read runs.csv: algorithm from 'agent', run from 'seed', step from 'step', "
        "score from 'score', block from 'seed'; lower is better\n"
    )


def test_tasks_are_read_and_counted(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = {"algorithm": "seed", "run": "seed", "stop": 40, "task": "agent"}
    tasks = Reading(paths=(table,), asked=asked).tables(read_tasks)
    assert list(tasks) == ["A", "B", "C"]
    assert capsys.readouterr().err.endswith("; the same for each of 3 tasks\n")


def test_columns_windows_and_direction_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "odd.tsv"
    frame = long_frame(some_curves(0, (4, 4))).rename(
        {"agent": "who", "seed": "which", "epoch": "when", "return": "what"}
    )
    frame.write_csv(path, separator="\t")
    record = json_of(
        "compare", path, "--algorithm", "who", "--run", "which", "--step", "when",
        "--score", "what", "--block", "which", "--from", 1, "--to", 3, "--lower-is-better",
    )  # fmt: skip
    assert (record["first_step"], record["last_step"], record["n_blocks"]) == (1, 3, 4)
    assert record["higher_is_better"] is False


@pytest.mark.parametrize("command", SHUFFLING_COMMANDS)
def test_every_command_reads_the_same_way(table: Path, command: str) -> None:
    reading = ["--only", "A", "--only", "C", "--from", 20, "--to", 100, "--block", "seed"]
    options = [*SHUFFLING_COMMANDS[command], "--shuffles", 99]
    result = invoke(command, table, *options, *reading)
    assert result.exit_code == 0, result.output
    assert "block from 'seed'" in result.stderr
    result = invoke(command, table, *options, "--only", "Z")
    assert result.exit_code == 3
    assert "No algorithm is called 'Z'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "There is no file 'nowhere.csv'"),
        (["nowhere"], "There is no file or folder 'nowhere'"),
        (["FILE", "--score", "scor"], "did you mean 'score'"),
        (["FILE", "--from", "999"], "No step lies in the window from 999"),
        (["FILE", "--block", "step"], "A run belongs to one block"),
        (
            ["FILE", "--where", "agent=A", "--where", "agent=B"],
            "--where asks for 'A' and for 'B' in column 'agent'",
        ),
    ],
)
def test_what_cannot_be_read_exits_with_3(table: Path, arguments: list[str], message: str) -> None:
    words = [str(table) if word == "FILE" else word for word in arguments]
    result = invoke("compare", *words)
    assert result.exit_code == 3
    assert result.stderr.startswith("Error: ")
    assert message in one_line(result.stderr)
    assert result.stdout == ""


def test_errors_name_flags(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("agent,method,run,step,score\nA,B,0,0,1\n", encoding="utf-8")
    assert "for example with --algorithm agent." in invoke("compare", path).stderr
    path.write_text("agent,run,step,score\nA,0,0,1\nA,0,1,1\nA,0,2,1\nB,0,0,1\nB,0,1,1\n")
    assert "--short prefix: compare all runs" in one_line(invoke("compare", path).stderr)


def test_short_runs_are_told_on_the_way_and_in_the_verdict(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [
        f"{agent},{run},{step},{run + step + (agent == 'B')}"
        for agent in "AB"
        for run in range(4)
        for step in range(10 if (agent, run) != ("B", 3) else 6)
    ]
    path.write_text("\n".join(["agent,run,step,score", *rows]), encoding="utf-8")
    refused = invoke("compare", path)
    assert refused.exit_code == 3
    lines = refused.stderr.splitlines()
    assert [line.split(":")[0].strip() for line in lines[1:]] == [
        f"--short {policy}" for policy in ("prefix", "worst", "carry", "drop")
    ]
    cut = invoke("compare", path, "--short", "prefix")
    assert cut.exit_code == 0
    assert "1 short run (prefix)" in one_line(cut.stderr)
    assert "0 of 4 runs of A and 1 of 4 of B ended early" in one_line(cut.stdout)
    found = json_of("compare", path, "--short", "worst")
    assert found["preparation"]["fill"] == 0
    assert "difference.value" in found["preparation"]["depends_on_fill"]
    dropped = invoke("compare", path, "--short", "drop", "--reason", "a flood")
    assert "reason: a flood" in one_line(dropped.stdout)
    assert invoke("compare", path, "--short", "drop").exit_code == 3


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs of three algorithms; the first of A was resumed and logs other steps."""
    monkeypatch.chdir(tmp_path)
    study(tmp_path / "runs", ("A", "B", "C"), n_runs=4)
    progress(tmp_path / "runs/A/seed0", step=[0, 200, 100, 400], eval_return=[1, 2, 3, 4])
    return Path("runs")


@pytest.mark.parametrize("command", SHUFFLING_COMMANDS)
def test_every_command_says_what_it_read_and_how_it_was_aligned(runs: Path, command: str) -> None:
    options = [*SHUFFLING_COMMANDS[command], "--shuffles", 99]
    result = invoke(command, runs, "--json", *options)
    assert result.exit_code == 0, result.output
    first, second = result.stderr.splitlines()
    # Who asks of two reads these two.
    n_runs = 8 if command in {"gate", "transfer"} else 12
    assert first.startswith(f"Read runs: {n_runs} runs (tables); metric 'eval_return' (the only")
    assert first.endswith(
        f"; aligned (linear, 5 steps, 0 to 400; 2 of {5 * n_runs} scores interpolated)"
    )
    assert second == "Note: run '0' of 'A': resumed at step 100; 1 record superseded."
    record = json.loads(result.stdout)
    assert record["source"] == first.removeprefix("Read ")
    aligned = record["preparation"]["sentence"]
    assert aligned.startswith("Aligned: 5 steps from 0 to 400, at which runs were logged")
    assert record["preparation"]["n_scores_interpolated"] == 2
    assert aligned in record["verdict"]
    assert record["preparation"]["notes"] == [
        "run '0' of 'A': resumed at step 100; 1 record superseded"
    ]


@pytest.mark.parametrize("policy", ["prefix", "worst", "carry", "drop"])
def test_what_is_done_with_short_runs_is_in_source_verdict_and_warnings(
    runs: Path, policy: str
) -> None:
    progress(runs / "B/seed1", step=[0, 100, 200], eval_return=[1, 2, 3])
    refused = invoke("compare", runs, "--shuffles", 99)
    assert refused.exit_code == 3
    assert f"--short {policy}: " in refused.stderr
    reason = ["--reason", "the disk broke"] if policy == "drop" else []
    record = json_of("compare", runs, "--shuffles", 99, "--short", policy, *reason)
    assert f"1 short run ({policy}" in record["source"]
    assert f"(--short {policy}" in record["verdict"]
    counts = "0 of 4 runs of A, 1 of 4 of B and 0 of 4 of C ended early"
    assert counts in record["verdict"]
    assert record["warnings"][0].startswith(counts)
    assert record["preparation"]["short"] == policy


def test_many_notes_are_counted(runs: Path) -> None:
    for name in "ABC":
        for seed in range(4):
            folder = runs / name / f"seed{seed}"
            progress(folder, step=[0, 200, 100, 400], eval_return=[1, 2, seed, 4])
    result = invoke("compare", runs, "--shuffles", 99)
    lines = result.stderr.splitlines()
    assert sum(line.startswith("Note: ") for line in lines) == MAX_NOTES
    assert lines[-1] == "And 7 notes more, which --json lists."


def test_tasks_of_logs_are_read_alike(tmp_path: Path) -> None:
    study(tmp_path, ("A", "C"), tasks=("Hopper-v4", "Walker2d-v4"))
    options = SHUFFLING_COMMANDS["transfer"]
    same = invoke("transfer", tmp_path, "--task", "path1", *options)
    assert same.exit_code == 0, same.output
    assert same.stderr.endswith("; the same for each of 2 tasks\n")
    progress(
        tmp_path / "Hopper-v4/A/seed0", step=[0, 200, 400], eval_return=[1, 2, 3], loss=[1, 2, 3]
    )
    other = invoke("transfer", tmp_path, "--task", "path1", *options)
    assert other.stderr.endswith("; that is Hopper-v4, and likewise 1 other task\n")
    several = invoke("compare", tmp_path)
    assert several.exit_code == 3
    assert several.stderr == (
        "Error: There are 2 tasks: Hopper-v4 and Walker2d-v4. Choose one, as in --task Hopper-v4.\n"
    )


def test_what_is_read_is_never_written(table: Path) -> None:
    before = table.read_bytes()
    gate = ["gate", table, "--baseline", "A", "--candidate", "C", "--margin", "2"]
    for line in (
        ["report", table, "-o", table],
        [*gate, "--junit", table],
        [*gate, "--summary", table],
    ):
        result = invoke(*line)
        assert result.exit_code == 3
        assert f"would take the place of {str(table)!r}" in one_line(result.stderr)
        assert table.read_bytes() == before


def tutorial_with(path: Path, step: int, cell: str | None) -> Path:
    """The table of the tutorial with another score of small/0 at a step; None: without its row."""
    lines = tutorial_table.TABLE.read_text(encoding="utf-8").splitlines()
    (place,) = (i for i, line in enumerate(lines) if line.startswith(f"small,0,{step},"))
    lines[place : place + 1] = [] if cell is None else [f"small,0,{step},{cell}"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("cell", ["", "NA", "null", "None", "nan", None])
@pytest.mark.parametrize("step", [200, 1000, 2000, 5000])
def test_a_gap_inside_a_run_is_interpolated_and_said(
    tmp_path: Path, step: int, cell: str | None
) -> None:
    path = tutorial_with(tmp_path / "a.csv", step, cell)
    whole, curves = read(tutorial_table.TABLE), read(path)
    assert curves.steps.tolist() == whole.steps.tolist()
    (row,) = np.flatnonzero((whole.labels == "small") & (whole.runs == "0"))
    place = whole.steps.tolist().index(step)
    expected = whole.scores.copy()
    around = [place - 1, place + 1]
    expected[row, place] = np.interp(step, whole.steps[around], whole.scores[row, around])
    np.testing.assert_array_equal(curves.scores, expected)
    assert curves.preparation is not None
    assert curves.preparation.n_scores_interpolated == 1
    assert ("not finite" in "".join(curves.preparation.notes)) == (cell == "nan")
    if (step, cell) == (2000, ""):  # it was the shape that was claimed
        found = invoke("compare", path, "--shuffles", 999)
        assert "8 steps, 0 to 8000; 1 of 240 scores interpolated)" in one_line(found.stderr)
        assert "no difference in shape was detected" in one_line(found.stdout)
        assert "linear interpolation (1 of 240 scores)" in one_line(found.stdout)


@pytest.mark.parametrize("cell", ["", "nan", None])
def test_a_missing_first_score_is_told_and_what_to_type_is_taken(
    tmp_path: Path, cell: str | None
) -> None:
    path = tutorial_with(tmp_path / "a.csv", 0, cell)
    told = invoke("compare", path, "--shuffles", 99)
    assert "29 of 239 scores were not used: small/0 has none before step 200 (--from 200" in (
        one_line(told.stdout + told.stderr)
    )
    meant = invoke("compare", path, "--shuffles", 99, "--from", 200)
    assert meant.exit_code == 0
    assert "not used" not in one_line(meant.stdout + meant.stderr)


@pytest.mark.parametrize(
    ("cell", "ending"),
    [
        ("", "ends at step 5000"),
        (None, "ends at step 5000"),
        ("nan", "diverges at step 8000"),
        ("inf", "diverges at step 8000"),
    ],
)
def test_a_missing_last_score_is_a_short_run(tmp_path: Path, cell: str | None, ending: str) -> None:
    path = tutorial_with(tmp_path / "a.csv", 8000, cell)
    refused = invoke("compare", path)
    assert refused.exit_code == 3
    assert f"small: run '0' {ending}" in one_line(refused.stderr)
    for policy in ("prefix", "worst", "carry"):
        done = invoke("compare", path, "--shuffles", 99, "--short", policy)
        assert done.exit_code == 0


def test_an_infinite_score_is_never_interpolated(tmp_path: Path) -> None:
    refused = invoke("compare", tutorial_with(tmp_path / "a.csv", 2000, "inf"))
    assert refused.exit_code == 3
    assert "run '0' diverges at step 2000" in one_line(refused.stderr)


def test_gaps_are_the_same_however_scores_come_in(tmp_path: Path) -> None:
    path = tutorial_with(tmp_path / "a.csv", 1000, "")
    expected = read(path)
    frame = pl.read_csv(path)
    names: dict[str, Any] = {"algorithm": "algorithm", "run": "seed"}
    names |= {"step": "step", "score": "score"}
    wide = frame.pivot(on="step", index=["algorithm", "seed"], values="score")
    wide.write_csv(tmp_path / "wide.csv")
    for run, own in frame.partition_by("algorithm", "seed", as_dict=True).items():
        folder = tmp_path / "logs" / str(run[0]) / f"seed_{run[1]}"
        folder.mkdir(parents=True)
        own.select("step", "score").write_ndjson(folder / "log.jsonl")
    for curves in (
        Curves.from_frame(frame, **names),
        Curves.from_frame(pd.DataFrame(frame.to_dict(as_series=False)), **names),
        read(tmp_path / "wide.csv"),
        read(tmp_path / "logs"),
    ):
        np.testing.assert_array_equal(curves.scores, expected.scores)
        assert curves.preparation is not None
        assert curves.preparation.n_scores_interpolated == 1
