"""The arithmetic of the report's tables: from sums of squares and df to the rest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import curvewise as cw
from studies.piater1997.published import PUBLISHED, SOURCES
from studies.report import Claim, Sheet, judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["arithmetic_claim", "arithmetic_sheet"]

Table = dict[str, dict[str, float]]


class Entry(NamedTuple):
    """A printed number, what it should be, and how far rounding may put them apart."""

    where: str
    column: str
    said: float
    ours: float
    slack: float

    @property
    def right(self) -> bool:
        return abs(self.said - self.ours) <= self.slack

    def text(self) -> str:
        if self.column == "df":
            return f"{self.said:g} / {self.ours:g}"
        if 0 < self.said < 1:
            return f"{self.said:g} / {self.ours:.4g}"
        return f"{self.said:.2f} / {self.ours:.2f}"


def arithmetic_claim() -> Claim:
    """Ask whether every number of the tables follows from their sums of squares and df."""
    entries = _entries()
    wrong = [f"{each.where}: {each.column}" for each in entries if not each.right]
    return Claim(
        "Tables 1 to 4",
        "Totals, mean squares, F and conventional p follow from the sums of squares and df",
        f"{len(entries)} numbers",
        f"{len(entries) - len(wrong)} follow, to rounding"
        + (f"; not {', '.join(wrong)}" if wrong else ""),
        judged(not wrong),
        "By AnovaTable.from_sums. The conventional p are those in the text of the report. "
        "Rounded to two digits, the sums of squares leave the last digits open by a little.",
    )


def arithmetic_sheet() -> Sheet:
    """Return the published numbers beside those that follow."""
    cells = {(each.where, each.column): each.text() for each in _entries()}
    columns = ("MS", "F", "conventional p")
    return Sheet(
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
    return [
        entry for name, table in PUBLISHED.items() for entry in _of_table(name, table)
    ]


def _of_table(name: str, published: Table) -> Iterator[Entry]:
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
            (
                "conventional p",
                "p_conventional",
                found.pvalue_parametric,
                row.get("p_slack", 0.0),
            ),
        ):
            if key in row and ours is not None:
                yield Entry(where, column, row[key], ours, slack)
    parts = [published[source] for source in SOURCES if source != "total"]
    for column, key, slack in (("SS", "ss", 0.02), ("df", "df", 0.0)):
        ours = math.fsum(row[key] for row in parts)
        yield Entry(f"{name}, total", column, published["total"][key], ours, slack)


def _f_slack(row: Mapping[str, float], published: Table) -> float:
    """Return how far F may be off when everything was rounded to two digits."""
    error = published["error"]["ms"]
    return 0.006 + 0.006 * row.get("f", 0.0) / error + 0.005 / error / row["df"]
