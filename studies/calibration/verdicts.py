"""Verdicts: whether the promise of a claim holds, family by family of processes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Literal

from studies.calibration.bounds import clopper_pearson, exceeds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.calibration.bounds import Rate
    from studies.calibration.claims import Claim
    from studies.calibration.measuring import Row

__all__ = ["Finding", "Verdict", "findings"]

Verdict = Literal["holds", "conservative", "above nominal", "does not hold", "not promised"]
MAX_CONSERVATIVE = 0.8  # of the level; a rate below it by its bounds is conservative


@dataclass(frozen=True)
class Finding:
    """How often one claim was wrong in all cells of one family of processes.

    Attributes
    ----------
    rows : tuple of Row
        Its cells.
    n_findings, n_rows : int
        How many findings and cells the page has, which its verdict allows for: half of the
        chance of a false "does not hold" goes to findings, half to single cells.
    """

    question: str
    claim: Claim
    family: str
    rows: tuple[Row, ...]
    n_findings: int
    n_rows: int

    @property
    def rate(self) -> Rate:
        """The rate over all cells."""
        return reduce(add, (row.rate for row in self.rows))

    @property
    def worst(self) -> Row:
        """The cell with the highest rate."""
        return max(self.rows, key=lambda row: row.rate.share)

    @property
    def verdict(self) -> Verdict:
        """What the bounds say about the promise."""
        if not all(row.is_promised for row in self.rows):
            return "not promised"
        if self._exceeds(self.claim.promised):
            return "does not hold"
        if self._exceeds(self.claim.level):
            return "above nominal"
        high = clopper_pearson(self.rate)[1]
        return "conservative" if high < MAX_CONSERVATIVE * self.claim.level else "holds"

    @property
    def page(self) -> str:
        """The page that says more about a rate above its level, or about a missing promise."""
        page = self.claim.page
        more = {"above nominal": page, "does not hold": page, "not promised": "method.md"}
        return more.get(self.verdict, "")

    def _exceeds(self, level: float) -> bool:
        """Tell whether the rate, or that of some cell, is above a level, allowing for all."""
        return exceeds(self.rate, level, 2 * self.n_findings) or any(
            exceeds(row.rate, level, 2 * self.n_rows) for row in self.rows
        )


def findings(rows: Sequence[Row]) -> list[Finding]:
    """Gather the cells of each claim and family of processes, in the order of the plan."""
    groups: dict[tuple[str, Claim, str], list[Row]] = {}
    claims = dict.fromkeys((row.cell.question, row.claim) for row in rows)
    for row in sorted(rows, key=lambda row: list(claims).index((row.cell.question, row.claim))):
        key = (row.cell.question, row.claim, row.family)
        groups.setdefault(key, []).append(row)
    return [
        Finding(question, claim, family, tuple(own), len(groups), len(rows))
        for (question, claim, family), own in groups.items()
    ]
