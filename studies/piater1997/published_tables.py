"""Tables 1 to 4: each published number beside the range of the replications."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from studies.piater1997.published import ALPHA, COMPARED, EFFECTS, PUBLISHED, PUBLISHED_P, SOURCES
from studies.piater1997.quantile_ranges import frequency, quantile_range, short
from studies.report import Table

if TYPE_CHECKING:
    from studies.piater1997.replications import Replications

__all__ = ["PrintedNumber", "printed_numbers", "replicated_table"]

Floats = npt.NDArray[np.float64]


class PrintedNumber(NamedTuple):
    """A number printed in the report, and the same number of each replication."""

    source: str
    published: float
    values: Floats


def printed_numbers(replicated: Replications) -> dict[str, list[PrintedNumber]]:
    """Return the numbers of a table by column: SS, F and p."""
    rows, p = PUBLISHED[replicated.name], PUBLISHED_P[replicated.name]
    return {
        "SS": [PrintedNumber(each, rows[each]["ss"], replicated.ss[each]) for each in SOURCES],
        "F": [PrintedNumber(each, rows[each]["f"], replicated.f[each]) for each in SOURCES[:3]],
        "p": [PrintedNumber(each, p[each], replicated.p[each]) for each in EFFECTS],
    }


def replicated_table(replicated: Replications) -> Table:
    """Return a published table with the ranges of the replications."""
    rows = []
    for column, numbers in printed_numbers(replicated).items():
        for source, published, values in numbers:
            ours = quantile_range(values)
            index = "inside" if ours.contains(published) else "outside"
            rows.append(
                (f"{column} {source}", short(published), ours.text(), short(ours.median), index)
            )
    return Table(
        f"{replicated.name}: {', '.join(COMPARED[replicated.name])}",
        ("", "published", "5 % to 95 %", "median", "published value"),
        tuple(rows),
        f"p ≤ {ALPHA} for the algorithm effect in {frequency(replicated.found('algorithm'))}, for "
        f"the interaction in {frequency(replicated.found('interaction'))}. Error pooled, as in "
        "the report. Claims are judged by wider ranges, which several numbers keep to "
        "together.",
    )
