"""What `overview` found: a comparison and, behind its overall test, where and who."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from curvewise.inference.result import Result, beside

if TYPE_CHECKING:
    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.questions.best.result import Best
    from curvewise.questions.compare.result import Comparison
    from curvewise.questions.locate.result import Location
    from curvewise.rendering.tables import Table

__all__ = ["Overview", "Withheld"]

Withheld = Literal["undecidable", "unequal spread", "no difference"]


@dataclass(frozen=True, eq=False)
class Overview(Result):
    """A comparison, and what may be said once it has found a difference.

    Attributes
    ----------
    comparison : Comparison
        Do the curves differ, in height or in shape?
    location : Location or None
        Where they differ; None if it was not asked, or with a single step.
    best : Best or None
        Which algorithms may be the best; None if it was not asked, or with two algorithms.
    withheld : str or None
        Why where and who were not asked: "undecidable" with so few runs, "unequal spread",
        or "no difference" overall.
    """

    comparison: Comparison
    location: Location | None
    best: Best | None
    withheld: Withheld | None = None

    @property
    def caveats(self) -> tuple[Caveat, ...]:  # type: ignore[override]
        """What a reader must know before believing the comparison, where and who."""
        found = (self.comparison, self.location, self.best)
        return tuple(
            dict.fromkeys(c for result in found if result for c in result.caveats)
        )

    @property
    def preparation(self) -> Preparation | None:  # type: ignore[override]
        """How runs with steps of their own were brought to common steps."""
        return self.comparison.preparation

    def lines(self) -> dict[str, str]:
        """Return what is said after the verdict, a line each, by its heading."""
        lines: dict[str, str] = beside(self, "words").lines(self)
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON-ready data, with "where" and "best"."""
        where = who = None
        if self.location is not None:
            where = {
                "regions": [region.to_dict() for region in self.location.regions],
                "differs_from": self.location.differs_from,
                "differs_until": self.location.differs_until,
                "smallest_pvalue_adjusted": float(self.location.pvalue_adjusted.min()),
            }
        if self.best is not None:
            who = {
                "leader": self.best.leader,
                "mean": self.best.rows[0].mean,
                "contenders": list(self.best.contenders),
                "worse": list(self.best.worse),
            }
        return {
            **self.comparison.to_dict(),
            **self.warnings_dict(),
            "where": where,
            "best": who,
            "withheld": self.withheld,
        }

    def tables(self) -> list[Table]:
        """Return the tables of the comparison."""
        return self.comparison.tables()
