"""The report's four tables: from sums of squares and df to mean squares, F and p."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curvewise import AnovaTable

PUBLISHED = json.loads(
    (Path(__file__).parents[2] / "reference" / "piater1997_tables.json").read_text(
        encoding="utf-8"
    )
)


@pytest.mark.parametrize(
    "published", PUBLISHED["tables"], ids=lambda table: table["name"]
)
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
    assert sum(table[part].ss for part in parts) == pytest.approx(
        table["total"].ss, abs=0.02
    )


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
