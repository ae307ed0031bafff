"""What a look found: effects, tables, data."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from curvewise import monitor, scenario
from curvewise.questions.monitor.result import SequentialEffect
from tests.questions.monitor.batched import batched

if TYPE_CHECKING:
    from curvewise import Monitoring


@cache
def looked_at(*heights: float, n_batches: int = 2, **options: Any) -> Monitoring:
    curves = batched(5, n_batches, heights=heights)
    return monitor(curves, seed=1, n_shuffles=499, n_batches=4, **options)


def test_an_effect_is_rejected_at_the_first_look_at_which_p_is_small() -> None:
    effect = SequentialEffect(
        name="overall",
        pvalues=(0.5, 0.05, 0.01),
        pvalues_adjusted=(0.5, 0.05, 0.01),
        alpha=0.05,
        smallest_pvalue_now=1e-3,
    )
    assert effect.rejected_at == 2
    assert effect.significant
    assert effect.pvalue_sequential == 0.01
    adjusted = SequentialEffect(
        name="overall",
        pvalues=(0.5, 0.05, 0.01),
        pvalues_adjusted=(1.0, 0.15, 0.06),
        alpha=0.05,
        smallest_pvalue_now=1e-3,
    )
    assert adjusted.rejected_at is None
    assert adjusted.pvalue_adjusted == 0.06


def test_height_and_shape_are_closed_by_the_overall_test() -> None:
    found = looked_at(0, 1.5)
    for name in ("algorithm", "interaction"):
        own = found.effect(name).pvalues
        assert all(p >= q for p, q in zip(own, found.overall.pvalues, strict=True))


def test_tables_show_every_look_and_of_several_every_pair() -> None:
    two = looked_at(0, 4)
    (looks,) = two.tables()
    assert looks.header[:4] == ("look", "batch", "runs", "α spent")
    assert [row[:4] for row in looks.rows] == [
        ("1", "1", "4 + 4", "0.0125"),
        ("2", "2", "4 + 4", "0.025"),
    ]
    assert two.plan_id in looks.notes[0]
    several = looked_at(0, 0, 6)
    pairs, _ = several.tables()
    assert [row[0] for row in pairs.rows] == ["A − B", "A − C", "B − C"]
    assert pairs.rows[0][1] == "undecided"
    assert pairs.rows[1][1] == "different since look 2"
    assert pairs.header[-1] == "p: shape"


def test_chances_have_a_column_where_an_effect_was_stated() -> None:
    found = looked_at(0, 0, 6, effect=scenario("lift", 2))
    pairs, _ = found.tables()
    assert pairs.header[-1] == "chance"
    assert pairs.rows[0][-1]
    assert pairs.rows[1][-1] == ""


def test_a_single_step_has_no_column_for_shape() -> None:
    curves = batched(5, 2, heights=(0, 0), n_steps=1)
    found = monitor(curves, seed=1, n_shuffles=99)
    assert found.tables()[0].header[-1] == "p: height"
    assert "single step" in found.warnings[-1]


def test_all_of_it_is_data() -> None:
    found = looked_at(0, 0, 6)
    record = json.loads(json.dumps(found.to_dict()))
    assert record["answer"] == "go on"
    assert record["plan"]["seed"] == 1
    assert record["plan_id"] == found.plan_id
    assert record["next_batch"] == {"A": 4, "B": 4, "C": 0}
    assert record["spending"] == pytest.approx([0.0125, 0.025, 0.0375, 0.05])
    assert record["pairs"][1]["overall"]["rejected_at"] == 2
    assert record["batches"]["1"] == {"A": 4, "B": 4, "C": 4}
    assert record["overall"]["smallest_pvalue_now"] <= record["overall"]["pvalue_sequential"]


def test_of_many_algorithms_equal_sizes_are_written_once() -> None:
    found = looked_at(0, 0, 6, 12, 18)
    assert [row[2] for row in found.looks_table().rows] == ["4 each", "4 each"]
    uneven = replace(found, batches={"1": dict.fromkeys("ABCD", 4) | {"E": 3}})
    assert uneven.looks_table().rows[0][2] == "4 + 4 + 4 + 4 + 3"
