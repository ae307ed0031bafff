"""The fuzzer: a few of its cases, what it would complain of, and all that it ever found.

What it found in files of a format, in words, checkpoints and signals is tested with these; here is
what needs no more than a table or a frame.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from curvewise import Curves, CurvewiseError, compare, read
from fuzzing.cases import Case, make_case
from fuzzing.judging import Outcome, complaints
from fuzzing.slow_reading import slow_reading
from fuzzing.tables import write_plain
from fuzzing.traps import TRAPS, _filled
from fuzzing.truths import Truth, some_truth

if TYPE_CHECKING:
    from collections.abc import Callable


pd = pytest.importorskip("pandas", reason="the fuzzer makes frames of every library")
pa = pytest.importorskip("pyarrow", reason="the fuzzer makes frames of every library")
parquet = pytest.importorskip("pyarrow.parquet")

ROOT = Path(__file__).parents[1]
TRUTH = some_truth(Random(1), hostile=False)  # noqa: S311 (of several steps)


def fuzzed(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fuzzing", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )


def test_some_cases_find_nothing() -> None:
    done = fuzzed("--seed", 71, "--cases", 10, "--jobs", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "10 cases in" in done.stdout
    assert "5 held against the slow reading. 0 went wrong." in done.stdout


def test_a_number_makes_the_same_case_again(tmp_path: Path) -> None:
    made = []
    for name in ("once", "again"):
        for number in range(6):
            folder = tmp_path / name / str(number)
            folder.mkdir(parents=True)
            case = make_case(3, number, folder)
            line = [word.replace(str(folder), "") for word in case.line]
            made.append((case.kind, line, case.truth))
    assert made[:6] == made[6:]


# --- what counts as wrong --------------------------------------------------------------


def wrong(line: list[str], truth: Truth | None = None, **outcome: Any) -> list[str]:
    return complaints(Case("table", line, truth=truth), Outcome(**outcome))


GOOD = "Error: The file is empty. Check that it was written.\n"


@pytest.mark.parametrize(
    ("outcome", "complaint"),
    [
        ({"code": 0, "stdout": "A and B differ."}, None),
        ({"code": 3, "stderr": GOOD}, None),
        ({"code": 1}, "exit code 1"),
        ({"code": None, "error": KeyError("x"), "traceback": "KeyError"}, "traceback"),
        ({"code": 0, "stderr": "x.py:1: RuntimeWarning: overflow"}, "RuntimeWarning"),
        ({"code": 0, "warnings": ("overflow",)}, "warning: overflow"),
        ({"code": 0, "stdout": "\x1b[31mred"}, "control characters"),
        ({"code": 3, "stderr": "Error: 'x'\n"}, "no sentence"),
        ({"code": 3, "stderr": ""}, "no sentence"),
        ({"code": 3, "stderr": GOOD, "made": ("figure.png",)}, "refused, yet wrote"),
        ({"code": 3, "stderr": GOOD, "stdout": "A"}, "refused, yet printed"),
        ({"code": 0, "made": ("curvewise-x1.png",)}, "left behind"),
        ({"code": 0, "changed": ("runs.csv",)}, "changed: runs.csv"),
    ],
)
def test_the_judge_complains_of(outcome: dict[str, Any], complaint: str | None) -> None:
    found = wrong(["compare", "runs.csv"], **outcome)
    assert complaint in found[0] if complaint else found == []


def test_the_judge_notices_a_table_that_is_read_otherwise(tmp_path: Path) -> None:
    path = write_plain(tmp_path / "runs.csv", TRUTH.rows)
    assert slow_reading(path) == TRUTH
    line = ["compare", str(path), "--json"]
    said = compare(read(path), n_shuffles=99, rng=0).to_dict()
    assert wrong(line, TRUTH, code=0, stdout=json.dumps(said)) == []
    other = {**said, "overall": {**said["overall"], "pvalue": 0.5}}
    assert "slow reading" in wrong(line, TRUTH, code=0, stdout=json.dumps(other))[0]
    write_plain(path, [(*row[:3], row[3] + 1.0) for row in TRUTH.rows])
    assert "read otherwise" in wrong(line, TRUTH, code=0, stdout="{}")[0]
    write_plain(path, [(*row[:2], -row[2], row[3]) for row in TRUTH.rows])
    assert "steps are" in wrong(line, TRUTH, code=0, stdout="{}")[0]
    write_plain(path, TRUTH.rows[:-1])
    assert "a clear table is refused" in wrong(line, TRUTH, code=0, stdout="{}")[0]


# --- what it found ---------------------------------------------------------------------

NAMED = {"algorithm": "agent", "run": "seed", "step": "step", "score": "score"}
COLUMNS: dict[str, list[Any]] = {
    "agent": ["A", "A", "B", "B"],
    "seed": ["0", "1", "0", "1"],
    "step": [0.0] * 4,
    "score": [1.0, 2.0, 3.0, 5.0],
}


def framed(make: Callable[[Any], Any], **columns: Any) -> Callable[[Path], Any]:
    return lambda _: Curves.from_frame(make({**COLUMNS, **columns}), **NAMED)  # type: ignore[arg-type]


def lines_of_lists(folder: Path) -> Any:
    path = folder / "runs.jsonl"
    rows = [{"agent": "A", "score": [1, "a", None]}, {"agent": "B", "score": [1, 2, 3]}]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return read(path)


def map_of_names(folder: Path) -> Any:
    path = folder / "runs.parquet"
    kind = pa.map_(pa.string(), pa.int64())
    table = pa.table({**COLUMNS, "agent": pa.array([[("k", 1)]] * 4, type=kind)})
    parquet.write_table(table, path)
    return read(path)


FOUND: dict[str, Callable[[Path], Any]] = {
    "dicts for names, pandas": framed(pd.DataFrame, agent=[{"x": 1}] * 4),
    "sets for names, pandas": framed(pd.DataFrame, seed=[{1, 2}] * 4),
    "arrays for names, pandas": framed(pd.DataFrame, agent=[np.arange(2)] * 4),
    "structs for names, pyarrow": framed(pa.table, agent=[{"x": 1}] * 4),
    "arrays for scores, polars": framed(
        pl.DataFrame, score=pl.Series([[1.0, 2.0]] * 4, dtype=pl.Array(pl.Float64, 2))
    ),
    "integers of 400 digits": lambda _: Curves([[10**400], [1]], ["A", "B"]),
    "integers of 400 digits by name": lambda _: Curves.from_dict({"A": [[10**400]]}),
    "lists of mixed types in JSON lines": lines_of_lists,
    "a map for names in Parquet": map_of_names,
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_is_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(CurvewiseError, match=r"\.$"):
        FOUND[name](tmp_path)


def test_scores_whose_squares_overflow_warn_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "runs.npz"
    scores = np.random.default_rng(0).normal(1e300, 1e299, size=(6, 3))
    np.savez(path, A=scores, B=scores)
    with pytest.raises(CurvewiseError, match="overflow when squared"):
        read(path)


# --- natural inputs that are easily taken for something else ---------------------------


def trapped(kind: str, number: int, folder: Path, value: Any = None) -> list[str]:
    """What is wrong if the call of a trap had this value."""
    folder.mkdir()
    _, check = TRAPS[kind](Random(f"5 {number}"), folder)  # noqa: S311
    error = CurvewiseError("no") if value is None else None
    return check(Outcome(value=value, error=error))


def test_the_slow_reading_fills_gaps_on_the_line_of_the_run() -> None:
    truth = Truth((0.0, 10.0, 40.0), {("A", "0"): (1.0, 9.0, 5.0), ("A", "1"): (1.0, 2.0, 3.0)})
    filled = _filled(truth, {("A", "0", 10.0)})
    assert filled.curves == {("A", "0"): (1.0, 2.0, 5.0), ("A", "1"): (1.0, 2.0, 3.0)}


@pytest.mark.parametrize("kind", ["gaps", "direction", "orientation", "units", "names"])
def test_traps_notice_another_answer(kind: str, tmp_path: Path) -> None:
    """Curves of something else never pass for what was asked, or hardly ever."""
    other = Curves([[0.0, 1.0], [2.0, 3.0], [1.0, 5.0]], ["x", "y", "y"], [7, 8])
    found = [bool(trapped(kind, number, tmp_path / str(number), other)) for number in range(20)]
    # A name may say that higher is better, as it is for the other curves.
    assert sum(found) >= (5 if kind == "direction" else 15), found


@pytest.mark.parametrize("kind", TRAPS)
def test_traps_are_the_same_again(kind: str, tmp_path: Path) -> None:
    written = []
    for name in ("once", "again"):
        folder = tmp_path / name
        folder.mkdir()
        TRAPS[kind](Random("7"), folder)  # noqa: S311
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        written.append([(path.relative_to(folder), path.read_bytes()) for path in files])
    assert written[0] == written[1]
