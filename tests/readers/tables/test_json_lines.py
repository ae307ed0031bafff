"""JSON lines."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import pytest

from curvewise import CurvesError, read
from curvewise.readers.table_formats import json_columns


def test_keys_that_appear_late_are_still_there(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [{"agent": "A", "seed": "x", "step": step, "score": step} for step in range(3)]
    rows.append({"agent": "A", "seed": "x", "step": 3})
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert read(path).steps.tolist() == [0, 1, 2]  # a line without a score is no record


def test_keys_of_all_lines_are_found_with_what_they_hold(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n\n{"b": [1]}\n{"a": [2]}\n', encoding="utf-8")
    assert json_columns(path) == {"a": True, "b": True}


def test_nan_is_read_as_divergence(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [f'{{"agent": "A", "run": 1, "step": {step}, "score": 1}}' for step in range(2)]
    rows.append('{"agent": "A", "run": 1, "step": 2, "score": NaN}')
    path.write_text("\n".join(rows), encoding="utf-8")
    with pytest.raises(CurvesError, match=r"A: run '1' diverges at step 2"):
        read(path)
    assert read(path, stop=1).runs.tolist() == ["1"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1, 2]\n", "Line 1 of a.jsonl is not a JSON object"),
        ('{"a": 1}\n{"a": \n', "Line 2 of a.jsonl is not JSON"),
        ("\n", "a.jsonl is empty: it needs"),
    ],
)
def test_bad_files_are_refused_with_a_reason(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(CurvesError, match=message):
        read(path)


def test_halves_of_characters_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [
        f'{{"agent": "\\ud80{i}", "seed": {run}, "step": {step}, "score": {run + step}}}'
        for i in range(2)
        for run in range(2)
        for step in range(3)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert read(path).algorithms == (r"\ud800", r"\ud801")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"agent": "A", "score": 4}', "has 4 under 'score', where others have lists"),
        ('{"agent": "A", "score": {"a": 1}}', "where others have lists"),
        ('{"agent": "A", "score": [1, "b", [3]]}', "Scores must be numbers"),
        ('{"agent": "A", "score": [1' + "0" * 5_000 + "]}", "Line 2 .* of thousands of digits"),
    ],
)
def test_lists_beside_something_else(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"agent": "B", "score": [1, 2, 3]}\n' + line, encoding="utf-8")
    with pytest.raises(CurvesError, match=message):
        read(path)
