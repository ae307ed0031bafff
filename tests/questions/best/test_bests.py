from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, best_many
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Bests


def at(levels: list[float], seed: int = 0, scale: float = 1.0, **options: object) -> Curves:
    curves = some_curves(seed, (5,) * len(levels), 3)
    scores = 0.1 * curves.scores + np.array(levels)[curves.codes][:, None]
    return Curves(scale * scores, curves.labels, **options)  # type: ignore[arg-type]


@cache
def found() -> Bests:
    """C alone on x, B and C on y; who runs on z differs by little."""
    tasks = {"x": at([0, 4, 9], 0, 1_000), "y": at([0, 9, 9], 1, 0.01), "z": at([1, 1, 1], 2)}
    return best_many(tasks, n_shuffles=499, rng=0)


def test_it_is_a_mapping_from_task_to_best() -> None:
    assert list(found()) == ["x", "y", "z"]
    assert len(found()) == 3
    assert found()["x"].contenders == ("C",)
    assert set(found()["y"].contenders) == {"B", "C"}
    assert found().settled == ("x", "y")


def test_means_and_ranks_are_those_of_the_tasks() -> None:
    for own, means, ranks in zip(found().values(), found().means, found().ranks, strict=True):
        named = {row.name: row.mean for row in own.rows}
        assert means.tolist() == [named[name] for name in "ABC"]
        assert ranks.tolist() == stats.rankdata(-means).tolist()


def test_equal_means_share_their_ranks_and_lower_may_be_better() -> None:
    labels = np.repeat(list("ABC"), 4)
    scores = np.array([[1.0], [2], [3], [4]] * 2 + [[9.0], [9], [8], [8]])
    found = best_many({"t": Curves(scores, labels, higher_is_better=False)}, rng=0)
    assert found.ranks.tolist() == [[1.5, 1.5, 3.0]]


def test_standings_count_tasks() -> None:
    standings = found().standings
    assert [one.name for one in standings] == ["C", "B", "A"]
    first, second, third = standings
    assert (first.n_may_be_best, first.n_alone) == (3, 1)
    assert (second.n_may_be_best, second.n_alone) == (2, 0)
    assert (third.n_may_be_best, third.n_alone) == (1, 0)
    assert sum(one.n_leads for one in standings) == 3
    for one in standings:
        column = found().ranks[:, found().algorithms.index(one.name)]
        assert one.mean_rank == pytest.approx(column.mean())
        assert one.n_tasks == 3


def test_where_tasks_lack_algorithms_there_are_no_mean_ranks() -> None:
    tasks = {"x": at([0, 4, 9]), "y": at([0, 9, 9], 1).select("A", "B")}
    bests = best_many(tasks, missing="keep", n_shuffles=99, rng=0)
    assert np.isnan(bests.means).tolist() == [[False] * 3, [False, False, True]]
    assert np.isnan(bests.ranks).tolist() == [[False] * 3, [False, False, True]]
    assert {one.mean_rank for one in bests.standings} == {None}
    assert {one.name: one.n_tasks for one in bests.standings} == {"A": 2, "B": 2, "C": 1}
    assert bests.table().rows[1][-1] == ""
    assert bests.standings_table().header == (
        "algorithm",
        "tasks",
        "may be the best",
        "alone",
        "leads",
    )
    json.dumps(bests.to_dict(), allow_nan=False)


def test_the_table_marks_the_best_and_those_level_with_it() -> None:
    table = found().table()
    assert table.header == ("task", "A", "B", "C")
    assert table.notes[0].startswith("Shown is the mean over training. An algorithm can be told")
    looks = {place: mark.look for place, mark in table.marks.items()}
    leader = {task: own.leader for task, own in found().items()}
    for row, (task, own) in enumerate(found().items()):
        for column, name in enumerate("ABC", start=1):
            expected = "underlined" if name in own.contenders else None
            if name == leader[task]:
                expected = "bold"
            assert looks.get((row, column)) == expected


def test_numbers_of_a_task_have_the_same_decimals_and_few_digits() -> None:
    first, second, _ = found().table().rows
    assert all("." not in cell for cell in first[1:])
    assert {len(cell.partition(".")[2]) for cell in second[1:]} == {5}


def test_names_are_escaped_in_every_format() -> None:
    curves = at([0, 9])
    names = np.where(curves.labels == "A", "a_b & c%", r"\input{x}")
    hostile = Curves(curves.scores, names)
    bests = best_many({"<b>_$": hostile, "y": hostile}, rng=0)
    latex = bests.table().latex()
    assert r"a\_b \& c\%" in latex
    assert r"\textbackslash{}input\{x\}" in latex
    assert r"\input" not in latex
    assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert all(line.replace(r"\&", "").count("&") == 2 for line in rows)
    assert "<b>" not in bests._repr_html_()
    assert r"a\_b &amp; c%" in bests.table().markdown()


def test_everything_is_json_and_an_algorithm_out_is_so_in_all_outputs() -> None:
    record = json.loads(json.dumps(found().to_dict(), allow_nan=False))
    assert record["question"] == "best_many"
    assert list(record["tasks"]) == ["x", "y", "z"]
    assert record["tasks"]["x"]["contenders"] == ["C"]
    assert record["level"] == found().level
    for task, own in record["pvalues_adjusted"].items():
        out = {name for name, p in own.items() if p <= record["alpha"]}
        assert out == set(record["tasks"][task]["worse"])


def test_the_best_of_a_single_task_stands_without_adjustment() -> None:
    bests = best_many({"x": at([0, 4, 9])}, n_shuffles=499, rng=0)
    assert bests.level == bests.alpha
    (standing,) = [one for one in bests.standings if one.n_alone]
    assert standing.name == "C"
