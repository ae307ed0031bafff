"""What a report asks, in which order, and of how many tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import curvewise as cw
from curvewise.reports.ask import ask, title_of
from curvewise.shuffling.visit import reporting_progress
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
    [(3, ["compare", "locate", "best", "pairs"]), (2, ["compare", "locate"])],
)
def test_more_algorithms_mean_more_questions(n_algorithms: int, expected: list[str]) -> None:
    asked: list[str] = []
    ask({"": crossing(6, n_algorithms, 3)}, FEW, windows=[], begin=asked.append)
    assert asked == expected


def test_several_tables_are_compared_together(tmp_path: Path) -> None:
    tables = {"one": crossing(6), "two": crossing(1)}
    asked: list[str] = []
    options = {**FEW, "checkpoint": tmp_path / "counts"}
    whole, aggregate, family, members = ask(tables, options, windows=["one"], begin=asked.append)
    # There is one step in the other.
    assert asked == ["tasks", "aggregate", "compare", "locate, one"]
    assert isinstance(whole, cw.TaskComparison)
    assert isinstance(aggregate, cw.Aggregate)
    assert list(family) == ["one", "two"]
    assert [len(own) for own in members.values()] == [1, 0]
    assert members["one"][0].windows is not None
    assert title_of("games", tables) == "Games: 2 tasks"
    assert title_of("runs", {"": tables["one"]}) == "Runs: A and B"


@pytest.mark.slow
def test_the_best_of_several_tasks_is_asked_once_and_allows_for_their_number() -> None:
    tables = {"one": crossing(6, 3, 3), "two": crossing(1, 2, 3)}
    asked: list[str] = []
    results = ask(tables, {**FEW, "alpha": 0.2}, windows=[], begin=asked.append)
    own = ["locate, one", "pairs, one"]
    assert asked == ["tasks", "aggregate", "compare", "best", *own]
    _, aggregate, _, bests, _ = results
    assert aggregate.confidence == 0.8
    assert list(bests) == ["one", "two"]
    made = cw.report(tables, *results)
    assert "Only who may be the best is judged at a level" in made.html
    parts = [own.partition("</h3>") for own in made.html.split("<h3>")]
    shown = [text for title, _, text in parts if title.startswith("Which algorithms may be")]
    assert len(shown) == 2
    assert all(bests[task].headline() in own for task, own in zip(bests, shown, strict=True))


def test_tasks_that_give_no_aggregate_are_compared_all_the_same() -> None:
    curves = crossing(4)
    single = cw.Curves(curves.scores[:6], curves.labels[:6], curves.steps)
    other = cw.Curves(2 * single.scores, single.labels, single.steps)
    results = ask({"one": single, "two": other}, FEW, windows=[])
    assert isinstance(results[0], cw.TaskComparison)
    assert not any(isinstance(own, cw.Aggregate) for own in results)
