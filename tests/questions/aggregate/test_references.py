from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import curvewise as cw
from curvewise.questions.aggregate.method import references

if TYPE_CHECKING:
    from pathlib import Path

TASKS = ["pong", "qbert"]


def found(given: object, *, higher_is_better: bool = True) -> dict[str, tuple[float, float]]:
    return references(given, TASKS, higher_is_better=higher_is_better)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scores.csv", "task,low,high\npong,-21,15\nqbert,164,13455\nvenue,,\n"),
        ("scores.csv", "Game;Random;Human\nqbert;164;13455\npong;-21;15\n"),
        ("scores.tsv", "\ufeffenv\tmin\tmax\nqbert\t164\t13455\npong\t-21\t15\n"),
        ("scores.json", '{"pong": [-21, 15], "qbert": {"random": 164, "human": 13455}}'),
        (
            "scores.json",
            (
                '[{"task": "pong", "low": -21, "high": 15},\n'
                '{"task": "qbert", "low": 164, "high": 13455}]'
            ),
        ),
    ],
)
def test_files_are_read(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    expected = {"pong": (-21.0, 15.0), "qbert": (164.0, 13455.0)}
    assert found(path) == expected
    assert found(str(path)) == expected


def test_a_mapping_is_taken_as_it_is() -> None:
    assert found({"qbert": (0, 2), "pong": [1, 2]}) == {"pong": (1, 2), "qbert": (0, 2)}


def test_the_second_score_is_the_better_one() -> None:
    losses = {"pong": (2.0, 0.1), "qbert": (3.0, 0.5)}
    assert found(losses, higher_is_better=False) == losses
    with pytest.raises(cw.OptionError, match=r"'pong' is 2.000 and 0.1000: .* must be higher"):
        found(losses)
    up = {"pong": (0, 1), "qbert": (0, 1)}
    with pytest.raises(
        cw.OptionError, match=r"must be lower than .*, since lower scores are better"
    ):
        found(up, higher_is_better=False)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"pong": (0, 1)}, "The reference lacks qbert; there are 'pong'"),
        (
            {"pong": (0, 1), "qbert": (0, 1), "qbret": (0, 1)},
            "The reference has qbret, which is not among the tasks; .* did you mean 'qbert'",
        ),
        ({"pong": (0, 1), "qbert": (1, 1)}, "'qbert' is 1.000 and 1.000: .* Swap or correct"),
        ({"pong": (0, 1), "qbert": 3}, "reference of 'qbert' must be two scores, .* it is 3"),
        ({"pong": (0, 1), "qbert": "ab"}, "reference of 'qbert' must be two scores"),
        ({"pong": (0, float("nan")), "qbert": (0, 1)}, "has nan for 'pong', which is not a fin"),
        ({"pong": (0, None), "qbert": (0, 1)}, "has None for 'pong'"),
        ({"pong": {"low": 1}, "qbert": (0, 1)}, "needs a column called 'high'"),
        (3, "reference must be a mapping from task to two scores .* it is 3"),
        ("nowhere.csv", "There is no file 'nowhere.csv' with the reference.*'raw'"),
    ],
)
def test_what_does_not_fit_is_refused(given: Any, sentence: str) -> None:
    with pytest.raises(cw.OptionError, match=sentence) as refused:
        found(given)
    assert refused.value.option == "reference"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"task,low\npong,1\n", "a.csv needs a column called 'high' .*'task' and 'low'"),
        ("a.csv", b"task,low,high\n", "a.csv has no rows"),
        ("a.csv", b"task,low,high\npong,1,2\n", "a.csv lacks qbert"),
        ("a.csv", b'task,low,high\npong,1,2\nqbert,"1,000",3\n', "has '1,000' for 'qbert'"),
        ("a.csv", b"task,low,high\npong,1,2\npong,1,3\nqbert,1,3\n", "two rows for 'pong'"),
        ("a.csv", b"task,low,high\n\xff,1,2\n", "a.csv is not text in UTF-8"),
        ("a.json", b"{", "a.json cannot be read: "),
        ("a.json", b"[1]", "a.json must hold an object from task to two scores"),
        ("a.json", b'{"pong": 1}', "reference of 'pong' must be two scores"),
    ],
)
def test_bad_files_are_refused_in_a_sentence(
    tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(cw.OptionError, match=sentence):
        found(path)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(cw.OptionError, match="There is no file"):
        found(tmp_path)


def test_a_question_says_which_file_it_used(tmp_path: Path) -> None:
    path = tmp_path / "humans.json"
    path.write_text(json.dumps({"pong": [0, 2], "other": ["x", "y"]}), encoding="utf-8")
    curves = cw.Curves([[1.0], [2.0], [0.0], [1.0]], ["A", "A", "B", "B"])
    result = cw.aggregate({"pong": curves}, reference=path)
    assert result["A"].value == 0.75
    assert "for each task in humans.json" in result.describe()
    assert "normalised by the reference of humans.json" in str(result)


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(cw.CurvewiseError, match="There is no file"):
        found("é" * 300)
