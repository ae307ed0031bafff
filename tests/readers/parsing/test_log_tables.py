"""Tables as loggers write them."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.readers.parsing.text_tables import has_rows, header_of, read_log_table, separator_of
from curvewise.readers.walk import File

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    TableWriter = Callable[..., File]


@pytest.fixture
def table(tmp_path: Path) -> TableWriter:
    def write(text: str, name: str = "log.csv") -> File:
        path = tmp_path / name
        data = text.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return File(path)

    return write


@pytest.mark.parametrize("separator", ["\t", ",", ";", "|", " "])
def test_any_separator(table: TableWriter, separator: str) -> None:
    rows = [["epoch", "val_loss"], ["0", "0.5"], ["1", "0.25"]]
    file = table("".join(separator.join(row) + "\n" for row in rows))
    assert separator_of(file) == separator
    assert read_log_table(file).frame.rows() == [("0", "0.5"), ("1", "0.25")]


def test_columns_lined_up_by_spaces(table: TableWriter) -> None:
    file = table("  epoch     loss\n      0    0.5\n     10   0.25  \n")
    assert header_of(file) == ["epoch", "loss"]
    found = read_log_table(file)
    assert found.frame.rows() == [("0", "0.5"), ("10", "0.25")]


def test_padded_names_and_cells(table: TableWriter) -> None:
    file = table("   epoch,   train/box_loss\n       1,       1.25\n")
    values, present = read_log_table(file).numbers("train/box_loss")
    assert values.tolist() == [1.25]
    assert present.all()


def test_a_cell_may_be_empty_and_nan_is_a_number(table: TableWriter) -> None:
    found = read_log_table(table("step,a\n1,\n2,nan\n3,NA\n4,inf\n5,x\n6,\n"))
    values, present = found.numbers("a")
    assert present.tolist() == [False, True, False, True, False, False]
    np.testing.assert_equal(values[[1, 3]], [np.nan, np.inf])
    assert found.n_words("a") == 1


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz"])
def test_a_last_line_without_its_end_is_left_out(table: TableWriter, name: str) -> None:
    found = read_log_table(table("step,a\n1,0.5\n2,0.7", name))
    assert found.frame.rows() == [("1", "0.5")]
    assert found.notes == [f"the last line of {name} is cut and was left out"]


def test_a_packed_file_that_ends_too_early(tmp_path: Path) -> None:
    path = tmp_path / "log.csv.gz"
    text = "step,a\n" + "".join(f"{k},{k * k % 997}\n" for k in range(5_000))
    data = gzip.compress(text.encode())
    path.write_bytes(data[: len(data) // 2])
    found = read_log_table(File(path))
    assert 0 < found.n_rows < 5_000
    steps, _ = found.numbers("step")
    scores, _ = found.numbers("a")
    assert scores.tolist() == [k * k % 997 for k in range(found.n_rows)]
    assert steps.tolist() == list(range(found.n_rows))
    assert len(found.notes) == 1


def test_glued_lines_are_left_out(table: TableWriter) -> None:
    found = read_log_table(table("step,a\n1,0.52,0.6\n3,0.7\n"))
    assert found.frame.rows() == [("3", "0.7")]
    assert found.notes == ["line 2 of log.csv was left out (not as many cells as the header)"]


def test_a_short_first_line_and_a_comma_at_the_end(table: TableWriter) -> None:
    found = read_log_table(table("step,a,b\n1\n2,3,4,\n"))
    assert found.frame.rows() == [("2", "3", "4")]
    assert found.notes == ["line 2 of log.csv was left out (not as many cells as the header)"]


@pytest.mark.parametrize("columns", [["step", "a", "b"], ["step"], ["a"]])
@pytest.mark.parametrize("separator", [",", "\t", " "])
def test_lines_that_are_cut_are_left_out_and_named(
    table: TableWriter, separator: str, columns: list[str]
) -> None:
    text = "#{}\nstep,a,b\n1,0.5,6\n2,0.\n\n3,0.7,8\n4\n5,0.9,8\n6,1.\n7"
    found = read_log_table(table(text.replace(",", separator)), columns.__contains__)
    assert found.n_rows - found.frame[:, 0].null_count() == 3
    assert found.notes == [
        "the last line of log.csv is cut and was left out",
        "lines 4, 7 and 9 of log.csv were left out (not as many cells as the header)",
    ]


def test_empty_cells_and_columns_without_a_name_are_no_cut(table: TableWriter) -> None:
    found = read_log_table(table('step,a,b,\n1,5,\n2,"x\ny",\n3,7,8,\n4,,\n'))
    assert (found.n_rows, found.notes) == (4, [])


def test_lines_that_end_in_several_ways(table: TableWriter) -> None:
    found = read_log_table(table("step,a\r1,5\r2,6\n3,7\r\n4,8\n"))
    assert found.frame.rows() == [("1", "5"), ("2", "6"), ("3", "7"), ("4", "8")]


def test_a_header_written_again_begins_a_session(table: TableWriter) -> None:
    found = read_log_table(table("step,a\n1,5\n2,6\nstep,a\n2,7\n"))
    assert found.frame.rows() == [("1", "5"), ("2", "6"), ("2", "7")]
    assert found.sessions is not None
    assert found.sessions.tolist() == [0, 0, 1]
    assert read_log_table(table("step,a\n1,5\n")).sessions is None


def test_an_algorithm_may_be_called_as_its_column(table: TableWriter) -> None:
    path = table("agent,step,a\nagent,1,5\nother,1,6\nagent,step,a\nagent,1,7\n")
    found = read_log_table(path)
    assert found.frame["agent"].to_list() == ["agent", "other", "agent"]
    assert read_log_table(path, ["agent"].__contains__).frame.height == 3


def test_comments_come_before_the_header_or_are_it(table: TableWriter) -> None:
    assert header_of(table('#{"t_start": 1}\nr,l,t\n1,2,3\n')) == ["r", "l", "t"]
    by_numpy = table("# step,loss\n1,0.5\n2,0.25\n")
    assert header_of(by_numpy) == ["step", "loss"]
    assert read_log_table(by_numpy).frame.rows() == [("1", "0.5"), ("2", "0.25")]


def test_only_columns_that_are_asked_for(table: TableWriter) -> None:
    found = read_log_table(table("a,b,a,c\n1,2,3,4\n"), ["c", "a"].__contains__)
    assert found.columns == ["a", "c"]
    assert found.frame.rows() == [("1", "4")]


@pytest.mark.parametrize("text", ["", "step,a", "step,a\n"])
def test_a_table_without_rows(table: TableWriter, text: str) -> None:
    assert read_log_table(table(text)).n_rows == 0


@pytest.mark.parametrize(
    ("text", "is_table"),
    [
        ("step score\n1 2\n", True),
        ("step\tscore\n", True),  # just opened
        ("# by hand\nstep,score\n1,0.5\n", True),
        ("python train.py --algo a2c --seed 102 -n 1000 --score 1", False),
        ("Notes on the run and its score\nThe first one was cut, see below now.\n", False),
        ("seed, step and score\nof all runs, here, as numbers\n", False),
    ],
)
def test_what_follows_the_header_tells_a_table_from_text(
    table: TableWriter, text: str, is_table: bool
) -> None:
    assert has_rows(table(text, "notes.txt")) is is_table
