"""Tables 1 to 4: every published number beside the range of the replications."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from studies.piater1997.bands import band, frequency, short
from studies.piater1997.published import (
    ALPHA,
    COMPARED,
    EFFECTS,
    PUBLISHED,
    PUBLISHED_P,
    SOURCES,
)
from studies.report import Sheet

if TYPE_CHECKING:
    from studies.piater1997.replications import Replications

__all__ = ["Printed", "printed", "table_sheet"]

Floats = npt.NDArray[np.float64]


class Printed(NamedTuple):
    """A number the report prints, and what the replications give."""

    source: str
    published: float
    values: Floats


def printed(made: Replications) -> dict[str, list[Printed]]:
    """Return all numbers of a table: its SS, its F and its p."""
    rows, p = PUBLISHED[made.name], PUBLISHED_P[made.name]
    return {
        "SS": [Printed(each, rows[each]["ss"], made.ss[each]) for each in SOURCES],
        "F": [Printed(each, rows[each]["f"], made.f[each]) for each in SOURCES[:3]],
        "p": [Printed(each, p[each], made.p[each]) for each in EFFECTS],
    }


def table_sheet(made: Replications) -> Sheet:
    """Return the published table beside the range of the replications."""
    rows = []
    for column, numbers in printed(made).items():
        for source, published, values in numbers:
            ours = band(values)
            place = "inside" if ours.holds(published) else "outside"
            rows.append(
                (
                    f"{column} {source}",
                    short(published),
                    ours.text(),
                    short(ours.median),
                    place,
                )
            )
    return Sheet(
        f"{made.name}: {', '.join(COMPARED[made.name])}",
        ("", "published", "5 % to 95 %", "median", "published value"),
        tuple(rows),
        f"p ≤ {ALPHA} for the algorithm effect in {frequency(made.found('algorithm'))}, for "
        f"the interaction in {frequency(made.found('interaction'))}. Error pooled, as in "
        "the report. Claims are judged by wider ranges, which several numbers keep to "
        "together.",
    )
