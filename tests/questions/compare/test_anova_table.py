"""ANOVA tables: from sums of squares and df to mean squares, F and p, as in the papers."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from curvewise import AnovaTable, Curves, compare
from tests.simulation import some_curves

PUBLISHED = json.loads(
    (Path(__file__).parents[2] / "reference" / "piater1997_tables.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("published", PUBLISHED["tables"], ids=lambda table: table["name"])
def test_table_follows_from_its_sums_of_squares(published: dict[str, Any]) -> None:
    rows = published["rows"]
    table = AnovaTable.from_sums(
        {source: row["ss"] for source, row in rows.items()},
        {source: row["df"] for source, row in rows.items()},
        error="pooled",
    )
    assert list(table) == ["interaction", "algorithm", "training", "error", "total"]
    # Published sums of squares are rounded to .005, and so is what follows from them.
    for source, row in rows.items():
        ours = table[source]
        if "ms" in row:
            assert ours.ms == pytest.approx(row["ms"], abs=0.006)
        if "f" in row:
            slack = 0.006 + 0.006 * row["f"] / rows["error"]["ms"]
            slack += 0.005 / rows["error"]["ms"] / row["df"]
            assert ours.statistic == pytest.approx(row["f"], abs=slack)
        if "p_conventional" in row:
            assert ours.pvalue_parametric == pytest.approx(
                row["p_conventional"], abs=row["p_slack"]
            )
    assert table["training"].pvalue_parametric is None
    parts = ("interaction", "algorithm", "training", "error")
    assert sum(table[part].ss for part in parts) == pytest.approx(table["total"].ss, abs=0.02)


def test_table_prints_as_the_report_does() -> None:
    rows = PUBLISHED["tables"][0]["rows"]
    table = AnovaTable.from_sums(
        {source: row["ss"] for source, row in rows.items()},
        {source: row["df"] for source, row in rows.items()},
        error="pooled",
    )
    lines = [line.split() for line in str(table).splitlines()]
    assert lines[0] == ["source", "df", "SS", "MS", "F", "p", "p", "by", "F", "test"]
    assert lines[2] == ["interaction", "7", "490.60", "70.09", "1.16", "0.331"]
    assert lines[3] == ["algorithm", "1", "624.10", "624.10", "10.31", "0.00163"]
    assert lines[4] == ["training", "7", "139019.30", "19859.90", "328.17"]
    assert lines[5] == ["error", "(pooled)", "144", "8714.40", "60.52"]
    assert lines[6] == ["total", "159", "148848.40"]


def test_the_table_is_looked_up_by_source() -> None:
    table = compare(some_curves(0, (5, 5))).table
    assert list(table) == [
        "interaction",
        "algorithm",
        "training",
        "curves",
        "residual",
        "error",
        "total",
    ]
    assert len(table) == 7
    row = table["algorithm"]
    assert row.ms == row.ss / row.df
    assert row.pvalue is not None
    assert row.pvalue_parametric is not None
    assert table["total"].ms is None
    assert table["error"].statistic is None
    with pytest.raises(KeyError):
        table["nothing"]


def test_blocks_have_rows_of_their_own() -> None:
    table = compare(some_curves(0, (4, 4), blocks=[0, 1, 2, 3] * 2)).table
    assert table["blocks"].df == 3
    assert table["blocks × training"].df == 15
    assert table["curves"].df == 3
    assert table["residual"].df == 15


@pytest.mark.parametrize("error", ["split", "pooled"])
def test_each_effect_is_divided_by_its_error(error: Any) -> None:
    found = compare(some_curves(1, (5, 6)), error=error)
    table = found.table
    against = {"training": "residual", "algorithm": "curves", "interaction": "residual"}
    for source, own in against.items():
        row, noise = table[source], table[own if error == "split" else "error"]
        assert row.ms is not None
        assert noise.ms is not None
        assert row.statistic == pytest.approx(row.ms / noise.ms)
        if source == "training":
            # Shuffling algorithms says nothing of training.
            assert row.pvalue is row.pvalue_parametric is None
        else:
            assert row.pvalue == found.effects[error][source].pvalue
            assert row.statistic is not None
            expected = stats.f.sf(row.statistic, row.df, noise.df)
            assert row.pvalue_parametric == pytest.approx(expected)


def test_the_error_term_and_the_spread_are_named_beneath() -> None:
    curves = some_curves(0, (5, 5))
    split, pooled = compare(curves), compare(curves, error="pooled")
    parametric = "p by F test: parametric, and invalid when the scores of a run are correlated."
    assert split.table.table().notes == (
        "Error term: split (algorithm against curves, interaction against residual).",
        parametric,
        "The conventional F test, as in the papers, divides by the pooled error.",
    )
    assert pooled.table.table().notes == (
        ("Error term: pooled (both against curves and residual together, as in the papers)."),
        parametric,
    )
    unequal = compare(curves, spread="unequal").table.table()
    assert unequal.notes[1:3] == (
        (
            "F and p allow for unequal spread: each algorithm is weighed by its own "
            "variance (Welch), so F is not a ratio of the MS shown."
        ),
        "p by F test: Welch's, on approximate degrees of freedom.",
    )
    assert "Error term: pooled" in pooled.table._repr_html_()


def test_a_table_is_json_ready_and_keeps_what_is_infinite_out() -> None:
    curve = np.arange(4.0)
    table = compare(Curves([curve] * 3 + [curve + 1] * 3, list("AAABBB"))).table
    assert table["algorithm"].statistic == math.inf
    record = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert record["error"] == "split"
    rows = {row["source"]: row for row in record["rows"]}
    assert rows["algorithm"]["statistic"] is None
    assert rows["algorithm"]["df"] == 1
    assert "inf" in str(table)


def test_a_single_step_leaves_the_shape_empty() -> None:
    table = compare(some_curves(0, (5, 5), 1)).table
    assert table["interaction"].df == 0
    assert table["interaction"].ms is table["interaction"].statistic is None
    assert table["training"].statistic is None
