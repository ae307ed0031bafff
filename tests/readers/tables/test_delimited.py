"""CSV and TSV files."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from curvewise import CurvesError, read, scan
from curvewise.readers.table_formats import open_text, separator

HEADER = "algorithm,run,step,score\n"


def test_whole_numbers_that_turn_decimal_are_read(tmp_path: Path) -> None:
    """Types guessed from the first rows would fail here: row 2001 is the first decimal."""
    rows = [f"A,{run},{step},{step}" for run in range(2) for step in range(2_000)]
    rows += [f"B,x{run},{step},{step + 0.5}" for run in range(2) for step in range(2_000)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["algorithm,run,step,score", *rows]), encoding="utf-8")
    assert read(path).runs.tolist() == ["0", "1", "x0", "x1"]


def test_blank_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(HEADER + "A,1,0,1\n\nA,2,0,3\n\n\n", encoding="utf-8")
    assert read(path).scores[:, 0].tolist() == [1, 3]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("ending", ["csv", "txt"])
def test_lines_may_end_in_any_way(tmp_path: Path, ending: str, end: str) -> None:
    lines = ["algorithm,run,step,score", "A,1,0,1", "A,1,1,2", "A,2,0,3", "A,2,1,5"]
    path = tmp_path / f"a.{ending}"
    for last in ("", end):
        path.write_bytes((end.join(lines) + last).encode())
        assert read(path).scores.tolist() == [[1, 2], [3, 5]]
        assert scan(path).metrics["score"].n_points == (2, 2)


@pytest.mark.parametrize(
    ("name", "header", "expected"),
    [
        ("a.csv", "a,b\n", ","),
        ("a.csv", "\na;b;c\n", ";"),
        ("a.csv", "a\tb\n", "\t"),
        ("a.tsv", "a,b\n", "\t"),
    ],
)
def test_the_header_tells_the_separator(
    tmp_path: Path, name: str, header: str, expected: str
) -> None:
    (tmp_path / name).write_text(header, encoding="utf-8")
    assert separator(tmp_path / name) == expected


def test_text_is_unpacked_and_loses_its_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress("\ufeffä".encode()))
    with open_text(path) as file:
        assert file.read() == "ä"


def test_semicolons_and_spaces_around_names(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        " Agent ; SEED;Step;Reward\n a;1;0;1\n a;2;0;2\nb;1;0;3\nb;2;0;5\n", encoding="utf-8"
    )
    assert read(path).scores[:, 0].tolist() == [1, 2, 3, 5]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("\n\n", "no column left that could be the algorithm"),
        (
            HEADER + "A,1,0,1\nA,1,1,1,9\n",
            "Line 3 of a.csv has 5 fields and the header 4: put quotes",
        ),
        (
            HEADER + "A,1,0,1\nA,1,1\nA,1,2,3\n",
            "Line 3 of a.csv has 3 fields and the header 4: it is cut, or still being",
        ),
        (HEADER + "A,1,0,1\nA,1,1", "Line 3 of a.csv has 3 fields"),
        (
            "algorithm,run,step,score,time\nA,1,0,1.25,0\nA,1,1,1.\nA,1,2,1.75,2\n",
            "Line 3 of a.csv has 4 fields and the header 5",
        ),
        (HEADER + "A,1,0,1\nA,1,1,-\n", "'-' .* leave cells without a score empty"),
        (HEADER + "A,1,0,1\nA,1,1,.\n", "'.' .* leave cells without a score empty"),
        (HEADER + "A,1,0,1\nA,1,1,?\n", "'?' .* leave cells without a score empty"),
        (HEADER + "A,1,0,1\nA,1,1,85%\n", "without thousands .* percent signs"),
        (HEADER + "A,1,0,1\nA,1,1,3.2s\n", "without thousands .* units"),
        (HEADER + "A,1,1 000,1\n", "'1 000' .* without thousands separators"),
        (HEADER + "A,1,1'000,1\n", "1'000.* without thousands separators"),
        (HEADER + "A,1,1_000,1\n", "'1_000' .* without thousands separators"),
        (HEADER + 'A,1,"1,000",1\n', "'1,000' .* without thousands separators"),
        (
            HEADER + "A,1,500,1\nA,1,1.000,2\nA,1,1.500,3\n",
            "Column 'step' of a.csv: the point of '1.000' may part .* Write 1000 if",
        ),
        (
            HEADER + "A,1,0,900\nA,1,1,1.100\n",
            "Column 'score' of a.csv: the point of '1.100' .* Write 1100 .* else 1.1",
        ),
        ("algorithm,500,1.000\nA,1,2\n", "names of columns: the point of '1.000'"),
        ("algorithm,1,2,3\nA,900,1.100,1.200\n", "the point of '1.100'"),
        (
            HEADER + "A,1,0,1\nA,1,1,oops\n",
            "Line 3 .* has 'oops' in column 'score', .*run '1', step '1'.* Fix or drop these",
        ),
        (HEADER + 'A,1,0,1\n"', "could not parse `\"` at column 'algorithm' .* a quote"),
        (HEADER + "A,1,0,1\nA,1,1,inf\n", "A: run '1' diverges at step 1"),
        (HEADER + "A,1,0,1\nA,1,1,nan\n", "A: run '1' diverges at step 1"),
        (HEADER + "A,1,0,\nA,1,1,n/a\n", "No run of 1 has a finite score"),
        (HEADER + "A,1,0,1\nA,1,1,\nA,1,2,oops\n", "Line 4 .* has 'oops'.*; 1 cell of"),
        (HEADER + "A,1,0,1\nA,1,x,1\n", "Line 3 of a.csv has 'x' in column 'step'"),
        (HEADER + ",1,0,1\n", "algorithm is missing in 1 row"),
        (HEADER + "A,1,0,1\nA,1,0,2\n", "1 row repeats a run and step"),
        (HEADER + "A,1,0,1\nA,1,1,1\nA,2,0,1\n", "A: run '2' ends at step 0"),
        ("algorithm,0,1\nA,1,x\n", "has 'x' in column '1'"),
        (HEADER + 'A,1,0,1\nA,1,1,"0,5"\n', "Write decimals with a point"),
        (HEADER + "A,1,0,1\nA,1,1 ,5\n", "Remove the spaces around numbers"),
        (HEADER + 'A,"1,0,1\nA,1,1,2\n', "cannot be read: .* a quote that is never closed"),
        ("algorithm,run,step,score,score\nA,1,0,1,2\n", "2 columns .* 'score'. Rename all"),
        (HEADER + "A,1,0,1\nB\xe4r,1,0,2\n", "not text in UTF-8"),
        (HEADER + "A,1,1e17,1\n", "Steps as large as 1e"),
    ],
)
def test_bad_files_are_refused_with_a_reason(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(CurvesError, match=message):
        read(path)


def test_a_wrong_byte_far_down_is_found(tmp_path: Path) -> None:
    """The header is read alone: beyond its buffer only polars sees the bytes."""
    path = tmp_path / "a.csv"
    rows = "".join(f"A,1,{step},1\n" for step in range(50_000))
    path.write_bytes((HEADER + rows + "B\xe4r,1,0,2\n").encode("latin-1"))
    with pytest.raises(CurvesError, match="not text in UTF-8"):
        read(path)


def test_cells_without_a_score_are_no_records(tmp_path: Path) -> None:
    """Rows of other metrics come between; each step is scored on one of two rows."""
    path = tmp_path / "a.csv"
    rows = [f"A,{run},{step},{cell}\n" for run in (1, 2) for step in (0, 1) for cell in (3, "")]
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    found = read(path)
    assert found.scores.tolist() == [[3, 3], [3, 3]]
    assert found.preparation is None


def test_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.csv"))
    path.write_text("agent,0,1\nA,1,2\nB,2,3\n", encoding="utf-8")
    assert read(path).source.startswith(r"caf\udce9.csv: wide form")


def test_columns_that_are_not_read_may_share_a_name(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "note,agent,note,seed,step,score\nx,A,y,0,0,1.5\nx,B,,0,0,2\n", encoding="utf-8"
    )
    assert read(path).scores.tolist() == [[1.5], [2.0]]


@pytest.mark.parametrize(
    ("steps", "scores"),
    [
        ("500 1000 1500", "1.000 2.000 3.000"),  # as %.3f writes them
        ("1 1.5 2", "1 1.25 1.125"),
        ("0.500 1.000 1.500", "0 0.950 1.000"),
        ("1e3 2e3 3e3", "12.345 7 8.001"),
    ],
)
def test_points_of_decimals_are_no_points_of_thousands(
    tmp_path: Path, steps: str, scores: str
) -> None:
    rows = zip(steps.split(), scores.split(), strict=True)
    lines = [f"A,1,{step},{score}\n" for step, score in rows]
    path = tmp_path / "a.csv"
    path.write_text(HEADER + "".join(lines), encoding="utf-8")
    found = read(path)
    assert found.steps.tolist() == [float(step) for step in steps.split()]
    assert found.scores[0].tolist() == [float(score) for score in scores.split()]


def test_what_a_refusal_tells_to_write_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(HEADER + "A,1,500,1\nA,1,1000,2\nA,1,1500,3\n", encoding="utf-8")
    assert read(path).steps.tolist() == [500, 1000, 1500]


def test_quotes_in_names_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        '"algorithm",run,"the ""step""",mean "score","x",x\nA,1,0,1,,8\nA,1,1,2,,9\n',
        encoding="utf-8",
    )
    found = read(path, step='the "step"', score='mean "score"')
    assert found.scores.tolist() == [[1, 2]]


def test_columns_without_a_name_at_the_end_may_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("algorithm,run,step,score,,\nA,1,0,1\nA,1,1,2,\n", encoding="utf-8")
    assert read(path).scores.tolist() == [[1, 2]]
