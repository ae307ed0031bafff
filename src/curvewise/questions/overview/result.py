"""What `overview` found: a comparison and, behind its overall test, where and who."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from curvewise.inference.result import Result, beside
from curvewise.questions.compare.result import Comparison
from curvewise.records import INLINE, UNTOLD, told

if TYPE_CHECKING:
    from curvewise.questions.best.result import Best
    from curvewise.questions.locate.result import Location, Region
    from curvewise.records import Probability
    from curvewise.rendering.tables import Table


Withheld = Literal["undecidable", "unequal spread", "no difference"]


@dataclass(frozen=True)
class Where:
    """At which steps the curves differ."""

    regions: tuple[Region, ...]
    differs_from: float | None
    differs_until: float | None
    smallest_pvalue_adjusted: Probability


@dataclass(frozen=True)
class Who:
    """Which algorithms may be the best: ``contenders``, of whom the leader has the best mean."""

    leader: str
    mean: float
    contenders: tuple[str, ...]
    worse: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Overview(Result, question="compare"):
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

    comparison: Comparison = field(metadata=INLINE)
    location: Location | None = field(metadata=UNTOLD)
    best: Best | None = field(metadata=UNTOLD)
    withheld: Withheld | None = None
    in_score_units: ClassVar[tuple[str, ...]] = Comparison.in_score_units

    def __post_init__(self) -> None:
        """Gather what a reader must know before believing the comparison, where and who."""
        found = (self.comparison, self.location, self.best)
        caveats = dict.fromkeys(c for own in found if own is not None for c in own.caveats)
        object.__setattr__(self, "caveats", tuple(caveats))
        object.__setattr__(self, "preparation", self.comparison.preparation)

    @told(key="where", after="comparison")
    def _where(self) -> Where | None:
        """At which steps the curves differ; None if no overall difference was found."""
        where = self.location
        if where is None:
            return None
        smallest = float(where.pvalue_adjusted.min())
        return Where(where.regions, where.differs_from, where.differs_until, smallest)

    @told(key="best", after="where")
    def _who(self) -> Who | None:
        """Which algorithms may be the best; None if no overall difference was found."""
        best = self.best
        if best is None:
            return None
        return Who(best.leader, best.rows[0].mean, best.contenders, best.worse)

    def lines(self) -> dict[str, str]:
        """Return what is said after the verdict, a line each, by its heading."""
        lines: dict[str, str] = beside(self, "tell").lines(self)
        return lines

    def tables(self) -> list[Table]:
        """Return the tables of the comparison."""
        return self.comparison.tables()
