"""What a report asks, in which order, and of how many tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import curvewise as cw
from curvewise.reports.asking import ask, title_of
from curvewise.shuffling.parallel import reporting_progress
from tests.browser.opening import crossing

if TYPE_CHECKING:
    from pathlib import Path

FEW: dict[str, Any] = {"n_shuffles": 99, "rng": 0}


def test_one_table_is_compared_and_located_and_the_progress_is_of_all_of_it() -> None:
    asked: list[str] = []
    done: list[float] = []
    with reporting_progress(lambda part, total: done.append(part / total)):
        results = ask({"": crossing(8)}, FEW, windows=[""], begin=asked.append)
    assert asked == ["compare", "locate"]
    assert [type(own) for own in results] == [cw.Comparison, cw.Location]
    assert results[1].windows is not None
    assert done[-1] == 1
    assert 0.5 in done


@pytest.mark.parametrize(
    ("n_algorithms", "expected"),
    [
        (3, ["compare", "locate", "best", "pairs"]),
        (2, ["compare", "locate"]),
    ],
)
def test_more_algorithms_mean_more_questions(
    n_algorithms: int, expected: list[str]
) -> None:
    asked: list[str] = []
    ask({"": crossing(6, n_algorithms, 3)}, FEW, windows=[], begin=asked.append)
    assert asked == expected


def test_several_tables_are_compared_together(tmp_path: Path) -> None:
    tables = {"one": crossing(6), "two": crossing(1)}
    asked: list[str] = []
    options = {**FEW, "checkpoint": tmp_path / "counts"}
    whole, family, members = ask(tables, options, windows=["one"], begin=asked.append)
    assert asked == ["tasks", "compare", "locate, one"]  # there is one step in the other
    assert isinstance(whole, cw.TaskComparison)
    assert list(family) == ["one", "two"]
    assert [len(own) for own in members.values()] == [1, 0]
    assert members["one"][0].windows is not None
    assert title_of("games", tables) == "Games: 2 tasks"
    assert title_of("runs", {"": tables["one"]}) == "Runs: A and B"
