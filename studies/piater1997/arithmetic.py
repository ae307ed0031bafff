"""Check that the report's tables follow from their sums of squares and degrees of freedom."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import curvewise as cw
from studies.piater1997.published import PUBLISHED, SOURCES
from studies.report import Claim, Table, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["arithmetic_claim", "arithmetic_table"]

PublishedTable = dict[str, dict[str, float]]


class Entry(NamedTuple):
    """A printed number, the computed one, and the difference that rounding explains."""

    where: str
    column: str
    printed: float
    ours: float
    slack: float

    @property
    def follows(self) -> bool:
        return abs(self.printed - self.ours) <= self.slack

    def text(self) -> str:
        if self.column == "df":
            return f"{self.printed:g} / {self.ours:g}"
        if 0 < self.printed < 1:
            return f"{self.printed:g} / {self.ours:.4g}"
        return f"{self.printed:.2f} / {self.ours:.2f}"


def arithmetic_claim() -> Claim:
    """Judge whether all numbers of the tables follow from sums of squares and df."""
    entries = _entries()
    failing = [f"{each.where}: {each.column}" for each in entries if not each.follows]
    return Claim(
        "Tables 1 to 4",
        "Totals, mean squares, F and conventional p follow from the sums of squares and df",
        f"{len(entries)} numbers",
        f"{len(entries) - len(failing)} follow, to rounding"
        + (f"; not {', '.join(failing)}" if failing else ""),
        judge(not failing),
        "By AnovaTable.from_sums. The conventional p are those in the text of the report. "
        "Rounded to two digits, the sums of squares leave the last digits open by a little.",
    )


def arithmetic_table() -> Table:
    """Return the published numbers beside the computed ones."""
    cells = {(each.where, each.column): each.text() for each in _entries()}
    columns = ("MS", "F", "conventional p")
    return Table(
        "The arithmetic of Tables 1 to 4",
        ("", "SS", "df", *(f"{column}, published / ours" for column in columns)),
        tuple(
            (
                f"{name}, {source}",
                cells.get((f"{name}, {source}", "SS"), f"{row['ss']:.2f}"),
                cells.get((f"{name}, {source}", "df"), f"{row['df']:g}"),
                *(cells.get((f"{name}, {source}", column), "") for column in columns),
            )
            for name, table in PUBLISHED.items()
            for source, row in table.items()
        ),
        "Of the total, SS and df are compared with the sums of those above.",
    )


def _entries() -> list[Entry]:
    return [entry for name, table in PUBLISHED.items() for entry in _entries_of(name, table)]


def _entries_of(name: str, published: PublishedTable) -> Iterator[Entry]:
    table = cw.AnovaTable.from_sums(
        {source: row["ss"] for source, row in published.items()},
        {source: int(row["df"]) for source, row in published.items()},
        error="pooled",
    )
    for source, row in published.items():
        found, where = table[source], f"{name}, {source}"
        for column, key, ours, slack in (
            ("MS", "ms", found.ms, 0.006),
            ("F", "f", found.statistic, _f_slack(row, published)),
            ("conventional p", "p_conventional", found.pvalue_parametric, row.get("p_slack", 0.0)),
        ):
            if key in row and ours is not None:
                yield Entry(where, column, row[key], ours, slack)
    parts = [published[source] for source in SOURCES if source != "total"]
    for column, key, slack in (("SS", "ss", 0.02), ("df", "df", 0.0)):
        ours = math.fsum(row[key] for row in parts)
        yield Entry(f"{name}, total", column, published["total"][key], ours, slack)


def _f_slack(row: Mapping[str, float], published: PublishedTable) -> float:
    """Return the largest error of F if all printed numbers are rounded to two decimals."""
    error = published["error"]["ms"]
    return 0.006 + 0.006 * row.get("f", 0.0) / error + 0.005 / error / row["df"]
