"""JSON lines as loggers write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.readers.parsing.json_files import read_json_records
from curvewise.readers.walk import File

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.readers.parsing.json_files import JsonRecords


def read(tmp_path: Path, text: str) -> JsonRecords:
    path = tmp_path / "progress.json"
    path.write_text(text, encoding="utf-8")
    return read_json_records(File(path), lambda key: key != "secret")


def test_keys_come_and_go(tmp_path: Path) -> None:
    records = read(
        tmp_path,
        '{"step": 1, "a": 0.5, "host": "vm", "secret": 3}\n'
        '{"step": 2, "eval": {"a": NaN}, "done": true, "a": null}\n',
    )
    assert records.n_rows == 2
    assert records.columns == ["step", "a", "eval/a", "host", "done"]
    values, present = records.numbers("eval/a")
    assert present.tolist() == [False, True]
    assert np.isnan(values).all()
    assert records.numbers("a")[1].tolist() == [True, False]
    assert records.texts("host") == ["vm", ""]
    assert (records.n_words("done"), records.n_words("a")) == (1, 0)
    assert not records.numbers("unknown")[1].any()


def test_a_last_line_is_whole_if_its_bracket_is_closed(tmp_path: Path) -> None:
    assert read(tmp_path, '{"a": 1}\n{"a": 2}').n_rows == 2
    records = read(tmp_path, '{"a": 1}\n{"a": 2')
    assert records.n_rows == 1
    assert records.notes == ["the last line of progress.json is cut and was left out"]


def test_lines_that_are_no_objects_are_named(tmp_path: Path) -> None:
    records = read(tmp_path, '{"a": 1}\n\n[3]\n{"a": 2{"a": 3}\n{"a": 4}\n')
    assert records.numbers("a")[0].tolist() == [1, 4]
    assert records.notes == ["lines 3 and 4 of progress.json were left out (no JSON object)"]
